//! From statements to a tape: what names mean, and whether kinds of values fit together.

use super::grammar::{Definition, Expression, Item, Relation, Spanned, Statement};
use super::tape::{Operation, Tape};

/// Most points, rows and numbers of parameters of a constraint, and most operations of a text: programs have to fit
/// registers and devices.
const MAX_POINTS: usize = 8;
const MAX_ROWS: usize = 6;
const MAX_PARAMETERS: usize = 32;
const MAX_OPERATIONS: usize = 300;

const FUNCTIONS: [&str; 19] = [
    "length",
    "distance",
    "dot",
    "cross",
    "normalize",
    "abs",
    "sqrt",
    "min",
    "max",
    "clamp",
    "round",
    "sin",
    "cos",
    "acos",
    "atan2",
    "before",
    "world",
    "axis",
    "if",
];
const CONSTANTS: [&str; 2] = ["pi", "dt"];

/// The kind of a value.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Kind {
    Number,
    Vector,
    Point,
}

impl Kind {
    fn text(self) -> &'static str {
        match self {
            Self::Number => "a number",
            Self::Vector => "a vector",
            Self::Point => "a point",
        }
    }
}

/// A value of the tape: its operation and kind.
#[derive(Debug, Clone, Copy)]
struct Operand {
    place: usize,
    kind: Kind,
}

/// What a name stands for, and whether it has been used.
struct Symbol<'t> {
    name: Spanned<&'t str>,
    what: &'static str,
    operand: Operand,
    is_used: bool,
}

type Problem = (usize, String);

/// Resolves a definition. Returns the tape and the names of the parameters.
pub(super) fn resolve(definition: &Definition<'_>) -> Result<(Tape, Vec<String>), Problem> {
    let mut resolver = Resolver { tape: Tape::default(), symbols: Vec::new(), parameters: Vec::new() };
    for (k, &point) in definition.points.iter().enumerate() {
        if k == MAX_POINTS {
            return Err((point.at, format!("a constraint has at most {MAX_POINTS} points")));
        }
        let operand = resolver.push(Operation::Now(k), Kind::Point, point.at)?;
        resolver.define(point, "point", operand)?;
    }
    for parameter in &definition.parameters {
        resolver.parameter(parameter.name, parameter.is_vector)?;
    }
    for statement in &definition.statements {
        match statement {
            Statement::Let(name, expression) => {
                let operand = resolver.expression(expression)?;
                resolver.define(*name, "value", operand)?;
            }
            Statement::Row(left, relation, right) => resolver.row(left, *relation, right)?,
        }
    }
    if let Some(unused) = resolver.symbols.iter().find(|symbol| !symbol.is_used) {
        let (what, name) = (unused.what, unused.name.value);
        return Err((unused.name.at, format!("the {what} `{name}` is not used; leave it out")));
    }
    if resolver.tape.rows.is_empty() {
        return Err((0, "there is no row: write what is to hold, as `distance(a, b) = 1`".into()));
    }
    Ok((resolver.tape, resolver.parameters))
}

struct Resolver<'t> {
    tape: Tape,
    symbols: Vec<Symbol<'t>>,
    parameters: Vec<String>,
}

impl<'t> Resolver<'t> {
    fn push(&mut self, operation: Operation, kind: Kind, at: usize) -> Result<Operand, Problem> {
        if self.tape.operations.len() == MAX_OPERATIONS {
            return Err((at, format!("a constraint has at most {MAX_OPERATIONS} operations")));
        }
        self.tape.operations.push(operation);
        Ok(Operand { place: self.tape.operations.len() - 1, kind })
    }

    fn define(&mut self, name: Spanned<&'t str>, what: &'static str, operand: Operand) -> Result<(), Problem> {
        let word = name.value;
        // Functions are told from values by their arguments.
        if CONSTANTS.contains(&word) || ["if", "let"].contains(&word) {
            return Err((name.at, format!("`{word}` has a meaning of its own; take another name")));
        }
        if self.symbols.iter().any(|symbol| symbol.name.value == word) {
            return Err((name.at, format!("`{word}` is there already; take another name")));
        }
        self.symbols.push(Symbol { name, what, operand, is_used: false });
        Ok(())
    }

