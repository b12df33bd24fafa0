//! The grammar: from text to statements in postfix order.

use winnow::ascii::{digit1, multispace1, till_line_ending};
use winnow::combinator::{self, Infix, alt, cut_err, eof, fail, opt, peek, preceded, repeat, separated, terminated};
use winnow::error::{ContextError, ErrMode, StrContext, StrContextValue};
use winnow::prelude::*;
use winnow::stream::{LocatingSlice, Location};
use winnow::token::{any, one_of, take_while};

/// Deepest nesting of parentheses: the parser calls itself for each.
const MAX_DEPTH: usize = 32;

/// A part of a text, and the byte at which it begins.
#[derive(Debug, Clone, Copy)]
pub(super) struct Spanned<T> {
    pub value: T,
    pub at: usize,
}

/// An element of an expression in postfix order: what it works on stands before it.
#[derive(Debug, Clone, Copy)]
pub(super) enum Item<'t> {
    Number(f32),
    Name(&'t str),
    /// A function of this many arguments.
    Call(&'t str, usize),
    Component(&'t str),
    Negate,
    Add,
    Subtract,
    Multiply,
    Divide,
    /// A vector of three numbers.
    Vector,
    /// One of the last two of four, depending on which of the first two is smaller.
    IfLess,
    IfGreater,
}

pub(super) type Expression<'t> = Vec<Spanned<Item<'t>>>;

/// How the two sides of a row are related.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Relation {
    Equal,
    AtMost,
    AtLeast,
}

pub(super) enum Statement<'t> {
    Let(Spanned<&'t str>, Expression<'t>),
    Row(Expression<'t>, Spanned<Relation>, Expression<'t>),
}

/// A parameter, and whether it is a vector.
pub(super) struct Parameter<'t> {
    pub name: Spanned<&'t str>,
    pub is_vector: bool,
}

/// A constraint as it is written.
pub(super) struct Definition<'t> {
    pub name: &'t str,
    pub points: Vec<Spanned<&'t str>>,
    pub parameters: Vec<Parameter<'t>>,
    pub statements: Vec<Statement<'t>>,
}

/// Reads a text. An error has the byte at which it was found.
pub(super) fn parse(text: &str) -> Result<Definition<'_>, (usize, String)> {
    let mut depth = 0_usize;
    for (at, character) in text.char_indices() {
        depth = match character {
            '(' => depth + 1,
            ')' => depth.saturating_sub(1),
            _ => depth,
        };
        if depth > MAX_DEPTH {
            return Err((at, format!("parentheses are nested more than {MAX_DEPTH} deep; name parts by `let`")));
        }
    }
    definition.parse(LocatingSlice::new(text)).map_err(|error| {
        let expected = error.inner().context().find_map(|context| match context {
            StrContext::Expected(StrContextValue::Description(what)) => Some(*what),
            _ => None,
        });
        (error.offset(), format!("expected {}", expected.unwrap_or("something else")))
    })
}

type Input<'t> = LocatingSlice<&'t str>;

fn expected(what: &'static str) -> StrContext {
    StrContext::Expected(StrContextValue::Description(what))
}

/// Spaces and comments.
fn space(input: &mut Input<'_>) -> ModalResult<()> {
    repeat(0.., alt((multispace1.void(), ("//", till_line_ending).void()))).parse_next(input)
}

fn symbol<'t>(text: &'static str) -> impl Parser<Input<'t>, (), ErrMode<ContextError>> {
    (text, space).void()
}

fn name<'t>(input: &mut Input<'t>) -> ModalResult<Spanned<&'t str>> {
    let at = input.current_token_start();
    let is_first = |c: char| c.is_alphabetic() || c == '_';
    let word = (one_of(is_first), take_while(0.., |c: char| c.is_alphanumeric() || c == '_')).take();
    let value = terminated(word, space).parse_next(input)?;
    Ok(Spanned { value, at })
}

