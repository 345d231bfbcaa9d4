fn main() {
    for p in std::io::stdin().lines().map_while(Result::ok) {
        let Ok(b) = std::fs::read(&p) else { continue };
        let t = String::from_utf8_lossy(&b);
        println!("{} {p}", peelback_syntax::language::of_file("x.h", &t).map_or("none", |l| l.name));
    }
}