    fn parameter(&mut self, name: Spanned<&'t str>, is_vector: bool) -> Result<(), Problem> {
        let first = self.parameters.len();
        let operand = if is_vector {
            self.parameters.extend(["x", "y", "z"].map(|axis| format!("{}.{axis}", name.value)));
            self.push(Operation::Vector(first), Kind::Vector, name.at)?
        } else {
            self.parameters.push(name.value.into());
            self.push(Operation::Number(first), Kind::Number, name.at)?
        };
        if self.parameters.len() > MAX_PARAMETERS {
            return Err((name.at, format!("a constraint has at most {MAX_PARAMETERS} numbers as parameters")));
        }
        self.define(name, "parameter", operand)
    }

    /// Adds the rows of an equation or a bound: one of numbers, three of vectors or points.
    fn row(
        &mut self,
        left: &Expression<'t>,
        relation: Spanned<Relation>,
        right: &Expression<'t>,
    ) -> Result<(), Problem> {
        let (left, right) = (self.expression(left)?, self.expression(right)?);
        let Spanned { value: relation, at } = relation;
        if left.kind != right.kind {
            let (left, right) = (left.kind.text(), right.kind.text());
            return Err((at, format!("{left} stands on the left and {right} on the right")));
        }
        if left.kind != Kind::Number && relation != Relation::Equal {
            return Err((at, format!("{} has no order; compare a length or a component", left.kind.text())));
        }
        let difference = self.subtract(left, right, at)?;
        if difference.kind == Kind::Vector {
            for axis in 0..3 {
                let component = self.push(Operation::Component(difference.place, axis), Kind::Number, at)?;
                self.tape.rows.push((component.place, relation));
            }
        } else {
            self.tape.rows.push((difference.place, relation));
        }
        if self.tape.rows.len() > MAX_ROWS {
            return Err((at, format!("a constraint has at most {MAX_ROWS} rows; an equation of vectors has three")));
        }
        Ok(())
    }

    fn expression(&mut self, items: &Expression<'t>) -> Result<Operand, Problem> {
        let mut stack: Vec<Operand> = Vec::new();
        for &Spanned { value: item, at } in items {
            let operand = match item {
                Item::Number(number) if !number.is_finite() => return Err((at, "the number is too large".into())),
                Item::Number(number) => self.push(Operation::Literal(number), Kind::Number, at)?,
                Item::Name(name) => self.name(name, at)?,
                Item::Call(name, count) => {
                    let arguments = stack.split_off(stack.len().saturating_sub(count));
                    self.call(name, &arguments, at)?
                }
                Item::Component(name) => {
                    let [of] = take(&mut stack);
                    self.component(of, name, at)?
                }
                Item::Negate => {
                    let [of] = take(&mut stack);
                    if of.kind == Kind::Point {
                        return Err((at, "a point has no opposite; subtract another point first".into()));
                    }
                    self.push(Operation::Negate(of.place), of.kind, at)?
                }
                Item::Add => {
                    let [a, b] = take(&mut stack);
                    self.add(a, b, at)?
                }
                Item::Subtract => {
                    let [a, b] = take(&mut stack);
                    self.subtract(a, b, at)?
                }
                Item::Multiply => {
                    let [a, b] = take(&mut stack);
                    self.multiply(a, b, at)?
                }
                Item::Divide => {
                    let [a, b] = take(&mut stack);
                    if b.kind != Kind::Number || a.kind == Kind::Point {
                        return Err((at, format!("{} cannot be divided by {}", a.kind.text(), b.kind.text())));
                    }
                    self.push(Operation::Divide([a.place, b.place]), a.kind, at)?
                }
                Item::Vector => {
                    let of: [Operand; 3] = take(&mut stack);
                    if let Some(wrong) = of.iter().find(|of| of.kind != Kind::Number) {
                        return Err((at, format!("a component of a vector is {}, not a number", wrong.kind.text())));
                    }
                    self.push(Operation::Compose(of.map(|of| of.place)), Kind::Vector, at)?
                }
                Item::IfLess => {
                    let [a, b, then, otherwise] = take(&mut stack);
                    self.choose([a, b, then, otherwise], at)?
                }
                Item::IfGreater => {
                    let [a, b, then, otherwise] = take(&mut stack);
                    self.choose([b, a, then, otherwise], at)?
                }
            };
            stack.push(operand);
        }
        let [result] = take(&mut stack);
        Ok(result)
    }

