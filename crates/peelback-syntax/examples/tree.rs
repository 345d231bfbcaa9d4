use tree_sitter::*;
fn main() {
    let p = std::env::args().nth(1).unwrap();
    let t = std::fs::read_to_string(&p).unwrap();
    let g: Language = match p.rsplit('.').next().unwrap() {
        "java" => tree_sitter_java::LANGUAGE.into(),
        "cpp" | "hpp" => tree_sitter_cpp::LANGUAGE.into(),
        "cs" => tree_sitter_c_sharp::LANGUAGE.into(),
        "rb" => tree_sitter_ruby::LANGUAGE.into(),
        "php" => tree_sitter_php::LANGUAGE_PHP.into(),
        "kt" => tree_sitter_kotlin_ng::LANGUAGE.into(),
        "swift" => tree_sitter_swift::LANGUAGE.into(),
        "scala" => tree_sitter_scala::LANGUAGE.into(),
        "sh" => tree_sitter_bash::LANGUAGE.into(),
        "lua" => tree_sitter_lua::LANGUAGE.into(),
        _ => panic!(),
    };
    let mut ps = Parser::new();
    ps.set_language(&g).unwrap();
    let tr = ps.parse(&t, None).unwrap();
    let mut c = tr.walk();
    let mut d = 0;
    'w: loop {
        let n = c.node();
        let tx = &t[n.byte_range()];
        if n.is_named() || n.is_error() || n.is_missing() {
            println!(
                "{}{}{}{} {}-{} {}",
                " ".repeat(d),
                c.field_name().map(|f| format!("{f}: ")).unwrap_or_default(),
                n.kind(),
                if n.is_missing() { " MISSING" } else { "" },
                n.start_position().row + 1,
                n.end_position().row + 1,
                if n.child_count() == 0 { tx } else { "" }
            );
        } else if std::env::args().nth(2).is_some() {
            println!(
                "{}{}\"{}\"",
                " ".repeat(d),
                c.field_name().map(|f| format!("{f}: ")).unwrap_or_default(),
                n.kind()
            );
        }
        if c.goto_first_child() {
            d += 1;
            continue;
        }
        while !c.goto_next_sibling() {
            if !c.goto_parent() {
                break 'w;
            }
            d -= 1;
        }
    }
}
