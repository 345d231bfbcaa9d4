//! Marks the names that patterns bind, the keys of patterns, and types, in the tokens of an expression.

use super::tokens::{Bracket, Mark, TokenKind, Tokens};

/// How many tokens a type may have where only its end tells whether it is one.
const MAX_GUESSED_TYPE_TOKENS: usize = 32;

/// What a bracket of a pattern holds.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Part {
    /// Names or patterns, separated by commas.
    List,
    /// Keys with names or patterns.
    Object,
}

/// Marks the names that the patterns from `from` to before `to` bind: parameters or declarators, separated by commas.
/// Default values stay as they are.
pub(super) fn mark_patterns(tokens: &mut Tokens, source: &str, from: usize, to: usize) {
    let mut open = vec![(Part::List, to)];
    let mut at = from;
    // Whether the name or pattern of the current part is still to come.
    let mut is_at_start = true;
    while let Some((part, end)) = open.last().copied() {
        if at >= end.min(tokens.len()) {
            open.pop();
            at = end + 1;
            is_at_start = false;
            continue;
        }
        let Some(kind) = tokens.kind(at) else { break };
        match kind {
            TokenKind::Comma => {
                is_at_start = true;
                at += 1;
            }
            TokenKind::Spread => at += 1,
            TokenKind::Word | TokenKind::Literal if is_at_start && is_key_of_pattern(tokens, part, at) => {
                tokens.mark(at, Mark::Key);
                at += 2;
            }
            TokenKind::Word if is_at_start => {
                let is_modifier = tokens.kind(at + 1) == Some(TokenKind::Word)
                    && matches!(tokens.text(source, at), "public" | "private" | "protected" | "readonly");
                tokens.mark(at, if is_modifier { Mark::Key } else { Mark::Binding });
                is_at_start = is_modifier;
                at += 1;
            }
            TokenKind::Open(Bracket::Square) if is_at_start && part == Part::Object => {
                // A computed key stays an expression.
                at = tokens.index_after(at);
                if tokens.kind(at) == Some(TokenKind::Colon) {
                    at += 1;
                }
            }
            TokenKind::Open(bracket @ (Bracket::Brace | Bracket::Square)) if is_at_start => {
                let inside = if bracket == Bracket::Brace { Part::Object } else { Part::List };
                open.push((inside, tokens.closing_bracket_index(at)));
                tokens.mark(at, Mark::Pattern);
                at += 1;
            }
            TokenKind::Colon if !is_at_start && part == Part::List => {
                let type_end = index_after_type(tokens, source, at + 1, end);
                mark_type(tokens, at, type_end);
                at = type_end;
            }
            TokenKind::Question if !is_at_start => {
                tokens.mark(at, Mark::Type);
                at += 1;
            }
            TokenKind::Assign => {
                is_at_start = false;
                at = index_of_comma(tokens, at + 1, end);
            }
            _ => at = tokens.index_after(at),
        }
    }
}

/// Whether the token at `at` is a key in the pattern of an object, with a name or pattern behind its colon.
fn is_key_of_pattern(tokens: &Tokens, part: Part, at: usize) -> bool {
    part == Part::Object && tokens.kind(at + 1) == Some(TokenKind::Colon)
}

/// The index of the next comma on the level of the token at `from`, or `end`.
fn index_of_comma(tokens: &Tokens, from: usize, end: usize) -> usize {
    let mut at = from;
    while at < end && !matches!(tokens.kind(at), None | Some(TokenKind::Comma)) {
        at = tokens.index_after(at);
    }
    at.min(end)
}

/// Marks the tokens from `from` to before `to` as parts of a type.
pub(super) fn mark_type(tokens: &mut Tokens, from: usize, to: usize) {
    for at in from..to {
        tokens.mark(at, Mark::Type);
    }
}

/// The index behind the type that begins at `from` and ends before `end` at the latest.
pub(super) fn index_after_type(tokens: &Tokens, source: &str, from: usize, end: usize) -> usize {
    let mut at = from;
    let mut angles = 0_usize;
    // Whether a type is expected: at the start and behind an operator of types.
    let mut is_type_due = true;
    while at < end {
        let Some(kind) = tokens.kind(at) else { break };
        match kind {
            TokenKind::Less => {
                angles += 1;
                is_type_due = true;
            }
            TokenKind::Greater if angles == 0 => break,
            TokenKind::Greater => {
                angles -= 1;
                is_type_due = false;
            }
            TokenKind::Comma if angles == 0 => break,
            TokenKind::Comma | TokenKind::Arrow | TokenKind::Dot => is_type_due = true,
            TokenKind::Operator if matches!(tokens.text(source, at), "|" | "&") => is_type_due = true,
            TokenKind::Word => {
                let text = tokens.text(source, at);
                let is_type_operator = matches!(text, "keyof" | "typeof" | "readonly" | "infer" | "unique" | "new");
                let joins = matches!(text, "is" | "extends") && angles > 0;
                if !is_type_due && !joins {
                    break;
                }
                is_type_due = is_type_operator || joins;
            }
            TokenKind::Open(Bracket::Square) if !is_type_due => {}
            TokenKind::Open(_) | TokenKind::Literal if is_type_due => is_type_due = false,
            _ => break,
        }
        at = tokens.index_after(at);
    }
    at.min(end)
}

/// Whether the tokens from `from` on are a type with `=>` behind it: the result of an arrow function.
pub(super) fn is_type_before_arrow(tokens: &Tokens, source: &str, from: usize) -> bool {
    let limit = from.saturating_add(MAX_GUESSED_TYPE_TOKENS).min(tokens.len());
    let mut at = from;
    while at < limit {
        match tokens.kind(at) {
            Some(TokenKind::Arrow) => return at > from,
            Some(TokenKind::Word | TokenKind::Dot | TokenKind::Less | TokenKind::Greater | TokenKind::Comma) => {}
            Some(TokenKind::Open(Bracket::Square | Bracket::Brace)) => {}
            Some(TokenKind::Operator) if matches!(tokens.text(source, at), "|" | "&") => {}
            _ => return false,
        }
        at = tokens.index_after(at);
    }
    false
}

/// The index behind the type arguments that begin with the `<` at `less`, if they are those of a call; they are a
/// comparison otherwise.
pub(super) fn index_after_type_arguments(tokens: &Tokens, source: &str, less: usize) -> Option<usize> {
    let limit = less.saturating_add(MAX_GUESSED_TYPE_TOKENS).min(tokens.len());
    let mut at = less;
    let mut angles = 0_usize;
    while at < limit {
        match tokens.kind(at)? {
            TokenKind::Less => angles += 1,
            TokenKind::Greater => {
                angles = angles.checked_sub(1)?;
                if angles == 0 {
                    let is_call = tokens.kind(at + 1) == Some(TokenKind::Open(Bracket::Paren));
                    return is_call.then_some(at + 1);
                }
            }
            TokenKind::Word | TokenKind::Dot | TokenKind::Comma | TokenKind::Literal => {}
            TokenKind::Open(Bracket::Square | Bracket::Brace) => {}
            TokenKind::Operator if matches!(tokens.text(source, at), "|" | "&") => {}
            _ => return None,
        }
        at = tokens.index_after(at);
    }
    None
}
