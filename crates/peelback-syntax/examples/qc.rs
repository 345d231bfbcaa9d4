fn main() {
    for (l, g) in [
        ("java", tree_sitter_java::LANGUAGE),
        ("cpp", tree_sitter_cpp::LANGUAGE),
        ("c_sharp", tree_sitter_c_sharp::LANGUAGE),
        ("ruby", tree_sitter_ruby::LANGUAGE),
        ("php", tree_sitter_php::LANGUAGE_PHP),
        ("kotlin", tree_sitter_kotlin_ng::LANGUAGE),
        ("swift", tree_sitter_swift::LANGUAGE),
        ("scala", tree_sitter_scala::LANGUAGE),
        ("bash", tree_sitter_bash::LANGUAGE),
        ("lua", tree_sitter_lua::LANGUAGE),
    ] {
        let q = std::fs::read_to_string(format!("{}/{l}/outline.scm", std::env::args().nth(1).unwrap())).unwrap();
        let t = std::time::Instant::now();
        match tree_sitter::Query::new(&g.into(), &q) {
            Ok(_) => println!("{l} ok {:?}", t.elapsed()),
            Err(e) => println!("{l}: {e}"),
        }
    }
}
