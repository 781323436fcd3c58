"""build.py RELEASE OUT: carom_fuzz by clang with coverage, address sanitizer, the undefined behaviour that is
quick to compile, and asserts, for everything that reads what others have written. The rest is linked as g++ has
built it for RELEASE: with all of carom instrumented it would take clang half an hour. Compiles what has changed."""

import concurrent.futures
import json
import os
import pathlib
import shlex
import subprocess
import sys

ROOT = pathlib.Path(__file__).resolve().parents[2]
# Folders and files of src/; what is compiled is every unit of RELEASE that holds one of them.
READERS = ["scenario", "sweep", "records", "laws/force_formula.cpp", "nonsmooth/lcp.cpp", "output/rerun.cpp",
           "output/checkpoint.cpp"]  # fmt: skip
CHECKS = "address,bounds,shift,signed-integer-overflow,float-cast-overflow,enum,bool,return,unreachable"
FLAGS = ["-O1", "-gline-tables-only", "-ffp-contract=off", "-fPIC", "-w", "-fsanitize=fuzzer-no-link," + CHECKS,
         "-fno-sanitize-recover=all"]  # fmt: skip


def sources_of(unit):
    """The files of src/ that a unit compiles, relative to it."""
    if "/Unity/" not in unit:
        files = [unit]
    else:
        lines = pathlib.Path(unit).read_text().splitlines()
        files = [line.split('"')[1] for line in lines if line.startswith("#include")]
    return [os.path.relpath(file, ROOT / "src") for file in files]


def kept(command):
    """What clang needs of a command for g++."""
    words, result = shlex.split(command), []
    for word, following in zip(words, words[1:] + [""]):
        if word.startswith(("-I", "-D", "-std=")) and word != "-DNDEBUG":
            result.append(word)
        elif word == "-isystem":
            result += [word, following]
    return result


def compile_one(task):
    source, target, flags = task
    depends = target.with_suffix(".d")
    if target.exists() and depends.exists():
        names = depends.read_text().replace("\\\n", " ").split(": ", 1)[1].split()
        if all(os.path.exists(name) and os.path.getmtime(name) <= target.stat().st_mtime for name in names):
            return
    print(f"  {target.stem}", file=sys.stderr, flush=True)
    subprocess.run(["clang++-14", *FLAGS, *flags, "-MD", "-MF", depends, "-c", source, "-o", target], check=True)


def main(release, out):
    release, out = pathlib.Path(release).resolve(), pathlib.Path(out).resolve()
    out.mkdir(parents=True, exist_ok=True)
    tasks = []
    commands = json.loads((release / "compile_commands.json").read_text())
    for entry in commands:
        names = sources_of(entry["file"]) if f"{release}/src/" in entry["file"] or f"{ROOT}/src/" in entry["file"] else []
        library = entry["command"].split("CMakeFiles/")[-1].split(".dir")[0]
        if library not in ("carom", "carom_runner", "carom_workbench"):
            continue  # MPI
        if any(name == reader or name.startswith(reader + "/") for name in names for reader in READERS):
            target = out / f"{library}_{pathlib.Path(entry['file']).stem}.o"
            tasks.append((entry["file"], target, kept(entry["command"])))
    test = next(entry for entry in commands if "carom_test_fuzz.dir" in entry["command"])
    for name in ("fuzz.cpp", "targets.cpp"):
        tasks.append((ROOT / "tests/fuzz" / name, out / (name + ".o"), kept(test["command"])))
    with concurrent.futures.ThreadPoolExecutor(os.cpu_count()) as pool:
        list(pool.map(compile_one, tasks))
    ninja = subprocess.run(["ninja", "-C", release, "-t", "commands", "carom_test_fuzz"], check=True, capture_output=True, text=True)
    link = shlex.split(ninja.stdout.splitlines()[-1])
    libraries = [w for w in link if w.startswith(("-l", "-Wl")) or (w.endswith((".a", ".so")) or ".so." in w)]
    libraries = [w for w in libraries if "gtest" not in w and "test_support" not in w]
    subprocess.run(["clang++-14", f"-fsanitize=fuzzer,{CHECKS}", *[task[1] for task in tasks], *libraries, "-o", out / "carom_fuzz"],
                   check=True, cwd=release)  # fmt: skip


main(*sys.argv[1:])
