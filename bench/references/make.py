#!/usr/bin/env python3
"""Makes cases.jsonl: methods of the corpora, with their references as a language server gives them.

  make.py --corpora DIR --work DIR [--lang L] [--repo R] [--per-repo N] [--tries N]

DIR of --corpora is what fetch.py filled. Each corpus is copied to the --work folder, and its dependencies are installed
there, so that the corpora stay as they were fetched. Cases of repositories not made in this run are kept.

Servers, each a command that speaks LSP on its standard streams (see --server-*): pyright-langserver,
typescript-language-server (with a tsserver), rust-analyzer, gopls."""
import argparse, collections, hashlib, io, json, os, queue, re, shlex, shutil, subprocess, sys, threading, time, tokenize, venv
from urllib.parse import quote, unquote

HERE = os.path.dirname(os.path.abspath(__file__))
EXTENSIONS = {"python": (".py",), "typescript": (".ts", ".tsx", ".mts", ".cts"), "rust": (".rs",), "go": (".go",)}
SKIPPED_FOLDERS = {".git", "node_modules", "target", "__pycache__", "vendor"}
TYPES = {5, 10, 11, 23}  # LSP symbol kinds: class, enum, interface, struct
IDENTIFIER = re.compile(r"[A-Za-z_$][A-Za-z0-9_$]*")


# ---- a language server

class Server:
    def __init__(self, command, root, language, initialization=None, settings=None, env=None):
        self.root, self.language, self.settings = root, language, settings or {}
        self.process = subprocess.Popen(command, cwd=root, stdin=subprocess.PIPE, stdout=subprocess.PIPE,
                                        stderr=open(root + ".log", "w"), env={**os.environ, **(env or {})})
        self.answers, self.next_id, self.quiescent = queue.Queue(), 0, threading.Event()
        threading.Thread(target=self.read, daemon=True).start()
        folder = {"uri": self.uri(""), "name": os.path.basename(root)}
        symbols = {"hierarchicalDocumentSymbolSupport": True}
        self.ask("initialize", {
            "processId": os.getpid(), "rootUri": folder["uri"], "rootPath": root, "workspaceFolders": [folder],
            "initializationOptions": initialization or {},
            "capabilities": {
                "general": {"positionEncodings": ["utf-16"]},
                "workspace": {"configuration": True, "workspaceFolders": True, "didChangeConfiguration": {}},
                "textDocument": {"documentSymbol": symbols, "references": {}, "definition": {}, "declaration": {}, "implementation": {}},
                "window": {"workDoneProgress": True}, "experimental": {"serverStatusNotification": True}}})
        self.tell("initialized", {})
        self.tell("workspace/didChangeConfiguration", {"settings": self.settings})

    def uri(self, path):
        return "file://" + quote(os.path.join(self.root, path).rstrip("/"))

    def path(self, uri):
        return os.path.relpath(unquote(uri.removeprefix("file://")), self.root)

    def send(self, message):
        body = json.dumps({"jsonrpc": "2.0", **message}).encode()
        self.process.stdin.write(b"Content-Length: %d\r\n\r\n" % len(body) + body)
        self.process.stdin.flush()

    def tell(self, method, params):
        self.send({"method": method, "params": params})

    def ask(self, method, params, timeout=900):
        self.next_id += 1
        self.send({"id": self.next_id, "method": method, "params": params})
        while True:
            answer = self.answers.get(timeout=timeout)
            if answer.get("id") == self.next_id:
                return answer.get("result") if "error" not in answer else None

    def read(self):
        stream = self.process.stdout
        while True:
            length = 0
            while (line := stream.readline()) not in (b"\r\n", b""):
                if line.lower().startswith(b"content-length:"):
                    length = int(line.split(b":")[1])
            if not line:
                return
            message = json.loads(stream.read(length))
            if "method" not in message:
                self.answers.put(message)
                continue
            if message["method"] == "experimental/serverStatus" and message["params"].get("quiescent"):
                self.quiescent.set()
            if "id" in message:
                result = None
                if message["method"] == "workspace/configuration":
                    result = [self.section(item.get("section")) for item in message["params"]["items"]]
                if message["method"] == "workspace/workspaceFolders":
                    result = [{"uri": self.uri(""), "name": os.path.basename(self.root)}]
                self.send({"id": message["id"], "result": result})

    def section(self, name):
        value = self.settings
        for key in (name or "").split(".") if name else []:
            value = value.get(key, {}) if isinstance(value, dict) else {}
        return value

    def open(self, path):
        with open(os.path.join(self.root, path), encoding="utf-8", errors="replace", newline="") as text:
            self.tell("textDocument/didOpen", {"textDocument": {"uri": self.uri(path), "languageId": self.language, "version": 1, "text": text.read()}})

    def close(self, path):
        self.tell("textDocument/didClose", {"textDocument": {"uri": self.uri(path)}})

    def at(self, method, path, line, column, **more):
        """Places as (path, line, column), lines from 1, columns from 0; paths outside the root start with ../"""
        found = self.ask("textDocument/" + method, {"textDocument": {"uri": self.uri(path)}, "position": {"line": line - 1, "character": column}, **more}) or []
        places = []
        for place in found if isinstance(found, list) else [found]:
            span = place.get("range") or place.get("targetSelectionRange")
            places.append((self.path(place.get("uri") or place["targetUri"]), span["start"]["line"] + 1, span["start"]["character"]))
        return places

    def symbols(self, path):
        return self.ask("textDocument/documentSymbol", {"textDocument": {"uri": self.uri(path)}}) or []

    def stop(self):
        try:
            self.ask("shutdown", None, timeout=20)
            self.tell("exit", None)
        except (queue.Empty, OSError):
            pass
        time.sleep(1)
        self.process.kill()


