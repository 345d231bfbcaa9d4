#!/usr/bin/env python3
"""Makes hard.jsonl from hard_picks.jsonl: for every place where a picked method's name stands, a language server is asked for the
definition; where it cannot tell, the pick says what a reader of the code decided.

  make_hard.py --corpora DIR --work DIR [--lang L] [--repo R] [--review FILE]

A pick a line: `repo`, `path`, `qual` and `line` (of the definition), `hard` (its kinds of hardness), and of these as needed:
  at       [path, line] of the definition, where `qual` is an heir's name of an inherited member and `path` the heir's file
  family   [[path, line], ...] definitions of the same family: uses that lead there are neutral
  read     {"path:line": "use" | "other" | "family" | "unknown" | "def"}: settled by reading, overrules the server
  whole    calls that lead to another of the family are uses too (methods of Rust's traits: a call of an implementation calls the trait's)
  rest     the role of all places that the server cannot tell and `read` does not name
With --review the places and what the server said of them are written there for the reader, the undecided ones first."""
import argparse, collections, json, os, shutil, time
import make

make.EXTENSIONS["javascript"] = (".js", ".mjs", ".cjs")
tokens = make.code_and_comments
make.code_and_comments = lambda text, language: tokens(text, "typescript" if language == "javascript" else language)


DEFINITION = make.re.compile(r"\bfn\s+\w+")
ACCESSOR = make.re.compile(r"^\s*(?:\w+\s+)*?(?:get|set)\s+\w+\s*\(")


def start(corpus, root, options):
    """make.start, with the JavaScript corpora opened by tsserver and no file of a Python corpus opened before it is asked about."""
    if corpus["lang"] == "javascript":
        return make.start({**corpus, "lang": "typescript"}, root, options, "javascript")
    return make.start(corpus, root, options, opened=False)


def column_of(name, text):
    found = [m for m in make.IDENTIFIER.finditer(text) if m[0] == name]
    return len(text[:found[0].start()].encode("utf-16-le")) // 2 if found else None


def probe(server, corpus, pick, opened):
    name = make.re.split(r"::|[.#]", pick["qual"])[-1]
    at = tuple(pick.get("at") or (pick["path"], pick["line"]))
    source = corpus.text[at[0]].split("\n")[at[1] - 1]
    column = column_of(name, source)
    for path in sorted({place[0] for place in corpus.code[name]} | {at[0]}):
        if path not in opened and server.language in ("typescript", "javascript", "python"):
            server.open(path); opened.add(path)
    related = set()
    if column is not None and server.language != "python":
        related = {place[:2] for place in make.references(server, *at, column)}
    if server.language == "go" and column is not None:  # the interfaces' method of a type's, the types' of an interface's
        related |= {place[:2] for place in server.at("implementation", *at, column)}
    family = {tuple(place) for place in pick.get("family", ())}
    said = {}
    for path, line, start in corpus.code[name]:
        places = server.at("definition", path, line, start)
        # What stands in the definition's line behind its name is another thing: a parameter of the same name.
        leads = {place[:2] for place in places if place[:2] != at or column is None or place[2] <= column or source[:place[2]].endswith("function ")}
        here, elsewhere = (path, line), bool(places)
        if here == at or (at in leads and here in leads and ACCESSOR.search(corpus.text[path].split("\n")[line - 1])):
            role = "def"  # the other accessor of a pair is the definition too
        elif at in leads:
            role = "use"
        elif leads & family or here in family or here in related:
            call = pick.get("whole") and not DEFINITION.search(corpus.text[path].split("\n")[line - 1])
            role = "use" if call else "family"
        elif leads or elsewhere:
            role = "other"
        else:
            role = "none"
        if here not in said or {"use": 4, "def": 5, "family": 3, "none": 2, "other": 1}[role] > {"use": 4, "def": 5, "family": 3, "none": 2, "other": 1}[said[here][0]]:
            said[here] = (role, sorted(leads))
    return name, at, said