    fn name(&mut self, name: &str, at: usize) -> Result<Operand, Problem> {
        if let Some(symbol) = self.symbols.iter_mut().find(|symbol| symbol.name.value == name) {
            symbol.is_used = true;
            return Ok(symbol.operand);
        }
        match name {
            "pi" => self.push(Operation::Literal(std::f32::consts::PI), Kind::Number, at),
            "dt" => self.push(Operation::TimeStep, Kind::Number, at),
            _ if FUNCTIONS.contains(&name) => {
                Err((at, format!("`{name}` is a function; write its arguments in `( )`")))
            }
            _ => {
                let known = self.symbols.iter().map(|symbol| symbol.name.value).chain(CONSTANTS);
                Err((at, format!("there is no `{name}`{}", suggestion(name, known))))
            }
        }
    }

    fn component(&mut self, of: Operand, name: &str, at: usize) -> Result<Operand, Problem> {
        if of.kind == Kind::Point {
            return Err((at, "a point has no components; write `world(a).x` or subtract another point".into()));
        }
        if of.kind == Kind::Number {
            return Err((at, "a number has no components".into()));
        }
        let Some(axis) = ["x", "y", "z"].iter().position(|&axis| axis == name) else {
            return Err((at, format!("a vector has no component `{name}`; it has `x`, `y` and `z`")));
        };
        self.push(Operation::Component(of.place, axis), Kind::Number, at)
    }

    fn add(&mut self, a: Operand, b: Operand, at: usize) -> Result<Operand, Problem> {
        let kind = match (a.kind, b.kind) {
            (Kind::Point, Kind::Vector) | (Kind::Vector, Kind::Point) => Kind::Point,
            (a, b) if a == b && a != Kind::Point => a,
            (a, b) => return Err((at, format!("{} cannot be added to {}", b.text(), a.text()))),
        };
        self.push(Operation::Add([a.place, b.place]), kind, at)
    }

    fn subtract(&mut self, a: Operand, b: Operand, at: usize) -> Result<Operand, Problem> {
        let kind = match (a.kind, b.kind) {
            (Kind::Point, Kind::Point) => Kind::Vector,
            (Kind::Point, Kind::Vector) => Kind::Point,
            (a, b) if a == b => a,
            (a, b) => return Err((at, format!("{} cannot be subtracted from {}", b.text(), a.text()))),
        };
        self.push(Operation::Subtract([a.place, b.place]), kind, at)
    }

    fn multiply(&mut self, a: Operand, b: Operand, at: usize) -> Result<Operand, Problem> {
        let kind = match (a.kind, b.kind) {
            (Kind::Number, Kind::Number) => Kind::Number,
            (Kind::Vector, Kind::Number) | (Kind::Number, Kind::Vector) => Kind::Vector,
            (Kind::Vector, Kind::Vector) => {
                return Err((at, "two vectors have two products; write `dot(a, b)` or `cross(a, b)`".into()));
            }
            _ => return Err((at, "a point cannot be multiplied; subtract another point first".into())),
        };
        self.push(Operation::Multiply([a.place, b.place]), kind, at)
    }

    fn choose(&mut self, [a, b, then, otherwise]: [Operand; 4], at: usize) -> Result<Operand, Problem> {
        if [a, b].iter().any(|of| of.kind != Kind::Number) {
            return Err((at, "`if` compares two numbers".into()));
        }
        if then.kind != otherwise.kind || then.kind == Kind::Point {
            let (then, otherwise) = (then.kind.text(), otherwise.kind.text());
            return Err((at, format!("`if` chooses between two numbers or two vectors, not {then} and {otherwise}")));
        }
        let places = [a, b, then, otherwise].map(|of| of.place);
        self.push(Operation::IfLess(places), then.kind, at)
    }