# ---- the text of a file: which identifiers are code, which places are comments

def code_and_comments(text, language):
    """-> ([(name, line, column)], [(start line, start column, end line, end column)] of comments)"""
    return python_tokens(text) if language == "python" else braces_tokens(text, language)


def python_tokens(text):
    names, comments = [], []
    try:
        for token in tokenize.generate_tokens(io.StringIO(text).readline):
            if token.type == tokenize.NAME:
                names.append((token.string, *token.start))
            elif token.type == tokenize.COMMENT:
                comments.append((*token.start, *token.end))
            elif token.type == tokenize.STRING and "f" in re.match(r"[A-Za-z]*", token.string)[0].lower():
                for row, part in enumerate(token.string.split("\n")):
                    names += [(m[1], token.start[0] + row, m.start(1) + (0 if row else token.start[1])) for m in re.finditer(r"\.([A-Za-z_]\w*)", part)]
    except (tokenize.TokenError, IndentationError, SyntaxError):
        pass
    return names, comments


def braces_tokens(text, language):
    out, comments, i, size = [], [], 0, len(text)
    templates, depth, last = [], 0, ""
    kept = list(text)

    def blank(start, end):
        for k in range(start, min(end, size)):
            if kept[k] != "\n":
                kept[k] = " "

    while i < size:
        c, two = text[i], text[i:i + 2]
        start = i
        if two == "//":
            i = text.find("\n", i) if "\n" in text[i:] else size
            comments.append((start, i)); blank(start, i)
            continue
        if two == "/*":
            level, i = 1, i + 2
            while i < size and level:
                if text.startswith("*/", i):
                    level -= 1; i += 2
                elif language == "rust" and text.startswith("/*", i):
                    level += 1; i += 2
                else:
                    i += 1
            comments.append((start, i)); blank(start, i)
            continue
        raw = language == "rust" and re.compile(r'b?c?r(#*)"').match(text, i)
        if raw and (i == 0 or not re.match(r"\w", text[i - 1])):
            end = text.find('"' + raw[1], raw.end())
            i = size if end < 0 else end + 1 + len(raw[1])
            blank(start, i); last = '"'
            continue
        if c == "'" and language == "rust" and not re.compile(r"'(\\(?:u\{[^}]*\}|x..|.)|[^\\'])'").match(text, i):
            i += 1  # a lifetime
            continue
        if c == '"' or c == "'":
            i += 1
            while i < size and text[i] != c and (text[i] != "\n" or language == "rust"):
                i += 2 if text[i] == "\\" else 1
            i += 1
            blank(start, i); last = '"'
            continue
        if c == "`" and language == "go":
            i = text.find("`", i + 1) + 1 or size
            blank(start, i); last = '"'
            continue
        if language == "typescript" and (c == "`" or (c == "}" and templates and templates[-1] == depth)):
            if c == "}":
                templates.pop()
            i += 1
            while i < size and text[i] != "`" and text[i:i + 2] != "${":
                i += 2 if text[i] == "\\" else 1
            if text[i:i + 2] == "${":
                templates.append(depth); i += 1
            i += 1
            blank(start, i); last = '"'
            continue
        if language == "typescript" and c == "/" and (last in "" or last in "(,=:[!&|?{};+-*%<>~^" or re.search(r"\b(return|typeof|case|in|of)\s*$", text[max(0, i - 12):i])):
            regex = re.compile(r"/(?:\\.|\[(?:\\.|[^\]\\\n])*\]|[^/\\\n\[])+/[a-z]*").match(text, i)
            if regex:
                i = regex.end(); blank(start, i); last = '"'
                continue
        depth += (c == "{") - (c == "}")
        if not c.isspace():
            last = c
        i += 1
    starts = [0] + [m.end() for m in re.finditer("\n", text)]

    def place(offset):
        low, high = 0, len(starts) - 1
        while low < high:
            middle = (low + high + 1) // 2
            low, high = (middle, high) if starts[middle] <= offset else (low, middle - 1)
        return low + 1, len(text[starts[low]:offset].encode("utf-16-le")) // 2

    out = [(m[0], *place(m.start())) for m in IDENTIFIER.finditer("".join(kept))]
    return out, [(*place(a), *place(b)) for a, b in comments]


