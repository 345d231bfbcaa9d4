"""One change of a run's copy of a project: edit.py RUN.json PATH OLD-FILE NEW-FILE

Replaces the text of OLD-FILE, which has to stand in PATH exactly once, by that of NEW-FILE. Every change and every refusal is a line
in the run's log. Standard library only."""
import hashlib, json, os, sys

from server import append


class Refused(Exception):
    pass


def place_of(project, path):
    project = os.path.realpath(project)
    place = os.path.realpath(os.path.join(project, path))
    if os.path.commonpath((place, project)) != project or ".git" in os.path.relpath(place, project).split(os.sep):
        raise Refused("%s is outside of the project" % path)
    if not os.path.isfile(place):
        raise Refused("%s is no file of the project" % path)
    return place


def read(path):
    try:
        with open(path, "rb") as data:
            return data.read()
    except OSError as error:
        raise Refused(str(error)) from None


def replaced(text, old, new):
    """The text with `old`, which stands there once, replaced. A line end that both files have after their last line may be theirs alone."""
    if not old.strip():
        raise Refused("the old text is empty")
    count = text.count(old)
    if not count and old.endswith(b"\n") and new.endswith(b"\n"):
        old, new = old[:-1], new[:-1]
        count = text.count(old)
    if count != 1:
        raise Refused("the old text stands there %s" % ("%d times: take more lines around it" % count if count else "nowhere: it has to be exact"))
    return text.replace(old, new)


def main():
    if len(sys.argv) != 5:
        sys.exit(__doc__)
    with open(sys.argv[1]) as text:
        run = json.load(text)
    path = sys.argv[2]
    try:
        place = place_of(run["project"], path)
        text = replaced(read(place), read(sys.argv[3]), read(sys.argv[4]))
    except Refused as why:
        append(run["log"], {"kind": "refused", "why": str(why), "words": sys.argv[2:], "bytes": len(str(why)) + 10})
        print("refused: %s" % why)
        sys.exit(2)
    with open(place, "wb") as out:
        out.write(text)
    said = "changed %s\n" % os.path.relpath(place, os.path.realpath(run["project"]))
    append(run["log"], {"kind": "edit", "path": said.split(" ", 1)[1].strip(), "hash": hashlib.sha256(text).hexdigest(), "bytes": len(said)})
    sys.stdout.write(said)


if __name__ == "__main__":
    main()
