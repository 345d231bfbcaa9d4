use peelback_syntax::*;
use std::time::*;
fn main() {
    let mut tp = Duration::ZERO;
    let mut ta = Duration::ZERO;
    let mut n = 0;
    let mut bytes = 0;
    let mut nsym = 0;
    let mut bad = 0;
    let lim = Limits { base: Duration::from_secs(20), ..Limits::default() };
    for p in std::io::stdin().lines().map_while(Result::ok) {
        let Ok(b) = std::fs::read(&p) else { continue };
        let t = String::from_utf8_lossy(&b).into_owned();
        let name = p.rsplit('/').next().unwrap();
        let Some(l) = language::of_file(name, &t) else { continue };
        parse_only(l, &t, &lim);
        let a = Instant::now();
        parse_only(l, &t, &lim);
        let d1 = a.elapsed();
        let a = Instant::now();
        let f = analyse(l, &t, &lim);
        let d2 = a.elapsed();
        tp += d1;
        ta += d2;
        n += 1;
        bytes += t.len();
        if d2 > d1 * 2 && d2.as_millis() > 20 {
            println!("SLOW {p} {d1:?} {d2:?}");
        }
        let mut seen = std::collections::HashMap::new();
        for (s, _) in walk_symbols(&f.symbols) {
            nsym += 1;
            if let Some(k) = seen.insert((s.bytes.start, s.name.clone()), s.kind) {
                println!("DUP {p}:{} {} {:?} {:?}", s.lines.first, s.qualified_name, k, s.kind);
            }
            if s.name.contains(|c: char| c.is_whitespace())
                && !s.name.starts_with("operator")
                && !s.name.starts_with("extension")
                && l.name != "markdown"
            {
                println!("NAME {p}:{} {:?}", s.lines.first, s.name);
            }
            if s.signature.len() > 400 {
                println!("LONG {p}:{} {} {}", s.lines.first, s.name, s.signature.len());
            }
            if s.signature.is_empty() {
                println!("NOSIG {p}:{} {}", s.lines.first, s.name);
            }
        }
        if f.coverage != Coverage::Whole {
            bad += 1;
            if std::env::args().nth(1).is_some() {
                println!("PART {p} {:?}", f.coverage);
            }
        }
        for w in f.folds.windows(2) {
            if w[0].bytes.end > w[1].bytes.start {
                println!("FOLD {p}")
            }
        }
    }
    println!(
        "{n} files {bytes} bytes {nsym} symbols partial {bad} parse {tp:?} analyse {ta:?} ratio {:.3}",
        (ta.as_secs_f64() - tp.as_secs_f64()) / tp.as_secs_f64()
    );
}