class Corpus:
    def __init__(self, root, language):
        self.files, self.text, self.code, self.comments = [], {}, collections.defaultdict(list), {}
        for folder, folders, files in os.walk(root):
            folders[:] = sorted(f for f in folders if f not in SKIPPED_FOLDERS)
            self.files += [os.path.relpath(os.path.join(folder, f), root) for f in sorted(files) if f.endswith(EXTENSIONS[language])]
        for path in self.files:
            with open(os.path.join(root, path), encoding="utf-8", errors="replace") as file:
                self.text[path] = file.read()
            names, self.comments[path] = code_and_comments(self.text[path], language)
            for name, line, column in names:
                self.code[name].append((path, line, column))

    def defines(self, name, path, line):
        return bool(re.match(r"\s*(async\s+)?def %s\b|\s*@%s\." % (name, name), self.text[path].split("\n")[line - 1]))

    def in_comment(self, path, line, column):
        return any((a, b) <= (line, column) < (c, d) for a, b, c, d in self.comments.get(path, ()))


# ---- methods

def methods(symbols, language, owners=()):
    for symbol in symbols:
        name, kind, start = symbol["name"], symbol["kind"], symbol["selectionRange"]["start"]
        place = (start["line"] + 1, start["character"])
        receiver = re.fullmatch(r"\(\*?(\w+)(?:\[.*\])?\)\.(\w+)", name) if language == "go" else None
        if receiver:
            yield receiver[1], receiver[2], place
        elif language == "rust" and name.startswith("impl"):
            owner = re.split(r"\bfor\s+(?!<)", re.sub(r"^impl\s*", "", without_generics(name)))[-1].strip().lstrip("&").split("::")[-1]
            owner = re.sub(r"^(mut|dyn)\s+", "", owner)
            if re.fullmatch(r"\w+", owner):
                yield from methods(symbol.get("children") or [], language, owners + (owner,))
            continue
        elif kind == 6 and owners and re.fullmatch(r"[A-Za-z_$#]\w*", name):
            yield owners[-1] if language == "rust" else ".".join(owners), name, place
        if kind in TYPES or (language == "rust" and kind == 2):
            yield from methods(symbol.get("children") or [], language, owners + (name,) if kind in TYPES else owners)


