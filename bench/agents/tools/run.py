"""What run.sh does: one command of an agent, with nothing but the tools of its arm, and a line in the log. Standard library only."""
import glob, json, os, re, shlex, subprocess, sys, time

TEXT = ("rg", "grep", "sed", "cat", "head", "tail", "ls", "find", "wc", "nl")
PEELBACK = ("tree", "find-files", "find", "search", "grep", "outline", "find-symbols", "symbols", "read-symbol", "symbol", "read-lines", "lines",
            "find-references", "refs", "dependencies", "deps", "read-file", "read", "search-tools", "help")
LIMIT = 30000
SECONDS = 120
FORBIDDEN = {"sed": re.compile(r"^(-[a-zA-Z]*i|--in-place)"), "rg": re.compile(r"^--(pre|hostname-bin)"),
             "find": re.compile(r"^-(exec|execdir|ok|okdir|delete|fprint|fprint0|fprintf|fls)$")}
# Words outside of quotes that only say where errors go; they are shown anyway.
ERRORS = re.compile(r"(?<=\s)(2>/dev/null|2>&1)(?=\s|\||;|&|$)")


class Refused(Exception):
    pass


def words_of_commands(text):
    """The commands of a shell line as lists of words without quotes; what is neither word nor a chain of commands is refused."""
    commands, words, word, quote, i = [], [], None, None, 0
    while i < len(text):
        c = text[i]
        if quote == "'":
            if c == "'":
                quote = None
            else:
                word += c
        elif quote == '"':
            if c == '"':
                quote = None
            elif c == "\\" and text[i + 1:i + 2] in ('"', "\\", "$", "`"):
                i += 1
                word += text[i]
            elif c == "`" or c == "$" and re.match(r"[({\w]", text[i + 1:i + 2]):
                raise Refused("no substitution: put the word in single quotes")
            else:
                word += c
        elif c in "'\"":
            quote, word = c, word or ""
        elif c == "\\":
            i += 1
            word = (word or "") + text[i:i + 1]
        elif c.isspace() or c in "|;&":
            if word is not None:
                words.append(word)
                word = None
            if c in "|;&\n":
                if c == "&":
                    if text[i + 1:i + 2] != "&":
                        raise Refused("no `&`")
                    i += 1
                elif text[i:i + 2] == "||":
                    i += 1
                if words:
                    commands.append(words)
                elif c != "\n":
                    raise Refused("a command is missing")
                words = []
        elif c in "<>()`" or c == "$":
            raise Refused("no `%s` outside of quotes" % c)
        else:
            word = (word or "") + c
        i += 1
    if quote:
        raise Refused("a quote is not closed")
    if word is not None:
        words.append(word)
    if words:
        commands.append(words)
    return commands


def check(commands, arm, project):
    if not commands:
        raise Refused("no command")
    if arm == "peelback" and len(commands) > 1:
        raise Refused("one call of peelback, without pipes")
    for words in commands:
        name = words[0]
        if name not in (TEXT if arm == "text" else ("peelback",)):
            raise Refused("`%s` is not among the tools: %s" % (name, " ".join(TEXT) if arm == "text" else "peelback"))
        if arm == "peelback":
            called = [word for word in words[1:] if not word.startswith("-")]
            if called and called[0] not in PEELBACK:
                raise Refused("`peelback %s` is not among the commands: %s" % (called[0], " ".join(PEELBACK)))
        # The first word of these is a pattern or a script, which may look like a path.
        pattern = next((at for at, word in enumerate(words) if at and not word.startswith("-")), 0) if name in ("rg", "grep", "sed") else 0
        for at, word in enumerate(words[1:], 1):
            if name in FORBIDDEN and FORBIDDEN[name].search(word):
                raise Refused("`%s %s` is not for reading code" % (name, word))
            for part in (word, word.partition("=")[2]):
                if at == pattern or not part or not (part.startswith(("/", "~")) or ".." in part):
                    continue
                for place in glob.glob(os.path.join(project, os.path.expanduser(part))) if "\0" not in part else ():
                    if os.path.commonpath((os.path.realpath(place), project)) != project:
                        raise Refused("`%s` is outside of the project" % part)


def output(text, arm, project):
    binary = os.environ.get("PEELBACK", "peelback")
    environment = dict(os.environ, PEELBACK=os.path.abspath(binary) if "/" in binary else binary)
    names = 'sed() { command sed --sandbox "$@"; }\n' if arm == "text" else 'peelback() { command "$PEELBACK" "$@"; }\n'
    try:
        done = subprocess.run(["bash", "--norc", "-c", names + text], cwd=project, env=environment, stdin=subprocess.DEVNULL,
                              stdout=subprocess.PIPE, stderr=subprocess.STDOUT, timeout=SECONDS)
        return done.stdout, done.returncode
    except subprocess.TimeoutExpired as late:
        return (late.stdout or b"") + b"\n[stopped after %d seconds]\n" % SECONDS, 124


def main():
    if len(sys.argv) < 5 or sys.argv[2] not in ("text", "peelback") or sys.argv[3] != "--" or not os.path.isdir(os.environ.get("PROJECT", "")):
        sys.exit("PROJECT=FOLDER run.sh LOG text|peelback -- COMMAND...")
    log, arm, command = sys.argv[1], sys.argv[2], sys.argv[4:]
    project = os.path.realpath(os.environ["PROJECT"])
    text = command[0] if len(command) == 1 else shlex.join(command)
    start, refused = time.time(), None
    try:
        runnable = ERRORS.sub(" ", text)
        check(words_of_commands(runnable), arm, project)
        whole, code = output(runnable, arm, project)
    except Refused as why:
        refused = str(why)
        whole, code = ("refused: %s\n" % refused).encode(), 2
    shown = whole.decode("utf-8", "replace")
    length = len(shown)
    if length > LIMIT:
        shown = shown[:LIMIT] + "\n[cut: %d of %d characters are shown]\n" % (LIMIT, length)
    data = shown.encode()
    line = {"arm": arm, "command": text, "exit": code, "bytes": len(data), "tokens": -(-len(data) // 4), "whole_bytes": len(whole),
            "seconds": round(time.time() - start, 2)}
    if refused:
        line["refused"] = refused
    with open(log, "a") as out:
        out.write(json.dumps(line, ensure_ascii=False) + "\n")
    sys.stdout.buffer.write(data)
    sys.stdout.flush()
    sys.exit(code)


if __name__ == "__main__":
    main()
