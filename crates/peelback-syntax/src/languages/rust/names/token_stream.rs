//! A cursor over the tokens of a Rust macro call.

use tree_sitter::Node;

use super::kinds::{Kind, kind_of_node};

/// A cursor over the tokens in one pair of brackets of a macro call, without the brackets and comments.
pub(super) struct TokenCursor<'t> {
    tokens: Vec<(Kind, Node<'t>)>,
    pub at: usize,
}

impl<'t> TokenCursor<'t> {
    pub fn new(tree: Node<'t>) -> Self {
        let mut cursor = tree.walk();
        let all = tree.children(&mut cursor).map(|node| (kind_of_node(node), node));
        let tokens = all.filter(|(kind, _)| {
            !matches!(
                kind,
                Kind::LineComment
                    | Kind::BlockComment
                    | Kind::OpenParen
                    | Kind::OpenBracket
                    | Kind::OpenBrace
                    | Kind::CloseParen
                    | Kind::CloseBracket
                    | Kind::CloseBrace
            )
        });
        Self { tokens: tokens.collect(), at: 0 }
    }

    pub fn peek_token(&self, ahead: usize) -> Option<(Kind, Node<'t>)> {
        self.tokens.get(self.at.saturating_add(ahead)).copied()
    }

    /// The token before the cursor's current token.
    pub fn previous_token(&self) -> Option<(Kind, Node<'t>)> {
        self.tokens.get(self.at.checked_sub(1)?).copied()
    }

    pub fn peek_token_kind(&self, ahead: usize) -> Kind {
        self.peek_token(ahead).map_or(Kind::Other, |(kind, _)| kind)
    }

    pub fn is_at_end(&self) -> bool {
        self.at >= self.tokens.len()
    }

    pub fn next_token(&mut self) -> Option<(Kind, Node<'t>)> {
        let token = self.peek_token(0)?;
        self.at += 1;
        Some(token)
    }

    pub fn consume_token_of_kind(&mut self, kind: Kind) -> Option<Node<'t>> {
        let (found, node) = self.peek_token(0)?;
        if found != kind {
            return None;
        }
        self.at += 1;
        Some(node)
    }

    /// The current token, if it is a bracketed group with the opening bracket `open`.
    pub fn peek_token_tree_with_bracket(&self, open: Kind) -> Option<Node<'t>> {
        let (Kind::TokenTree, node) = self.peek_token(0)? else { return None };
        (node.child(0).map(kind_of_node) == Some(open)).then_some(node)
    }

    pub fn consume_token_tree_with_bracket(&mut self, open: Kind) -> Option<Node<'t>> {
        let tree = self.peek_token_tree_with_bracket(open)?;
        self.at += 1;
        Some(tree)
    }

    /// The index of the next token of this kind, from the cursor's position on.
    pub fn index_of_next_token_of_kind(&self, kind: Kind) -> Option<usize> {
        let ahead = self.tokens.get(self.at..)?.iter().position(|(found, _)| *found == kind)?;
        Some(self.at + ahead)
    }

    /// The number of commas between the token after the current one and the next token of `kind`. Counts the commas in
    /// a closure's parameter list.
    pub fn count_commas_until_kind(&self, kind: Kind) -> usize {
        let rest = self.tokens.get(self.at.saturating_add(1)..).unwrap_or(&[]);
        rest.iter().take_while(|(found, _)| *found != kind).filter(|(found, _)| *found == Kind::Comma).count()
    }

    /// A new cursor over the tokens from the current one up to index `end`, which is not included. This cursor
    /// continues at `end`.
    pub fn take_tokens_until_index(&mut self, end: usize) -> Self {
        let end = end.min(self.tokens.len()).max(self.at);
        let part = self.tokens.get(self.at..end).unwrap_or(&[]).to_vec();
        self.at = end;
        Self { tokens: part, at: 0 }
    }
}