def without_generics(text):
    text = text.replace("->", "")
    while re.search(r"<[^<>]*>", text):
        text = re.sub(r"<[^<>]*>", "", text)
    return text


def order(*parts):
    return hashlib.sha256("|".join(parts).encode()).hexdigest()


def external(server, path, line, column):
    """Does the method implement something from outside of the corpus?"""
    asked = {"go": "implementation", "rust": "declaration"}.get(server.language)
    return bool(asked) and any(p.startswith("..") for p, _, _ in server.at(asked, path, line, column))


def references(server, path, line, column):
    return server.at("references", path, line, column, context={"includeDeclaration": True})


def make_case(server, corpus, repo, language, method, found_methods):
    path, owner, name, line, column = method
    same_name = {(p, *place[:1]): (p, o) for (p, o, n), places in found_methods.items() if n == name for place in places}
    opened = server.language == "typescript"  # tsserver answers for open files only
    if opened:
        server.open(path)
    try:
        found = references(server, path, line, column)
        if any(p.startswith("..") or "node_modules" in p for p, _, _ in found) or external(server, path, line, column):
            return None
        found = [place for place in found if place[0] in corpus.comments and not corpus.in_comment(*place)]
        lines = {place[:2] for place in found}
        own = {(path, line)} | {place for place in lines if same_name.get(place) == (path, owner)}
        uses = lines - own
        if not 3 <= len(uses) <= 60 or (path, line) not in lines:
            return None
        if language == "python" and any(corpus.defines(name, *place) for place in uses):
            return None  # a property with a setter, or an overload
    finally:
        if opened:
            server.close(path)
    unknown, late, asked = set(), [], set()
    for other, row, start in corpus.code[name]:
        if (other, row) in lines | unknown:
            continue
        if opened and other not in asked:
            server.open(other); asked.add(other)
        where = server.at("definition", other, row, start)
        if not where:
            unknown.add((other, row))
        elif (path, line) in {place[:2] for place in where}:
            late.append((other, row))
    for other in asked if opened else ():
        server.close(other)
    if len(unknown) > max(5, len(uses)):
        return None
    if late:
        print("   definition leads here but references does not list: %s %s" % (owner + "." + name, late[:3]))
        uses |= set(late)
    qual = owner + ("::" if language == "rust" else ".") + name
    overrides = sorted(list(place) for place in uses if place in same_name)
    locs = sorted([*p, "use"] for p in uses) + sorted([*p, "def"] for p in own) + sorted([*p, "unknown"] for p in unknown - own)
    return dict(id="%s:%s:%s" % (repo, path, qual), repo=repo, lang=language, path=path, qual=qual, name=name, kind="method", line=line,
                locs=sorted(locs), **({"overrides": overrides} if overrides else {}))


def places(case):
    return {(path, line) for path, line, role in case["locs"] if role != "unknown"}


