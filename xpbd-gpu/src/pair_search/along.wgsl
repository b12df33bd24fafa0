// How far neighbours along y and z are apart in a table of buckets, modulo its length. Around any cell the nine
// rows of three buckets have none in common if the table has at least 64.

const ALONG_Y = 0x9e3779b1u;
const ALONG_Z = 0x85ebca75u;
