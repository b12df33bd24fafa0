//! From the graph to instructions: dead nodes dropped, multiply–add fused, registers by liveness.

use hashbrown::HashMap;

use super::graph::{Binary, Expression, Graph, NodeId, Unary};
use super::{InputSource, Instruction, Opcode, Operand, Program, Sym};

/// A step before registers are assigned: operands are node numbers.
struct SelectedInstruction {
    code: Opcode,
    out: NodeId,
    operands: Vec<NodeId>,
}

impl Program {
    /// Returns the instructions that compute `outputs`, and nothing else.
    pub fn lower(graph: &Graph, outputs: &[Sym<'_>]) -> Self {
        let outputs: Vec<NodeId> = outputs.iter().map(|&output| graph.resolve(graph.id(output))).collect();
        let uses = count_uses(graph, &outputs);
        let steps = select(graph, &uses);
        Allocation::run(graph, &uses, &steps, &outputs)
    }
}

/// Returns how often each node is read by what the outputs need; 0 for dead nodes.
fn count_uses(graph: &Graph, outputs: &[NodeId]) -> Vec<u32> {
    let mut uses = vec![0; graph.len()];
    for &output in outputs {
        uses[output as usize] += 1;
    }
    for id in (0..graph.len()).rev() {
        if uses[id] > 0 {
            for operand in graph.node(id as NodeId).operands() {
                uses[graph.resolve(operand) as usize] += 1;
            }
        }
    }
    uses
}

/// Returns one step for each live node; products that are read once, by a sum, join it.
fn select(graph: &Graph, uses: &[u32]) -> Vec<SelectedInstruction> {
    let product = |id: NodeId| match graph.node(graph.resolve(id)) {
        Expression::Binary(Binary::Mul, a, b) if uses[graph.resolve(id) as usize] == 1 => Some([a, b]),
        _ => None,
    };
    let mut joined = vec![false; graph.len()];
    let mut steps = Vec::new();
    for id in 0..graph.len() as NodeId {
        if uses[id as usize] == 0 {
            continue;
        }
        let (code, operands) = match graph.node(id) {
            Expression::Input(_) | Expression::Literal(_) | Expression::Opaque(_) | Expression::Trig(..) => continue,
            Expression::Unary(Unary::Neg, a) => match product(a) {
                Some([x, y]) => (Opcode::NegMul, vec![x, y]),
                None => (Opcode::Neg, vec![a]),
            },
            Expression::Unary(function, a) => (unary_code(function), vec![a]),
            Expression::Binary(Binary::Add, a, b) => match (product(a), product(b)) {
                (Some([x, y]), Some([z, w])) => (Opcode::MulAddMul, vec![x, y, z, w]),
                (Some([x, y]), None) => (Opcode::MulAdd, vec![x, y, b]),
                (None, Some([x, y])) => (Opcode::MulAdd, vec![x, y, a]),
                (None, None) => (Opcode::Add, vec![a, b]),
            },
            Expression::Binary(Binary::Sub, a, b) => match (product(a), product(b)) {
                (Some([x, y]), Some([z, w])) => (Opcode::MulSubMul, vec![x, y, z, w]),
                (Some([x, y]), None) => (Opcode::MulSub, vec![x, y, b]),
                (None, Some([x, y])) => (Opcode::NegMulAdd, vec![x, y, a]),
                (None, None) => (Opcode::Sub, vec![a, b]),
            },
            Expression::Binary(function, a, b) => (binary_code(function), vec![a, b]),
            Expression::SelectLt(all) => (Opcode::SelectLt, all.to_vec()),
        };
        if let Expression::Unary(Unary::Neg, _) | Expression::Binary(Binary::Add | Binary::Sub, ..) = graph.node(id) {
            let products = graph.node(id).operands().into_iter().filter(|&operand| product(operand).is_some());
            products.for_each(|operand| joined[graph.resolve(operand) as usize] = true);
        }
        let operands = operands.into_iter().map(|operand| graph.resolve(operand)).collect();
        steps.push(SelectedInstruction { code, out: id, operands });
    }
    steps.retain(|step| !joined[step.out as usize]);
    steps
}

fn unary_code(function: Unary) -> Opcode {
    match function {
        Unary::Neg => Opcode::Neg,
        Unary::Sqrt => Opcode::Sqrt,
        Unary::Abs => Opcode::Abs,
        Unary::Round => Opcode::Round,
    }
}

fn binary_code(function: Binary) -> Opcode {
    match function {
        Binary::Add => Opcode::Add,
        Binary::Sub => Opcode::Sub,
        Binary::Mul => Opcode::Mul,
        Binary::Div => Opcode::Div,
        Binary::Min => Opcode::Min,
        Binary::Max => Opcode::Max,
    }
}

/// Registers handed out in order of the steps and taken back after the last read.
struct Allocation {
    place: HashMap<NodeId, Operand>,
    last_read: HashMap<NodeId, usize>,
    free: Vec<u16>,
    program: Program,
}

impl Allocation {
    fn run(graph: &Graph, uses: &[u32], steps: &[SelectedInstruction], outputs: &[NodeId]) -> Program {
        let mut this = Self {
            place: HashMap::new(),
            last_read: HashMap::new(),
            free: Vec::new(),
            program: Program {
                instructions: Vec::with_capacity(steps.len()),
                registers: 0,
                constants: Vec::new(),
                uniforms: Vec::new(),
                gathered: Vec::new(),
                outputs: Vec::new(),
            },
        };
        for (index, step) in steps.iter().enumerate() {
            for &operand in &step.operands {
                this.last_read.insert(operand, index);
            }
        }
        for &output in outputs {
            this.last_read.insert(output, usize::MAX);
        }
        this.place_inputs(graph, uses);
        for (index, step) in steps.iter().enumerate() {
            this.emit(step, index);
        }
        this.program.outputs = outputs.iter().map(|output| this.place[output]).collect();
        this.program
    }

