#!/usr/bin/env python3
"""Counts which words names use for the words of sentences: related.py [--rust FOLDER]... [--go FOLDER]... [--python FOLDER]... [--leave-out NAME,...]

Each FOLDER holds packages: unpacked crates, the sources of Go's library, a folder of Python modules. Of every documented function
the first sentence is read. A pair is a word of the sentence and a word of the name which the sentence does not hold; it is
printed with the number of packages that have it, the number of functions, and how many times more often than by chance. Leave
out whatever a test set is about. Needs snowballstemmer. The pairs of `related_words.rs` were chosen from those of at least five
packages and six times chance, without what belongs to one language."""
import argparse, ast, collections, glob, math, os, re
import snowballstemmer

STOP = set("""a about above after again all also always an and any are as at be because been before being below between both but by can could did do does
    during each else every few for from further given had has have how if in into is it its itself just may more most must never no none not of off on
    once one only or other our out over own per return returns same should since so some such than that the their them then there these they this those
    through to true false too two under until up use used uses using very via was we were what when where whether which while who will with within without
    would you your specified""".split())
NAME_PART = re.compile(r"[A-Z]+(?![a-z])|[A-Z]?[a-z]+")
RUST = re.compile(r"((?:^[ \t]*///[^\n]*\n)+)(?:[ \t]*#\[[^\n]*\n)*[ \t]*(?:pub(?:\([^)]*\))?\s+)?(?:const |async |unsafe )*(?:fn|struct|enum|trait)\s+(\w+)", re.M)
GO = re.compile(r"((?:^//[^\n]*\n)+)func\s+(?:\([^)]*\)\s*)?(\w+)", re.M)
MAX_FUNCTIONS_OF_PACKAGE = 1500
stem = snowballstemmer.stemmer("english").stemWord


def read(path):
    try:
        with open(path, encoding="utf8") as text:
            return text.read()
    except (OSError, UnicodeDecodeError):
        return ""


def rust(folder):
    for crate in sorted(os.listdir(folder)):
        for path in glob.glob(os.path.join(folder, crate, "src", "**", "*.rs"), recursive=True):
            for match in RUST.finditer(read(path)):
                yield re.sub(r"-\d.*", "", crate), match[2], "\n".join(line.strip()[3:].strip() for line in match[1].strip().split("\n"))


def go(folder):
    for path in glob.glob(os.path.join(folder, "**", "*.go"), recursive=True):
        if not path.endswith("_test.go") and "testdata" not in path:
            for match in GO.finditer(read(path)):
                text = "\n".join(line[2:].strip() for line in match[1].strip().split("\n"))
                # By custom the comment begins with the name.
                yield os.path.relpath(os.path.dirname(path), folder), match[2], text.removeprefix(match[2] + " ")


def python(folder):
    for entry in sorted(os.listdir(folder)):
        root = os.path.join(folder, entry)
        for path in [root] if entry.endswith(".py") else glob.glob(os.path.join(root, "**", "*.py"), recursive=True):
            try:
                tree = ast.parse(read(path))
            except (SyntaxError, ValueError, RecursionError):
                continue
            for node in ast.walk(tree):
                if isinstance(node, (ast.FunctionDef, ast.AsyncFunctionDef, ast.ClassDef)) and ast.get_docstring(node):
                    yield entry.removesuffix(".py"), node.name, ast.get_docstring(node)


def first_sentence(text):
    text = re.sub(r"`[^`]*`", " ", text.strip().split("\n\n")[0])
    end = re.search(r"[.:](\s|$)", text)
    return [word.lower() for word in re.findall(r"[A-Za-z]+", text[: end.start()] if end else text[:300])]


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    for name in ("rust", "go", "python"):
        parser.add_argument("--" + name, action="append", default=[])
    parser.add_argument("--leave-out", default="")
    options = parser.parse_args()
    left_out = set(options.leave_out.split(","))
    functions, of_package = set(), collections.Counter()
    for reader, folders in ((rust, options.rust), (go, options.go), (python, options.python)):
        for folder in folders:
            for package, name, text in reader(folder):
                words, parts = first_sentence(text), [part.lower() for part in NAME_PART.findall(name) if len(part) > 1]
                if package not in left_out and parts and 2 < len(words) < 40 and of_package[package] < MAX_FUNCTIONS_OF_PACKAGE:
                    of_package[package] += 1
                    functions.add((package, frozenset(stem(word) for word in words if word not in STOP and len(word) > 2), frozenset(map(stem, parts))))
    sentences, names, pairs, packages = collections.Counter(), collections.Counter(), collections.Counter(), collections.defaultdict(set)
    for package, said, named in functions:
        sentences.update(said)
        names.update(named - said)
        for word in said - named:
            for part in named - said:
                pairs[word, part] += 1
                packages[word, part].add(package)
    print("functions %d, packages %d" % (len(functions), len(of_package)))
    found = []
    for (word, part), count in pairs.items():
        times = count / (sentences[word] * names[part] / len(functions))
        if len(packages[word, part]) >= 5 and count >= 5 and times >= 6:
            found.append((min(len(packages[word, part]), 50) * math.log(times), word, part, len(packages[word, part]), count, times))
    for _, word, part, holders, count, times in sorted(found, reverse=True):
        print("%s\t%s\t%d\t%d\t%.1f" % (word, part, holders, count, times))


if __name__ == "__main__":
    main()
