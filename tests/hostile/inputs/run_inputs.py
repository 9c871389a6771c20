"""Hostile inputs, as tables: every case ends with its exit code and its message. TAP.

A case of KIND.txt:

    == name
    @ file              bytes of a file, as lines that begin with "| "; \\x1b and the like are bytes, \\ at the end: no newline
    $ shell words       in a folder of its own, which holds what fixtures.py makes; wrsim is in the path
    -> exit code
    > standard error, exactly; <number> stands for any number, <word> for any word
    * standard output, exactly
    + file              that is left, and would not be there otherwise

What is not said must not be: no other output, no other file left, no control characters, no signal, no more than TIMEOUT_S.

    run_inputs.py --wrsim PROGRAM [--update] [KIND | case]...
    run_inputs.py --count

--update writes exit codes, outputs and files as they are now: read them. --count says how many hostile inputs there are, by
kind: here, in ../../config/cases.txt, and as tests of ../run_hostile.py, which counts each as one although it tries several.
"""
import argparse
import concurrent.futures
import os
import pathlib
import re
import shutil
import signal
import subprocess
import sys
import tempfile

sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), "../../harness"))
import fixtures
import tap

HERE = pathlib.Path(__file__).resolve().parent
KINDS = ["control", "config", "line", "environment", "files", "results", "tables", "matrices", "checkpoints", "numbers", "sweep"]
# What the families of ../../config/cases.txt are.
FAMILIES = {"syntax": "config", "keys": "config", "values": "config", "models": "plug-ins", "graph": "config",
            "pattern": "matrices", "plugins": "plug-ins", "usage": "line", "files": "files", "runtime": "runs",
            "ports": "config", "scenarios": "config", "realtime": "config", "compare": "results", "signals": "signals",
            "reduce": "matrices"}
LEAST = 300
NUMBER = r"[-+]?[0-9]+(?:\.[0-9]+)?(?:e[-+]?[0-9]+)?"
TIMEOUT_S = 600.0


class Case:
    """Lines as they are written, and what they say."""

    def __init__(self, name):
        self.name, self.notes, self.files, self.command = name, [], [], ""
        self.code, self.err, self.out, self.left = None, [], [], []

    def read(self, line):
        mark, _, rest = line.partition(" ")
        if mark == "@":
            self.files.append((rest, []))
        elif mark == "|":
            self.files[-1][1].append(rest)
        elif mark == "$":
            self.command = rest
        elif mark == "->":
            self.code = int(rest)
        elif mark == "#":
            self.notes.append(rest)
        else:
            {">": self.err, "*": self.out, "+": self.left}[mark].append(rest)

    def text(self):
        lines = ["== " + self.name] + ["# " + note for note in self.notes]
        for name, text in self.files:
            lines += ["@ " + name] + [("| " + line).rstrip(" ") if line == "" else "| " + line for line in text]
        lines += ["$ " + self.command, "-> %s" % self.code]
        for mark, part in ((">", self.err), ("*", self.out), ("+", self.left)):
            lines += [(mark + " " + line).rstrip() if line == "" else mark + " " + line for line in part]
        return "\n".join(lines) + "\n"


def read_cases(path):
    head, cases = [], []
    for number, line in enumerate(path.read_text().splitlines(), 1):
        if line.startswith("== "):
            cases.append(Case(line[3:]))
        elif not cases:
            head.append(line)
        elif line:
            try:
                cases[-1].read(line)
            except (KeyError, IndexError, ValueError):
                sys.exit("Bail out! %s:%d: cannot be read" % (path.name, number))
    return head, cases


def bytes_of(lines):
    """What the escapes of a file's lines say."""
    text = "".join(line[:-1] if line.endswith("\\") and not line.endswith("\\\\") else line + "\n" for line in lines)
    return re.sub(rb"\\x([0-9a-f]{2})", lambda found: bytes([int(found[1], 16)]), text.encode())


def escaped(raw):
    """ASCII lines, and whether there are control characters in them."""
    is_raw = re.search(r"[\x00-\x08\x0b-\x1f\x7f-\x9f]", raw.decode(errors="backslashreplace")) is not None
    text = re.sub(rb"[^\n\x20-\x7e]", lambda found: b"\\x%02x" % ord(found[0]), raw).decode()
    return text.splitlines(), is_raw