    fn call(&mut self, name: &str, arguments: &[Operand], at: usize) -> Result<Operand, Problem> {
        use Kind::{Number, Point, Vector};
        let kinds: Vec<Kind> = arguments.iter().map(|argument| argument.kind).collect();
        let place = |k: usize| arguments[k].place;
        let one = |operation: fn(usize) -> Operation, kind: Kind| (operation(place(0)), kind);
        let two = |operation: fn([usize; 2]) -> Operation, kind: Kind| (operation([place(0), place(1)]), kind);
        let (operation, kind) = match (name, &kinds[..]) {
            ("length", [Vector]) => one(Operation::Length, Number),
            ("distance", [Point, Point]) => {
                let apart = self.subtract(arguments[0], arguments[1], at)?;
                (Operation::Length(apart.place), Number)
            }
            ("dot", [Vector, Vector]) => two(Operation::Dot, Number),
            ("cross", [Vector, Vector]) => two(Operation::Cross, Vector),
            ("normalize", [Vector]) => one(Operation::Normalize, Vector),
            ("abs", [Number]) => one(Operation::Abs, Number),
            ("sqrt", [Number]) => one(Operation::Sqrt, Number),
            ("round", [Number]) => one(Operation::Round, Number),
            ("sin", [Number]) => one(Operation::Sin, Number),
            ("cos", [Number]) => one(Operation::Cos, Number),
            ("acos", [Number]) => one(Operation::Acos, Number),
            ("atan2", [Number, Number]) => two(Operation::Atan2, Number),
            ("min", [Number, Number]) => two(Operation::Min, Number),
            ("max", [Number, Number]) => two(Operation::Max, Number),
            ("clamp", [Number, Number, Number]) => {
                let low = self.push(Operation::Max([place(0), place(1)]), Number, at)?;
                (Operation::Min([low.place, place(2)]), Number)
            }
            ("before", [Point]) => match self.tape.operations[place(0)] {
                Operation::Now(k) => (Operation::Before(k), Point),
                _ => return Err((at, "`before` takes one of the points of the constraint".into())),
            },
            ("world", [Point]) => one(Operation::World, Vector),
            ("axis", [Point]) => one(Operation::Axis, Vector),
            _ => return Err((at, refused(name, &kinds))),
        };
        self.push(operation, kind, at)
    }
}

/// Says why there is no function of this name for these arguments.
fn refused(name: &str, kinds: &[Kind]) -> String {
    let wanted = match name {
        "length" | "normalize" => "a vector",
        "distance" => "two points",
        "dot" | "cross" => "two vectors",
        "abs" | "sqrt" | "round" | "sin" | "cos" | "acos" => "a number",
        "atan2" | "min" | "max" => "two numbers",
        "clamp" => "three numbers",
        "before" | "world" | "axis" => "a point",
        _ => return format!("there is no function `{name}`{}", suggestion(name, FUNCTIONS.into_iter())),
    };
    let given: Vec<&str> = kinds.iter().map(|kind| kind.text()).collect();
    format!("`{name}` takes {wanted}, not {}", given.join(" and "))
}

/// Returns a question for what was meant, if a known name is near.
fn suggestion<'a>(name: &str, known: impl Iterator<Item = &'a str>) -> String {
    let near = known.map(|known| (strsim::damerau_levenshtein(name, known), known)).min();
    match near {
        Some((edits, known)) if edits <= 2 && edits < name.chars().count() => format!("; did you mean `{known}`?"),
        _ => String::new(),
    }
}

/// Takes the last operands of a stack. The grammar leaves as many as its items need.
fn take<const COUNT: usize>(stack: &mut Vec<Operand>) -> [Operand; COUNT] {
    let first = stack.len().saturating_sub(COUNT);
    let mut taken = stack.drain(first..);
    std::array::from_fn(|_| taken.next().unwrap_or(Operand { place: 0, kind: Kind::Number }))
}