def choose(server, corpus, repo, language, count, tries):
    found, names = collections.defaultdict(list), collections.defaultdict(set)
    for path in corpus.files:
        if language == "typescript":
            server.open(path)
        for owner, name, (line, column) in methods(server.symbols(path), language):
            found[path, owner, name].append((line, column))
            names[name].add((path, owner))
        if language == "typescript":
            server.close(path)
    print("  %s: %d files, %d methods" % (repo, len(corpus.files), len(found)))
    pool = [(path, owner, name, *starts[0]) for (path, owner, name), starts in found.items()
            if len(starts) == 1 and not name.startswith("__") and 4 <= len(corpus.code[name]) <= 400]
    pool.sort(key=lambda m: order(repo, *m[:3]))
    shared, single = [m for m in pool if len(names[m[2]]) > 1], [m for m in pool if len(names[m[2]]) == 1]
    # Three of four share their name with a method of another class; few, some and many references are mixed.
    quota, cases, per_name, per_class = {}, [], collections.Counter(), collections.Counter()
    for group, share in ((shared, count - count // 4), (single, count // 4)):
        quota = {"few": share * 2 // 5, "some": share * 2 // 5}
        quota["many"] = share - sum(quota.values())
        spare = []
        for method in group[:tries]:
            if not any(quota.values()):
                break
            if per_name[method[2]] > 1 or per_class[method[1]] > 1:
                continue
            case = make_case(server, corpus, repo, language, method, found)
            if not case or places(case) in [places(other) for other, _ in cases + spare]:
                continue
            uses = sum(role == "use" for _, _, role in case["locs"])
            size = "few" if uses < 8 else "some" if uses < 20 else "many"
            if quota[size]:
                quota[size] -= 1
                cases.append((case, method))
                per_name[method[2]] += 1; per_class[method[1]] += 1
            else:
                spare.append((case, method))
        for case, method in spare[:sum(quota.values())]:
            cases.append((case, method))
    # The server must give the same again now that it has been at work for a while.
    stable = []
    for case, method in cases:
        if make_case(server, corpus, repo, language, method, found) == case:
            stable.append(case)
        else:
            print("   not stable, left out:", case["id"])
    return stable


# ---- each language

def start(corpus, root, options, spoken=None, opened=True):
    """The server of a corpus. `spoken` is what its files are called to the server, where that is not the corpus's language."""
    language, needs = corpus["lang"], corpus.get("needs") or []
    if language == "python":
        place = os.path.join(options.work, "venv")
        if not os.path.isdir(place):
            venv.create(place, with_pip=True)
        if needs:
            subprocess.run([os.path.join(place, "bin", "pip"), "install", "--quiet", *needs], check=True)
        settings = {"python": {"pythonPath": os.path.join(place, "bin", "python"), "analysis": {"diagnosticMode": "openFilesOnly", "typeCheckingMode": "off", "autoSearchPaths": True, "indexing": False}}}
        server = Server(shlex.split(options.server_python), root, language, settings=settings)
        for path in Corpus(root, language).files if opened else ():  # pyright looks for references in open files and what they import
            server.open(path)
        return server
    if language == "typescript":
        if needs:
            subprocess.run(["npm", "install", "--silent", "--no-save", "--ignore-scripts", "--legacy-peer-deps", *needs], cwd=bare(root), check=True)
        server = Server(shlex.split(options.server_typescript), root, spoken or language, initialization={"tsserver": {"useSyntaxServer": "never", **({"path": options.tsserver} if options.tsserver else {})}, "disableAutomaticTypingAcquisition": True, "maxTsServerMemory": 4000})
        server.open(next(p for p in Corpus(root, spoken or language).files if not p.endswith(".d.ts")))  # an open file keeps the project loaded
        return server
    if language == "go":
        go_dependencies(corpus, root, options)
        env = {"GOFLAGS": "-mod=mod", "GOPROXY": "off", "GOSUMDB": "off", "GOTOOLCHAIN": "local", "GOWORK": "off", "GOPATH": os.path.join(options.work, "gopath")}
        return Server(shlex.split(options.server_go), root, language, env=env)
    off = {"enable": False}
    analyzer = {"checkOnSave": False, "cargo": {"buildScripts": off, "allTargets": True}, "procMacro": off, "cachePriming": off, "numThreads": 1}
    server = Server(shlex.split(options.server_rust), root, language, initialization=analyzer, settings={"rust-analyzer": analyzer})
    server.quiescent.wait(900)
    return server


def bare(root):
    """npm must not see the package's own dependencies, only those that are asked for."""
    path = os.path.join(root, "package.json")
    with open(path) as file:
        package = json.load(file)
    with open(path, "w") as file:
        json.dump({k: v for k, v in package.items() if "ependencies" not in k and k != "scripts"}, file)
    return root


def go_dependencies(corpus, root, options):
    """Dependencies from Debian's packages, each a module of its own that a replace line leads to."""
    path = os.path.join(root, "go.mod")
    with open(path) as file:
        text = file.read()
    lines = [re.search(r"^module .*$", text, re.M)[0], "go 1.20"]
    for package, folder, module in corpus.get("needs") or []:
        place = os.path.join(options.work, "deb", package)
        if not os.path.isdir(place):
            os.makedirs(place)
            subprocess.run("apt-get -qq -o APT::Sandbox::User=root download %s && dpkg-deb -x *.deb ." % package, shell=True, cwd=place, check=True)
        source, target = os.path.join(place, "usr/share/gocode/src", folder), os.path.join(options.work, "modules", module)
        shutil.rmtree(target, ignore_errors=True)
        shutil.copytree(source, target)
        with open(os.path.join(target, "go.mod"), "w") as file:
            file.write("module %s\ngo 1.20\n" % module)
        major = re.search(r"/v(\d+)$", module)
        version = "v%s.0.0" % (major[1] if major else 0)
        lines += ["require %s %s" % (module, version), "replace %s => %s" % (module, target)]
    with open(path, "w") as file:
        file.write("\n".join(lines) + "\n")


def replace_cases(path, repo, cases):
    """Writes the cases of a repository to the file in the place of those that it has of it."""
    rows = []
    if os.path.exists(path):
        with open(path) as file:
            rows = [row for row in map(json.loads, file) if row["repo"] != repo]
    rows = sorted(rows + cases, key=lambda row: (row["lang"], row["repo"], row["id"]))
    with open(path, "w") as file:
        file.writelines(json.dumps(row, ensure_ascii=False, separators=(",", ":")) + "\n" for row in rows)


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--corpora", required=True)
    parser.add_argument("--work", required=True)
    parser.add_argument("--out", default=os.path.join(HERE, "cases.jsonl"))
    parser.add_argument("--lang")
    parser.add_argument("--repo")
    parser.add_argument("--per-repo", type=int, default=12)
    parser.add_argument("--tries", type=int, default=150, help="methods tried at most in each repository, shared names and single ones each")
    parser.add_argument("--server-python", default="pyright-langserver --stdio")
    parser.add_argument("--server-typescript", default="typescript-language-server --stdio")
    parser.add_argument("--tsserver", help="path of tsserver.js")
    parser.add_argument("--server-rust", default="rust-analyzer")
    parser.add_argument("--server-go", default="gopls")
    options = parser.parse_args()
    options.work = os.path.abspath(options.work)
    with open(os.path.join(HERE, "corpora.json")) as file:
        corpora = [c for c in json.load(file) if options.lang in (None, c["lang"]) and options.repo in (None, c["repo"])]
    for corpus in corpora:
        began, root = time.time(), os.path.join(options.work, corpus["repo"])
        shutil.rmtree(root, ignore_errors=True)
        shutil.copytree(os.path.join(options.corpora, corpus["repo"]), root, symlinks=True)
        text = Corpus(root, corpus["lang"])
        server = start(corpus, root, options)
        try:
            cases = choose(server, text, corpus["repo"], corpus["lang"], options.per_repo, options.tries)
        finally:
            server.stop()
        replace_cases(options.out, corpus["repo"], cases)
        print("%s: %d cases, %.0f s" % (corpus["repo"], len(cases), time.time() - began), flush=True)


if __name__ == "__main__":
    main()
