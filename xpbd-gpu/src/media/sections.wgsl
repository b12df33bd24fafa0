// Sections of `members`, a vector a member each: place from the middle [m] and inverse mass [1/kg]; particle,
// material and bucket; what the stages have moved it by since its place was taken [m]; what they keep.
const PLACE = 0u;
const ABOUT = 1u;
const CHANGE = 2u;
const FIELDS = 3u;

// Material of a member that is not of the medium.
const SOLID = 0xfffffffeu;
