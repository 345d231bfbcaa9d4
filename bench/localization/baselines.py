#!/usr/bin/env python3
"""Two plain rankings of source files: baselines.py bm25|keywords REPO QUESTION_FILE [--no-tests]

bm25      BM25 (k1 1.2, b 0.75) over path and content of each file; identifiers count whole and in their parts.
keywords  each word of the question gives 2 for the file's name, 1 for its folders, 1 for its content.
--no-tests leaves out what the cases never ask for: tests, benchmarks, examples, documentation, scripts."""
import collections, json, math, os, re, sys
from history import source

EXTENSIONS = set("rs go ts tsx mts cts js mjs cjs jsx vue svelte py pyi c h cc cpp hpp y l jq java kt cs rb php swift sh bash lua".split())
WORD = re.compile(r"[A-Za-z_$][\w$]*")
PART = re.compile(r"[A-Z]+(?![a-z])|[A-Z]?[a-z]+|\d+")
COMMON = set("""the and for are not with that this from was were when where what which will would should could can has have had into than
    then its they them their there been being only also but all any use used using make makes made does more other some such via""".split())


def files(repo, tests):
    for folder, folders, found in os.walk(repo):
        folders[:] = sorted(name for name in folders if name not in (".git", "node_modules"))
        for name in sorted(found):
            path = os.path.join(folder, name)
            if not tests and not source(os.path.relpath(path, repo)):
                continue
            if name.rsplit(".", 1)[-1].lower() in EXTENSIONS and os.path.isfile(path) and os.path.getsize(path) < 1 << 20:
                with open(path, encoding="utf-8", errors="replace") as text:
                    yield os.path.relpath(path, repo), text.read()


def terms(word):
    parts = PART.findall(word)
    return [word.lower()] + ([part.lower() for part in parts] if len(parts) > 1 else [])


def bm25(found, question, k1=1.2, b=0.75):
    asked = collections.Counter(term for word in WORD.findall(question) for term in terms(word))
    documents, holders, cut = [], collections.Counter(), {}
    for path, text in found:
        counts, length = collections.Counter(), 0
        for word, n in collections.Counter(WORD.findall(path + "\n" + text)).items():
            if word not in cut:
                all_terms = terms(word)
                cut[word] = len(all_terms), [term for term in all_terms if term in asked]
            size, hits = cut[word]
            length += size * n
            for term in hits:
                counts[term] += n
        documents.append((path, counts, length))
        holders.update(counts.keys())
    mean = sum(length for _, _, length in documents) / max(1, len(documents))
    weight = {term: asked[term] * math.log(1 + (len(documents) - n + 0.5) / (n + 0.5)) for term, n in holders.items()}
    for path, counts, length in documents:
        yield path, sum(weight[term] * n * (k1 + 1) / (n + k1 * (1 - b + b * length / mean)) for term, n in counts.items())


def keywords(found, question):
    words = {word for word in re.findall(r"[a-z0-9]{3,}", question.lower())} - COMMON
    for path, text in found:
        folder, name = os.path.split(path.lower())
        text = text.lower()
        yield path, sum(2 * (word in name) + (word in folder) + (word in text) for word in words)


def main():
    arguments = [argument for argument in sys.argv[1:] if argument != "--no-tests"]
    if len(arguments) != 3 or arguments[0] not in ("bm25", "keywords"):
        sys.exit(__doc__)
    with open(arguments[2], encoding="utf-8") as text:
        question = text.read()
    scored = {"bm25": bm25, "keywords": keywords}[arguments[0]](files(arguments[1], "--no-tests" not in sys.argv), question)
    best = sorted(((path, score) for path, score in scored if score > 0), key=lambda item: (-item[1], item[0]))[:50]
    print(json.dumps({"files": [{"path": path, "score": round(score, 4)} for path, score in best]}))


if __name__ == "__main__":
    main()
