use peelback_code::{CodeAccess, FactsStore, Project, Question, RankQuery, Weights};
use std::sync::Arc;
fn main() {
    let a: Vec<String> = std::env::args().collect();
    let cases: Vec<serde_json::Value> =
        std::fs::read_to_string(&a[1]).unwrap().lines().map(|l| serde_json::from_str(l).unwrap()).collect();
    let sets: Vec<serde_json::Value> = serde_json::from_str(&std::fs::read_to_string(&a[2]).unwrap()).unwrap();
    for c in &cases {
        let store = Arc::new(FactsStore::default().long_lived());
        let access =
            CodeAccess::new(Project::discover(Some(std::path::Path::new(c["tree"].as_str().unwrap())), None).unwrap())
                .with_store(store);
        let question = Question::new(c["q"].as_str().unwrap());
        let mut out = vec![];
        for s in &sets {
            let w: Weights = serde_json::from_value(s.clone()).unwrap();
            let q = RankQuery { question: question.clone(), weights: w, ..Default::default() };
            let r = access.rank_files(&q).unwrap();
            let passages = if c["ents"].as_array().unwrap().is_empty() {
                vec![]
            } else {
                access.rank_passages(&q).unwrap().passages
            };
            let gold: Vec<&str> = c["gold"].as_array().unwrap().iter().map(|g| g.as_str().unwrap()).collect();
            let rank = r.files.iter().position(|f| gold.contains(&f.path.as_str())).map(|p| p + 1);
            let ents: Vec<&str> = c["ents"].as_array().unwrap().iter().map(|g| g.as_str().unwrap()).collect();
            let er = passages
                .iter()
                .position(|p| {
                    let q = p.symbol.qualified_name.trim_end_matches(".__init__");
                    let id = format!("{}:{}", p.path, q);
                    ents.contains(&id.as_str())
                })
                .map(|p| p + 1);
            let sig = if a.len() > 3 {
                serde_json::json!(
                    r.files.iter().take(100).map(|f| (f.path.clone(), f.score, f.signals)).collect::<Vec<_>>()
                )
            } else {
                serde_json::Value::Null
            };
            out.push(serde_json::json!([rank, er, sig]));
        }
        println!("{}", serde_json::json!({"id": c["id"], "r": out}));
    }
}