fn definition<'t>(input: &mut Input<'t>) -> ModalResult<Definition<'t>> {
    space.parse_next(input)?;
    let title = name.context(expected("the name of the constraint")).parse_next(input)?;
    cut_err(symbol("(")).context(expected("`(` and the names of points")).parse_next(input)?;
    let points = separated(1.., name, symbol(","));
    let points = cut_err(points).context(expected("the name of a point")).parse_next(input)?;
    let parameters = separated(1.., parameter, symbol(","));
    let parameters = cut_err(opt(preceded(symbol(";"), cut_err(parameters))));
    let parameters = parameters.context(expected("the name of a parameter")).parse_next(input)?.unwrap_or_default();
    cut_err(symbol(")")).context(expected("`,`, `;` or `)`")).parse_next(input)?;
    cut_err(symbol(":")).context(expected("`:`")).parse_next(input)?;
    let mut statements = vec![cut_err(statement).parse_next(input)?];
    while opt(symbol(";")).parse_next(input)?.is_some() {
        if peek(opt(eof)).parse_next(input)?.is_some() {
            break;
        }
        statements.push(cut_err(statement).parse_next(input)?);
    }
    cut_err(eof).context(expected("an operator, `;` or the end")).parse_next(input)?;
    Ok(Definition { name: title.value, points, parameters, statements })
}

fn parameter<'t>(input: &mut Input<'t>) -> ModalResult<Parameter<'t>> {
    let name = name.parse_next(input)?;
    let vector = cut_err(terminated("vector", space)).context(expected("`vector`"));
    let is_vector = opt(preceded(symbol(":"), vector)).parse_next(input)?.is_some();
    Ok(Parameter { name, is_vector })
}

fn statement<'t>(input: &mut Input<'t>) -> ModalResult<Statement<'t>> {
    let keyword = (name.verify(|word| word.value == "let"), peek(name));
    if opt(keyword).parse_next(input)?.is_some() {
        let name = name.parse_next(input)?;
        cut_err(symbol("=")).context(expected("`=`")).parse_next(input)?;
        return Ok(Statement::Let(name, cut_err(expression).parse_next(input)?));
    }
    let left = expression.parse_next(input)?;
    let at = input.current_token_start();
    let relation = alt((
        symbol("<=").value(Relation::AtMost),
        symbol(">=").value(Relation::AtLeast),
        symbol("=").value(Relation::Equal),
    ));
    let value = cut_err(relation).context(expected("an operator, `=`, `<=` or `>=`")).parse_next(input)?;
    let right = cut_err(expression).parse_next(input)?;
    Ok(Statement::Row(left, Spanned { value, at }, right))
}

/// Appends an operator to its two operands; it stands where the second one does.
fn joined<'t>(mut left: Expression<'t>, right: Expression<'t>, operator: Item<'t>) -> Expression<'t> {
    let at = right.first().map_or(0, |first| first.at);
    left.extend(right);
    left.push(Spanned { value: operator, at });
    left
}

fn expression<'t>(input: &mut Input<'t>) -> ModalResult<Expression<'t>> {
    let infix = alt((
        symbol("+").value(Infix::Left(1, |_: &mut _, a, b| Ok(joined(a, b, Item::Add)))),
        symbol("-").value(Infix::Left(1, |_: &mut _, a, b| Ok(joined(a, b, Item::Subtract)))),
        symbol("*").value(Infix::Left(2, |_: &mut _, a, b| Ok(joined(a, b, Item::Multiply)))),
        symbol("/").value(Infix::Left(2, |_: &mut _, a, b| Ok(joined(a, b, Item::Divide)))),
    ));
    combinator::expression(cut_err(operand)).infix(infix).parse_next(input)
}