    /// Constants and uniforms keep their registers; gathered inputs give theirs back when read.
    fn place_inputs(&mut self, graph: &Graph, uses: &[u32]) {
        for id in (0..graph.len() as NodeId).filter(|&id| uses[id as usize] > 0) {
            let place = match graph.node(id) {
                Expression::Literal(bits) => {
                    let register = self.register();
                    self.program.constants.push((register, f32::from_bits(bits)));
                    self.last_read.insert(id, usize::MAX);
                    Operand::register(register)
                }
                Expression::Input(InputSource::Uniform(uniform)) => {
                    let register = self.register();
                    self.program.uniforms.push((register, uniform));
                    self.last_read.insert(id, usize::MAX);
                    Operand::register(register)
                }
                Expression::Input(InputSource::Gathered(input)) => {
                    let register = self.register();
                    self.program.gathered.push((register, input));
                    Operand::register(register)
                }
                Expression::Input(InputSource::Column(column)) => Operand::column(column),
                _ => continue,
            };
            self.place.insert(id, place);
        }
    }

    fn emit(&mut self, step: &SelectedInstruction, index: usize) {
        let mut operands = [Operand::register(0); 4];
        for (slot, id) in operands.iter_mut().zip(&step.operands) {
            *slot = self.place[id];
        }
        for (k, id) in step.operands.iter().enumerate() {
            let repeated = step.operands[..k].contains(id);
            if self.last_read[id] == index
                && !repeated
                && let Ok(register) = self.place[id].resolve()
            {
                self.free.push(register as u16);
            }
        }
        let out = self.register();
        self.place.insert(step.out, Operand::register(out));
        self.program.instructions.push(Instruction { opcode: step.code, out, operands });
    }

    fn register(&mut self) -> u16 {
        self.free.pop().unwrap_or_else(|| {
            self.program.registers += 1;
            (self.program.registers - 1) as u16
        })
    }
}
