#!/usr/bin/env python3
"""How cost grows with a project: run.py PEELBACK FOLDER [NAME]

FOLDER is what make.py laid out; NAME a name whose references are asked for. For each size: processor time (user and
system, the median of five processes) and peak memory, the exponents fitted through them, and the memory for each byte of
source. The cached runs are made by processes that find the cache full.
"""
import math, os, statistics, subprocess, sys, tempfile

RUNS = 5


def cost(command, environment):
    """Seconds of processor time, and the peak memory in bytes."""
    with open(os.devnull, "wb") as nowhere:
        process = subprocess.Popen(command, stdout=nowhere, stderr=nowhere, stdin=subprocess.DEVNULL, env=environment)
        _, status, used = os.wait4(process.pid, 0)
    process.returncode = os.waitstatus_to_exitcode(status)
    if process.returncode not in (0, 1):
        sys.exit(f"{command}: {process.returncode}")
    unit = 1 if sys.platform == "darwin" else 1024
    return used.ru_utime + used.ru_stime, used.ru_maxrss * unit


def exponent(points):
    """The slope of the line through the logarithms."""
    xs, ys = [math.log(x) for x, _ in points], [math.log(y) for _, y in points]
    x, y = statistics.mean(xs), statistics.mean(ys)
    return sum((a - x) * (b - y) for a, b in zip(xs, ys)) / sum((a - x) ** 2 for a in xs)


def source(root):
    """Files and bytes of a project."""
    sizes = [os.path.getsize(os.path.join(folder, name)) for folder, _, names in os.walk(root) for name in names]
    return len(sizes), sum(sizes)


def main():
    program, folder = os.path.abspath(sys.argv[1]), sys.argv[2]
    name = sys.argv[3] if len(sys.argv) > 3 else "Options"
    sizes = sorted(int(entry) for entry in os.listdir(folder) if entry.isdigit())
    roots = {size: os.path.abspath(os.path.join(folder, str(size))) for size in sizes}
    calls = [
        ("dependencies of the project, no cache", ["dependencies", "--json", "--no-cache"]),
        ("the same with the cache", ["dependencies", "--json"]),
        (f"references of {name}, no cache", ["find-references", name, "--json", "--no-cache"]),
        ("the same with the cache", ["find-references", name, "--json"]),
    ]
    print("| call | files | MB of source | CPU, s | exponent in files | in bytes | peak MB | bytes for a byte |")
    print("| --- | --- | --- | --- | --- | --- | --- | --- |")
    with tempfile.TemporaryDirectory() as cache:
        environment = {**os.environ, "PEELBACK_CACHE_DIR": cache, "PEELBACK_CACHE_MEGABYTES": "4096"}
        for what, call in calls:
            times, spaces = [], []
            for size in sizes:
                files, total = source(roots[size])
                command = [program, *call, "--root", roots[size]]
                cost(command, environment)
                runs = [cost(command, environment) for _ in range(RUNS)]
                seconds, memory = statistics.median(run[0] for run in runs), max(run[1] for run in runs)
                times.append((files, total, seconds))
                spaces.append(memory)
                last = size == sizes[-1] and len(sizes) > 1
                fits = [exponent([(t[axis], t[2]) for t in times]) for axis in (0, 1)] if last else None
                shown = f"{fits[0]:.2f} | {fits[1]:.2f}" if fits else " | "
                print(f"| {what} | {files:,} | {total / 1e6:.1f} | {seconds:.2f} | {shown} | {memory / 1e6:.0f} | "
                      f"{memory / total:.1f} |", flush=True)


if __name__ == "__main__":
    main()
