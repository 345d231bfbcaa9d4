#![allow(missing_docs, clippy::all, clippy::pedantic, clippy::restriction)]
fn main() {
    let src = std::io::read_to_string(std::io::stdin()).unwrap();
    let mut p = tree_sitter::Parser::new();
    p.set_language(&tree_sitter::Language::from(tree_sitter_kotlin_ng::LANGUAGE)).unwrap();
    let t = p.parse(&src, None).unwrap();
    fn go(n: tree_sitter::Node, d: usize, src: &str) {
        if n.is_named() || d < 40 { let t = &src[n.byte_range()]; println!("{}{}{} {:?}", " ".repeat(d), if n.is_named() {""} else {"'"}, n.kind(), t.chars().take(40).collect::<String>()); }
        let mut c = n.walk();
        for k in n.children(&mut c) { go(k, d + 1, src); }
    }
    go(t.root_node(), 0, &src);
}
