//! Quotients and square roots that are refined until they are the nearest floats, as IEEE 754 and thus the CPU have them.
//!
//! Vulkan lets a quotient miss by 2.5 units in the last place, and hardware does. Each quotient and each root is replaced by
//! the instructions of a function of `ieee.wgsl`. They are not called but copied: a driver crashes at the calls.

use hashbrown::HashMap;

use super::spirv::{HEADER, instructions, op, text};

/// The functions that refine, each of one block, to be added to the text of a kernel.
pub const TEXT: &str = include_str!("ieee.wgsl");

/// A function of one block, whose instructions are copied.
struct Template<'a> {
    id: u32,
    parameters: Vec<u32>,
    block: Vec<&'a [u32]>,
    result: u32,
}

impl<'a> Template<'a> {
    /// Finds the function of a name; without instructions if there is none.
    fn find(words: &'a [u32], name: &str) -> Self {
        let named = instructions(words).find(|(code, words)| *code == op::NAME && text(&words[2..]) == name);
        let id = named.map_or(0, |(_, words)| words[1]);
        let mut template = Self { id, parameters: Vec::new(), block: Vec::new(), result: 0 };
        let from_start = instructions(words).skip_while(|(code, words)| *code != op::FUNCTION || words[2] != id);
        for (code, words) in from_start.skip(1) {
            match code {
                op::FUNCTION_PARAMETER => template.parameters.push(words[2]),
                op::LABEL | op::BRANCH => {}
                op::RETURN_VALUE => template.result = words[1],
                op::FUNCTION_END => break,
                _ => template.block.push(words),
            }
        }
        template
    }

    /// Appends the instructions for these arguments, with a result of this id.
    fn copy(&self, arguments: &[u32], result: u32, module: &mut Vec<u32>) {
        let mut ids: HashMap<u32, u32> = self.parameters.iter().copied().zip(arguments.iter().copied()).collect();
        ids.insert(self.result, result);
        for words in &self.block {
            ids.entry(words[2]).or_insert_with(|| fresh(module));
            // The length with the code is no id, nor is the number of an instruction of `GLSL.std.450`.
            let is_id = |k| k != 0 && !(k == 4 && words[0] & 0xffff == op::EXT_INST);
            let renamed = words.iter().enumerate();
            module.extend(renamed.map(|(k, word)| ids.get(word).copied().filter(|_| is_id(k)).unwrap_or(*word)));
        }
    }
}

/// Returns an id that nothing in a module has.
fn fresh(module: &mut [u32]) -> u32 {
    module[3] += 1;
    module[3] - 1
}

/// Replaces square roots, and quotients too if they are to be refined, in a module that has the functions of [`TEXT`].
pub fn refined(words: &[u32], refines_quotients: bool) -> Vec<u32> {
    let [quotient, root] = ["ieee_quotient", "ieee_root"].map(|name| Template::find(words, name));
    let vectors: HashMap<u32, (u32, u32)> = instructions(words)
        .filter(|&(code, _)| code == op::TYPE_VECTOR)
        .map(|(_, words)| (words[1], (words[2], words[3])))
        .collect();
    let mut module = words[..HEADER].to_vec();
    let mut is_template = false;
    for (code, words) in instructions(words) {
        if code == op::FUNCTION {
            is_template = [quotient.id, root.id].contains(&words[2]);
        }
        let (template, arguments) = match code {
            op::F_DIV if refines_quotients && !is_template => (&quotient, &words[3..]),
            op::EXT_INST if !is_template && words[4] == op::SQRT => (&root, &words[5..]),
            _ => {
                module.extend(words);
                continue;
            }
        };
        let (kind, result) = (words[1], words[2]);
        let Some(&(scalar, count)) = vectors.get(&kind) else {
            template.copy(arguments, result, &mut module);
            continue;
        };
        let mut parts = Vec::new();
        for component in 0..count {
            let mut extract = |&vector: &u32| {
                let id = fresh(&mut module);
                module.extend([5 << 16 | op::COMPOSITE_EXTRACT, scalar, id, vector, component]);
                id
            };
            let scalars: Vec<u32> = arguments.iter().map(&mut extract).collect();
            let part = fresh(&mut module);
            template.copy(&scalars, part, &mut module);
            parts.push(part);
        }
        module.extend([(3 + count) << 16 | op::COMPOSITE_CONSTRUCT, kind, result]);
        module.extend(parts);
    }
    module
}
