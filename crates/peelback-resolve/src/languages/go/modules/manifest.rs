//! Reads the paths in `go.mod` and `go.work` files.

/// The parts of a `go.mod` or `go.work` file that show where packages are.
#[derive(Debug, PartialEq, Eq, Default)]
pub(super) struct GoManifest {
    pub module: Option<String>,
    /// Replaced module paths, each with the replacement folder, relative to the folder of the manifest.
    pub replaces: Vec<(String, String)>,
}

impl GoManifest {
    pub fn parse(text: &str) -> Self {
        let mut manifest = Self::default();
        let mut block: Option<&str> = None;
        for line in text.lines() {
            let line = line.split_once("//").map_or(line, |(line, _)| line).trim();
            match (line.split_once([' ', '\t', '(']), block) {
                _ if line.is_empty() => {}
                _ if line == ")" => block = None,
                (_, Some(directive)) => manifest.apply_directive(directive, line),
                (Some((directive, _)), None) => {
                    let rest = line.get(directive.len()..).unwrap_or("").trim();
                    if rest == "(" {
                        block = Some(directive);
                    } else {
                        manifest.apply_directive(directive, rest);
                    }
                }
                (None, None) => {}
            }
        }
        manifest
    }

    fn apply_directive(&mut self, directive: &str, line: &str) {
        match directive {
            "module" => self.module = Some(strip_quotes(line).to_owned()),
            "replace" => {
                let Some((old, new)) = line.split_once("=>") else { return };
                let (Some(old), Some(new)) = (old.split_whitespace().next(), new.split_whitespace().next()) else {
                    return;
                };
                let (old, new) = (strip_quotes(old), strip_quotes(new));
                // A replacement that does not begin with a dot is the path of another module, not a folder.
                if matches!(new, "." | "..") || new.starts_with("./") || new.starts_with("../") {
                    self.replaces.push((old.to_owned(), new.to_owned()));
                }
            }
            _ => {}
        }
    }
}

fn strip_quotes(text: &str) -> &str {
    text.trim_matches(['"', '`'])
}

#[cfg(test)]
mod tests {
    use super::GoManifest;

    #[test]
    fn blocks_quotes_and_comments() {
        let text = "// module no\nmodule \"example.com/a\" // b\ngo 1.22\nrequire (\n\tx.y/z v1.0.0\n)\nreplace x.y/z => ../z\nreplace (\n\tp.q/r v1.2.3 => ./r // r\n\ts => t.u/v v1.0.0\n)\n";
        let manifest = GoManifest::parse(text);
        assert_eq!(manifest.module.as_deref(), Some("example.com/a"));
        let pair = |a: &str, b: &str| (a.to_owned(), b.to_owned());
        assert_eq!(manifest.replaces, [pair("x.y/z", "../z"), pair("p.q/r", "./r")]);
    }
}