/// A number, a name, a call or what stands in parentheses, with signs before and components behind it.
fn operand<'t>(input: &mut Input<'t>) -> ModalResult<Expression<'t>> {
    let at = input.current_token_start();
    let signs: usize = repeat(0.., symbol("-")).parse_next(input)?;
    let mut operand = primary.parse_next(input)?;
    while let Some(component) = opt(preceded(symbol("."), name)).parse_next(input)? {
        operand.push(Spanned { value: Item::Component(component.value), at: component.at });
    }
    if signs % 2 == 1 {
        operand.push(Spanned { value: Item::Negate, at });
    }
    Ok(operand)
}

fn primary<'t>(input: &mut Input<'t>) -> ModalResult<Expression<'t>> {
    let at = input.current_token_start();
    match peek(opt(any)).parse_next(input)? {
        Some('0'..='9') => number.parse_next(input),
        Some('(') => in_parentheses.parse_next(input),
        Some(c) if c.is_alphabetic() || c == '_' => {
            let name = name.parse_next(input)?;
            if opt(symbol("(")).parse_next(input)?.is_none() {
                return Ok(vec![Spanned { value: Item::Name(name.value), at }]);
            }
            if name.value == "if" { choice(at, input) } else { call(name, input) }
        }
        _ => fail.context(expected("a number, a name, `-` or `(`")).parse_next(input),
    }
}

fn number<'t>(input: &mut Input<'t>) -> ModalResult<Expression<'t>> {
    let at = input.current_token_start();
    let fraction = ('.', digit1);
    let exponent = (one_of(['e', 'E']), opt(one_of(['+', '-'])), digit1);
    let digits = (digit1, opt(fraction), opt(exponent)).take();
    let value = terminated(digits, space).parse_next(input)?;
    // Digits are a number, if a large one.
    Ok(vec![Spanned { value: Item::Number(value.parse().unwrap_or(f32::INFINITY)), at }])
}

/// The rest of a list in parentheses, to its end.
fn arguments<'t>(input: &mut Input<'t>) -> ModalResult<Vec<Expression<'t>>> {
    let list = separated(1.., expression, symbol(",")).parse_next(input)?;
    cut_err(symbol(")")).context(expected("an operator, `,` or `)`")).parse_next(input)?;
    Ok(list)
}

fn call<'t>(name: Spanned<&'t str>, input: &mut Input<'t>) -> ModalResult<Expression<'t>> {
    let list = cut_err(arguments).parse_next(input)?;
    let item = Item::Call(name.value, list.len());
    let mut items = list.concat();
    items.push(Spanned { value: item, at: name.at });
    Ok(items)
}

fn in_parentheses<'t>(input: &mut Input<'t>) -> ModalResult<Expression<'t>> {
    let at = input.current_token_start();
    let list = preceded(symbol("("), cut_err(arguments)).parse_next(input)?;
    let is_vector = match list.len() {
        1 => false,
        3 => true,
        _ => {
            return cut_err(fail)
                .context(expected("one expression or the three components of a vector"))
                .parse_next(input);
        }
    };
    let mut items = list.concat();
    items.extend(is_vector.then_some(Spanned { value: Item::Vector, at }));
    Ok(items)
}

/// The rest of `if(a < b, then, otherwise)`.
fn choice<'t>(at: usize, input: &mut Input<'t>) -> ModalResult<Expression<'t>> {
    let mut items = expression.parse_next(input)?;
    let order = alt((symbol("<").value(Item::IfLess), symbol(">").value(Item::IfGreater)));
    let value = cut_err(order).context(expected("an operator, `<` or `>`")).parse_next(input)?;
    items.extend(cut_err(expression).parse_next(input)?);
    for _ in 0..2 {
        cut_err(symbol(",")).context(expected("an operator or `,`")).parse_next(input)?;
        items.extend(cut_err(expression).parse_next(input)?);
    }
    cut_err(symbol(")")).context(expected("an operator or `)`")).parse_next(input)?;
    items.push(Spanned { value, at });
    Ok(items)
}