def run(case, wrsim, stock):
    """Exit code, lines of the outputs, files left, problems that no golden text excuses."""
    problems = []
    with tempfile.TemporaryDirectory() as scratch:
        folder = pathlib.Path(scratch) / "f"
        shutil.copytree(stock, folder, symlinks=True)
        fixtures.make_special(folder)
        for name, lines in case.files:
            (folder / name).write_bytes(bytes_of(lines))
        before = everything(folder)
        environment = {"PATH": os.path.dirname(wrsim) + ":/usr/bin:/bin", "LC_ALL": "C", "HOME": scratch,
                       "LSAN_OPTIONS": "print_suppressions=0:suppressions=" + str(HERE / "leaks.txt"),
                       **{name: value for name, value in os.environ.items() if "SAN_OPTIONS" in name}}
        process = subprocess.Popen(["/bin/sh", "-c", case.command], cwd=folder, env=environment, stdin=subprocess.DEVNULL,
                                   stdout=subprocess.PIPE, stderr=subprocess.PIPE, start_new_session=True)
        try:
            out, err = process.communicate(timeout=TIMEOUT_S)
        except subprocess.TimeoutExpired:
            os.killpg(process.pid, signal.SIGKILL)
            out, err = process.communicate()
            problems.append("hangs")
        left = sorted(everything(folder) - before)
    err_lines, is_raw = escaped(err)
    out_lines, is_raw_out = escaped(out)
    if is_raw or is_raw_out:
        problems.append("control characters reach the terminal")
    if process.returncode < 0 or process.returncode > 130:
        problems.append("crashes, exit code %d" % process.returncode)
    if process.returncode != 0 and not err_lines and "2>" not in case.command and not (process.returncode == 1 and out_lines):
        problems.append("fails without a word")
    return process.returncode, err_lines, out_lines, left, problems


def everything(folder):
    return {escaped(os.fsencode(path.relative_to(folder)))[0][0] for path in folder.rglob("*")}


def matches(expected, lines):
    pattern = re.escape("\n".join(expected)).replace(re.escape("<number>"), NUMBER).replace(re.escape("<word>"), r"\S+")
    return re.fullmatch(pattern, "\n".join(lines)) is not None


def problems_of(case, wrsim, stock, is_update):
    code, err, out, left, problems = run(case, wrsim, stock)
    if is_update:
        case.code, case.left = code, left
        case.err = case.err if matches(case.err, err) else err
        case.out = case.out if matches(case.out, out) else out
    if code != case.code:
        problems.append("exit code %s, expected %s" % (code, case.code))
    for what, lines, expected in (("standard error", err, case.err), ("standard output", out, case.out)):
        if not matches(expected, lines):
            problems.append("\n".join(["on " + what, *lines, "expected", *expected]))
    if left != sorted(case.left):
        problems.append("leaves %s, expected %s" % (left, case.left))
    return problems


def test(cases, wrsim, is_update):
    with tempfile.TemporaryDirectory() as stock, concurrent.futures.ThreadPoolExecutor(2) as pool:
        fixtures.make(pathlib.Path(stock), wrsim)
        found = pool.map(lambda case: (case.name, "\n".join(problems_of(case, wrsim, stock, is_update))), cases)
        return tap.report(len(cases), found)


def count(tables):
    """A TAP of one test: there are enough, and some of each kind."""
    n = {kind: len(cases) for kind, (_, cases) in tables.items()}
    for line in (HERE / "../../config/cases.txt").read_text().splitlines():
        if line.startswith("["):
            kind = FAMILIES[line.strip("[]")]
        elif line and not line.startswith("#"):
            n[kind] = n.get(kind, 0) + 1
    program = HERE / "../run_hostile.py"
    for kind in re.findall(r"^def (plugins|signals|files|terminals)_", program.read_text(), re.M) if program.exists() else []:
        kind = kind.replace("plugins", "plug-ins")
        n[kind] = n.get(kind, 0) + 1
    total = sum(n.values())
    print("1..1\n%sok 1 - %d hostile inputs: %s" % ("" if total >= LEAST else "not ", total, ", ".join(
        "%d %s" % (n[kind], kind) for kind in sorted(n, key=n.get, reverse=True))))
    return 0 if total >= LEAST else 1


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("--wrsim")
    parser.add_argument("--count", action="store_true")
    parser.add_argument("--update", action="store_true")
    parser.add_argument("which", nargs="*")
    options = parser.parse_args()
    tables = {kind: read_cases(HERE / (kind + ".txt")) for kind in KINDS if (HERE / (kind + ".txt")).exists()}
    if options.count:
        return count(tables)
    chosen = [case for kind, (_, cases) in tables.items() for case in cases
              if not options.which or kind in options.which or case.name in options.which]
    code = test(chosen, os.path.abspath(options.wrsim), options.update)
    if options.update:
        for kind, (head, cases) in tables.items():
            (HERE / (kind + ".txt")).write_text("\n".join(head) + "\n" + "\n".join(case.text() for case in cases))
    return code


if __name__ == "__main__":
    sys.exit(main())
