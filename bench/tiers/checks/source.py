"""What the checks share: the trees of a project's Python files, and how a check says that something is wrong."""
import ast, os, sys

PROJECT = os.path.abspath(sys.argv[1])
WRONG = []


def expect(holds, what):
    if not holds:
        WRONG.append(what)


def end():
    print("\n".join(WRONG))
    sys.exit(1 if WRONG else 0)


def import_from(folder):
    sys.dont_write_bytecode = True
    sys.path.insert(0, os.path.join(PROJECT, folder))


def trees(*folders):
    """Path and syntax tree of each Python file in the folders of the project."""
    for folder in folders:
        for at, _, names in os.walk(os.path.join(PROJECT, folder)):
            for name in sorted(names):
                if name.endswith(".py"):
                    path = os.path.join(at, name)
                    with open(path, encoding="utf-8") as text:
                        yield os.path.relpath(path, PROJECT), ast.parse(text.read())


def attributes(name, *folders):
    """Places where `.name` stands."""
    return ["%s:%d" % (path, node.lineno) for path, tree in trees(*folders) for node in ast.walk(tree)
            if isinstance(node, ast.Attribute) and node.attr == name]


def methods(cls, path):
    """The methods of a class, by name."""
    for at, tree in trees(os.path.dirname(path)):
        if at == path:
            for node in ast.walk(tree):
                if isinstance(node, ast.ClassDef) and node.name == cls:
                    return {one.name: one for one in node.body if isinstance(one, ast.FunctionDef)}
    return {}


def calls(name, *folders):
    """Place and node of each call of `name(...)` or `x.name(...)`."""
    return [("%s:%d" % (path, node.lineno), node) for path, tree in trees(*folders) for node in ast.walk(tree)
            if isinstance(node, ast.Call) and getattr(node.func, "attr", getattr(node.func, "id", None)) == name]
