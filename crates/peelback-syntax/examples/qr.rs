use tree_sitter::*;
fn main() {
    let a: Vec<_> = std::env::args().collect();
    let q = std::fs::read_to_string(&a[1]).unwrap();
    let t = std::fs::read_to_string(&a[2]).unwrap();
    let g: Language = match a[2].rsplit('.').next().unwrap() {
        "cpp" => tree_sitter_cpp::LANGUAGE.into(),
        "kt" => tree_sitter_kotlin_ng::LANGUAGE.into(),
        "sh" => tree_sitter_bash::LANGUAGE.into(),
        _ => tree_sitter_lua::LANGUAGE.into(),
    };
    let mut p = Parser::new();
    p.set_language(&g).unwrap();
    let tr = p.parse(&t, None).unwrap();
    let q = Query::new(&g, &q).unwrap();
    let mut c = QueryCursor::new();
    let mut m = c.matches(&q, tr.root_node(), t.as_bytes());
    while let Some(x) = m.next() {
        println!(
            "{} {:?}",
            x.pattern_index,
            x.captures()
                .iter()
                .map(|c| (q.capture_names()[c.index as usize], &t[c.node.byte_range()]))
                .collect::<Vec<_>>()
        );
    }
}
