//! The parts of SPIR-V that are needed to change the arithmetic of a module.

/// Words before the first instruction. The fourth is the bound of all ids.
pub const HEADER: usize = 5;

/// Codes of instructions, and of what they refer to.
pub mod op {
    pub const NAME: u32 = 5;
    pub const EXTENSION: u32 = 10;
    pub const EXT_INST: u32 = 12;
    pub const ENTRY_POINT: u32 = 15;
    pub const EXECUTION_MODE: u32 = 16;
    pub const CAPABILITY: u32 = 17;
    pub const TYPE_VECTOR: u32 = 23;
    pub const FUNCTION: u32 = 54;
    pub const FUNCTION_PARAMETER: u32 = 55;
    pub const FUNCTION_END: u32 = 56;
    pub const DECORATE: u32 = 71;
    pub const COMPOSITE_CONSTRUCT: u32 = 80;
    pub const COMPOSITE_EXTRACT: u32 = 81;
    pub const F_DIV: u32 = 136;
    pub const CONTROL_BARRIER: u32 = 224;
    pub const LABEL: u32 = 248;
    pub const BRANCH: u32 = 249;
    pub const RETURN_VALUE: u32 = 254;
    /// An instruction of `GLSL.std.450`.
    pub const SQRT: u32 = 31;
    /// A decoration.
    pub const NO_CONTRACTION: u32 = 42;
}

/// Returns the code of an instruction, by its first word.
pub fn code(head: u32) -> u32 {
    head & 0xffff
}

/// Returns the number of words of an instruction, by the first.
pub fn length(head: u32) -> usize {
    ((head >> 16) as usize).max(1)
}

/// Returns the instructions of a module, each with its code and its words.
pub fn instructions(words: &[u32]) -> impl Iterator<Item = (u32, &[u32])> {
    let mut rest = words.get(HEADER..).unwrap_or_default();
    std::iter::from_fn(move || {
        let first = *rest.first()?;
        let (instruction, after) = rest.split_at_checked(length(first))?;
        rest = after;
        Some((code(first), instruction))
    })
}

/// Returns the string that words begin with.
pub fn text(words: &[u32]) -> String {
    let bytes = words.iter().flat_map(|word| word.to_le_bytes()).take_while(|&byte| byte != 0);
    bytes.map(char::from).collect()
}
