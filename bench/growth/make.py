#!/usr/bin/env python3
"""Lays out projects of 1,000, 10,000 and 50,000 source files made of published packages: make.py FOLDER [SIZE...]

The packages come at pinned versions through pip, npm and cargo; nothing in them is run. What is put into a project are
units: a package, or, of packages that are thousands of files, a folder of it that stands for itself (an integration, a
collection); one of more files than the smallest project has room for is split into its folders. The order of the units is
drawn once, so that a project holds the smaller ones, and all are of the same mixture: large packages have larger files.
"""
import hashlib, json, os, shutil, subprocess, sys, tarfile, zipfile

# Package, version, and how deep below its folder its units lie.
PYTHON = [("homeassistant", "2025.1.4", 2), ("ansible", "11.1.0", 2), ("Django", "5.2", 2), ("sympy", "1.13.3", 1), ("scipy", "1.15.2", 1)]
NODE = [("antd", "5.23.0", 2), ("date-fns", "4.1.0", 1), ("rxjs", "7.8.1", 2), ("core-js", "3.40.0", 1), ("effect", "3.12.0", 1)]
ENDINGS = {".py", ".pyi", ".js", ".mjs", ".cjs", ".jsx", ".ts", ".mts", ".cts", ".tsx", ".rs", ".c", ".h", ".go"}
CONFIGURATIONS = {"package.json", "tsconfig.json", "Cargo.toml", "pyproject.toml", "go.mod"}
LARGEST = 100_000
UNIT = 50
SIZES = [1_000, 10_000, 50_000]


def fetch(sources):
    """Unpacks every package below `sources`; gives (folder, depth of its units)."""
    found = []
    for name, version, depth in PYTHON:
        folder = os.path.join(sources, "python", name)
        if not os.path.isdir(folder):
            wheels = os.path.join(sources, "wheels")
            subprocess.run([sys.executable, "-m", "pip", "download", "--quiet", "--no-deps", "--only-binary", ":all:",
                            "--python-version", "3.13", "--dest", wheels, f"{name}=={version}"], check=True)
            wheel = next(w for w in os.listdir(wheels) if w.lower().startswith(name.lower().replace("-", "_") + "-"))
            with zipfile.ZipFile(os.path.join(wheels, wheel)) as archive:
                archive.extractall(folder)
        found.append((folder, depth))
    for name, version, depth in NODE:
        folder = os.path.join(sources, "node", name)
        if not os.path.isdir(folder):
            made = subprocess.run(["npm", "pack", "--silent", f"{name}@{version}"], cwd=sources, check=True,
                                  capture_output=True, text=True).stdout.split()[-1]
            with tarfile.open(os.path.join(sources, made)) as archive:
                archive.extractall(folder, filter="data")
            os.remove(os.path.join(sources, made))
        found.append((os.path.join(folder, "package") if os.path.isdir(os.path.join(folder, "package")) else folder, depth))
    vendored = os.path.join(sources, "rust")
    if not os.path.isdir(vendored):
        manifest = os.path.join(os.path.dirname(os.path.abspath(__file__)), "..", "..", "Cargo.toml")
        subprocess.run(["cargo", "vendor", "--quiet", "--locked", "--manifest-path", manifest, vendored], check=True,
                       stdout=subprocess.DEVNULL)
    found += [(os.path.join(vendored, crate), 0) for crate in sorted(os.listdir(vendored))]
    return found


def is_source(folder, name):
    if name not in CONFIGURATIONS and os.path.splitext(name)[1] not in ENDINGS:
        return False
    path = os.path.join(folder, name)
    return not os.path.islink(path) and os.path.getsize(path) <= LARGEST


def units(package, depth):
    """The units of a package: each a list of paths below it."""
    found = {}
    for folder, folders, names in os.walk(package):
        folders.sort()
        relative = os.path.relpath(folder, package)
        parts = [] if relative == "." else relative.split(os.sep)
        for name in sorted(names):
            if is_source(folder, name):
                found.setdefault("/".join(parts[:depth]), []).append(os.path.join(*parts, name))
    return {key: paths for unit, all_paths in found.items() for key, paths in split(unit, all_paths, depth)}


def split(unit, paths, depth):
    """A unit as parts of at most UNIT files, by its folders."""
    if len(paths) <= UNIT:
        return [(unit, paths)]
    inside, here = {}, []
    for path in paths:
        parts = path.split(os.sep)
        (inside.setdefault(parts[depth], []) if len(parts) > depth + 1 else here).append(path)
    parts = [(f"{unit}:{at}", here[at:at + UNIT]) for at in range(0, len(here), UNIT)]
    return parts + [part for name, below in inside.items() for part in split(f"{unit}/{name}", below, depth + 1)]


def main():
    target = os.path.abspath(sys.argv[1])
    sizes = sorted(int(size) for size in sys.argv[2:]) or SIZES
    sources = os.path.join(target, "sources")
    os.makedirs(sources, exist_ok=True)
    everything = []
    for package, depth in fetch(sources):
        for unit, paths in units(package, depth).items():
            key = os.path.relpath(package, sources) + "/" + unit
            everything.append((hashlib.sha256(key.encode()).hexdigest(), package, paths))
    everything.sort()
    print(f"{sum(len(paths) for _, _, paths in everything)} files in {len(everything)} units")
    for size in sizes:
        root = os.path.join(target, str(size))
        shutil.rmtree(root, ignore_errors=True)
        os.makedirs(os.path.join(root, ".git"))
        count = total = 0
        for _, package, paths in everything:
            for path in paths if count < size else []:
                to = os.path.join(root, os.path.relpath(package, sources), path)
                os.makedirs(os.path.dirname(to), exist_ok=True)
                shutil.copyfile(os.path.join(package, path), to)
                count += 1
                total += os.path.getsize(to)
        print(json.dumps({"root": root, "files": count, "bytes": total}))
        if count < size:
            sys.exit(f"there are {count} files, fewer than {size}")


if __name__ == "__main__":
    main()
