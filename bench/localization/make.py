#!/usr/bin/env python3
"""Makes cases.jsonl, train.jsonl and learn.jsonl from the clones: make.py CLONES [--set cases|train|learn] [--per-repo N]

CLONES is what fetch.py filled. The choice follows from repositories.json and a seed alone. README.md has the rules."""
import argparse, collections, hashlib, json, os, re
from history import EXTENSIONS, GENERATED, HERE, MORE_EXTENSIONS, clone, git, names, question, source

SEED = "peelback"
MOST_GOLD, FEWEST_WORDS, FEWEST_FILES = 3, 8, 15
MOST_NAMING, MOST_OF_A_FILE = 4, 8  # one of four cases may name its file, one of eight may share a gold file
# Subjects that describe no change of behaviour or structure.
DROPPED = re.compile(r"""(?ix)
    ^ (?:docs?|documentation|readme|changelog|chore|ci|build|deps|style|tests?|testing|release|lint|pkg\S*|bench\w*|examples?|website|cargo|msrv|polish) (?:\([^)]*\))? !? :
  | ^ (?:fix|feat|refactor|perf) \((?:deps(?:-dev)?|docs?|tests?|ci|release|build|lint)\) !? :
  | ^ v?\d+\.\d+ | ^ [\w-]+[- ]v?\d+\.\d+(?:\.\d+)? \.? $ | ^ (?:\S+:\s+)? (?:bump|release|prepare|cut|tag)\b
  | \b version \s (?:bump|to)\b | \b bump (?:s|ed)? \b | \b dependabot \b | \b dependenc(?:y|ies) \b
  | ^ (?:\S+:\s+)? (?:update|upgrade)\b.*\bto\s+v?\d+(?:\.\d+)
  | \b (?:revert(?:s|ed|ing)? | reapply | reland) \b
  | \b (?:typos? | misspell\w* | spelling | whitespace | indentation | copyright | licen[cs]e | readme | changelog | github\sactions) \b
  | \b (?:rustfmt | gofmt | goimports\s-w | cargo\sfmt | clippy | prettier | eslint | biome | clang-format | black | isort | flake8 | pre-commit | linter? | lints | linting | golint | staticcheck) \b
  | ^ (?:\S+:\s+)? (?:fix\s|run\s|apply\s|code\s)? (?:format|formatting|style|reformat) \b
  | ^ (?:\S+:\s+)? (?:(?:fix|update|improve|add|clarify|tweak|correct|remove|polish|clean\s?up)\w*\s+)? (?:\w+\s+)? (?:docs?|documentation|docstrings?|doc\scomments?|comments?|tests?|godoc) \b
  | \b review \s (?:feedback | comments?) \b | \b flak[ey]\w* \b | \b backport | \b docstrings? \b | ^ (?:\S+:\s+)? document \b | \b latest \s version \b
  | ^ merge\b | ^ wip\b | ^ \[?(?:gopls-release|release-branch)""")
COMMENT = re.compile(r"^(//|/\*|\*|#(?!\[|!|\s*(include|define|if|ifdef|ifndef|else|elif|endif|undef|pragma|error)\b)|<!--|\"\"\"|'''|$)")


def commits(folder, repository):
    """Each single-parent commit: id, parent, message, [(status, path, blob of the parent)]."""
    out = git(folder, "log", repository["head"], "--no-merges", "--since", repository["since"], "--raw", "--no-abbrev", "--no-renames",
              "-z", "--format=%x01%H%x02%P%x02%B%x03")
    for record in out.decode("utf-8", "replace").split("\x01")[1:]:
        head, _, rest = record.partition("\x03")
        commit, parents, message = head.split("\x02")
        fields, changes = rest.strip("\0\n").split("\0"), []
        for entry, path in zip(fields[::2], fields[1::2]):
            if entry.lstrip("\n").startswith(":"):
                mode, _, blob, _, status = entry.strip().lstrip(":").split(" ")
                changes.append((status[:1], path, blob))
        if len(parents.split()) == 1:
            yield commit, parents, message, changes


def code_changed(folder, parent, commit, path):
    """Whether more than comments, blank lines and spaces changed."""
    diff = git(folder, "diff", "-U0", "-w", "--ignore-blank-lines", "--no-color", parent, commit, "--", path).decode("utf-8", "replace")
    body = diff.partition("\n@@")[2].split("\n")[1:]
    return any(line[:1] in "+-" and line and not COMMENT.match(line[1:].strip()) for line in body)


def cases(clones, repository, wanted, told, extensions):
    folder, pool, taken, named = clone(clones, repository["repo"]), [], [], 0
    seen, of_file = set(), collections.Counter()
    for commit, parent, message, changes in commits(folder, repository):
        told["commits"] += 1
        text = question(message)
        gold = [(path, blob) for status, path, blob in changes if status == "M" and source(path, extensions)]
        if not 1 <= len(gold) <= MOST_GOLD or any(status in "DT" and source(path, extensions) for status, path, _ in changes):
            told["dropped: gold files"] += 1
        elif DROPPED.search(text.split("\n")[0]) or "This reverts commit" in text:
            told["dropped: subject"] += 1
        elif sum(any(c.isalpha() for c in word) for word in text.split()) < FEWEST_WORDS:
            told["dropped: short"] += 1
        else:
            pool.append((hashlib.sha256((SEED + commit).encode()).hexdigest(), commit, parent, text, gold))
    told["pool"] = len(pool)
    for _, commit, parent, text, gold in sorted(pool):
        if len(taken) == wanted:
            break
        if text in seen:
            continue
        seen.add(text)
        try:
            paths = [path for path, blob in gold if not GENERATED.search(git(folder, "cat-file", "blob", blob)[:3000])
                     and code_changed(folder, parent, commit, path)]
        except Exception:  # a blob that the clone lacks
            told["dropped: blob"] += 1
            continue
        tree = git(folder, "ls-tree", "-rz", "--name-only", parent).decode("utf-8", "replace").split("\0")
        if not paths or sum(source(path, extensions) for path in tree) < FEWEST_FILES:
            told["dropped: comments, generated or a small tree"] += 1
            continue
        if any(of_file[path] >= wanted // MOST_OF_A_FILE for path in paths):
            told["dropped: the file has its share"] += 1
            continue
        says = any(names(text, path) for path in paths)
        if says and named >= wanted // MOST_NAMING:
            told["dropped: names its file"] += 1
            continue
        named += says
        of_file.update(paths)
        taken.append({"repo": repository["repo"], "language": repository["language"], "commit": commit, "gold": sorted(paths)})
    told["taken"], told["naming"] = len(taken), named
    return sorted(taken, key=lambda case: case["commit"])


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("clones")
    parser.add_argument("--set", choices=("cases", "train", "learn"), action="append", help="by default all")
    parser.add_argument("--per-repo", type=int, help="by default 40, and 24 of the set learn")
    options = parser.parse_args()
    with open(os.path.join(HERE, "repositories.json")) as text:
        repositories = json.load(text)
    for name in options.set or ("cases", "train", "learn"):
        lines = []
        for repository in repositories[name]:
            told = collections.Counter()
            wanted = options.per_repo or (24 if name == "learn" else 40)
            extensions = MORE_EXTENSIONS if name == "learn" else EXTENSIONS
            lines += [json.dumps(case) + "\n" for case in cases(options.clones, repository, wanted, told, extensions)]
            print(name, repository["repo"], dict(told))
        with open(os.path.join(HERE, name + ".jsonl"), "w") as out:
            out.writelines(lines)


if __name__ == "__main__":
    main()