def settle(pick, name, at, said):
    """-> (the case, the undecided places)"""
    read, locs, undecided, by_reading = pick.get("read", {}), [], [], False
    for (path, line), (role, _) in sorted(said.items()):
        key = "%s:%d" % (path, line)
        if key in read and read[key] != role:
            role = read[key]
            by_reading = True
        elif role == "none" and "rest" in pick:
            role = pick["rest"]
            by_reading = True
        if role == "none":
            undecided.append((path, line))
            role = "unknown"
        if role != "other":
            locs.append([path, line, role])
    for key, role in read.items():
        path, line = key.rsplit(":", 1)
        if (path, int(line)) not in said and role != "other":
            locs.append([path, int(line), role])
            by_reading = True
    if at not in said:
        locs.append([*at, "def"])
    case = dict(id="%s:%s:%s" % (pick["repo"], pick["path"], pick["qual"]), repo=pick["repo"], lang=pick["lang"], path=pick["path"], qual=pick["qual"],
                name=name, kind="method", line=pick["line"], hard=pick["hard"], truth="read" if by_reading else "server", locs=sorted(locs))
    return case, undecided


def review(out, corpus, pick, case, said, undecided):
    print("\n### %s  at %s  hard %s  counts %s" % (case["id"], pick.get("at") or case["line"], ",".join(case["hard"]),
          dict(collections.Counter(role for role, _ in said.values()))), file=out)
    rank = {"none": 0, "use": 1, "family": 2, "other": 3, "def": 4}
    for place in sorted(said, key=lambda p: (p not in undecided, rank[said[p][0]], p)):
        role, leads = said[place]
        text = corpus.text[place[0]].split("\n")[place[1] - 1].strip()[:150]
        print("  %s %s:%d: %s   -> %s" % ("??????" if place in undecided else role, *place, text, " ".join("%s:%d" % (p[-40:], n) for p, n in leads[:2])), file=out)


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--corpora", required=True)
    parser.add_argument("--work", required=True)
    parser.add_argument("--picks", default=os.path.join(make.HERE, "hard_picks.jsonl"))
    parser.add_argument("--out", default=os.path.join(make.HERE, "hard.jsonl"))
    parser.add_argument("--lang")
    parser.add_argument("--repo")
    parser.add_argument("--review")
    parser.add_argument("--keep-work", action="store_true", help="take the copies with their dependencies as a run before left them")
    parser.add_argument("--server-python", default="pyright-langserver --stdio")
    parser.add_argument("--server-typescript", default="typescript-language-server --stdio")
    parser.add_argument("--tsserver", help="path of tsserver.js")
    parser.add_argument("--server-rust", default="rust-analyzer")
    parser.add_argument("--server-go", default="gopls")
    options = parser.parse_args()
    options.work = os.path.abspath(options.work)
    with open(os.path.join(make.HERE, "hard_corpora.json")) as file:
        corpora = [c for c in json.load(file) if options.lang in (None, c["lang"]) and options.repo in (None, c["repo"])]
    with open(options.picks) as file:
        picks = [json.loads(line) for line in file if line.strip()]
    for corpus in corpora:
        wanted = [{**pick, "lang": corpus["lang"]} for pick in picks if pick["repo"] == corpus["repo"]]
        if not wanted:
            continue
        began, root = time.time(), os.path.join(options.work, corpus["repo"])
        if not (options.keep_work and os.path.isdir(root)):
            shutil.rmtree(root, ignore_errors=True)
            shutil.copytree(os.path.join(options.corpora, corpus["repo"]), root, symlinks=True)
        text = make.Corpus(root, corpus["lang"])
        server, opened, cases = start(corpus, root, options), set(), []
        try:
            for pick in wanted:
                name, at, said = probe(server, text, pick, opened)
                case, undecided = settle(pick, name, at, said)
                cases.append(case)
                if options.review:
                    with open(options.review, "a") as out:
                        review(out, text, pick, case, said, undecided)
                elif undecided:
                    print("   undecided in %s: %s" % (case["id"], undecided[:5]))
        finally:
            server.stop()
        make.replace_cases(options.out, corpus["repo"], cases)
        print("%s: %d cases, %.0f s" % (corpus["repo"], len(cases), time.time() - began), flush=True)


if __name__ == "__main__":
    main()
