"""Golden tests of the program, as tables: every case has an exit code and messages. TAP.

A table has sections of cases. A section may begin with lines "==== title", "$ shell words", "-> exit code" and "@ file". These
lines are the defaults of its cases and of the cases of later sections. A case:

    == name [= base]    "= base": the file of the section is the file base, which fixtures.py makes, with the edits that follow
    # note
    @ file [= base]     a further file, or a file in place of the file of the section; a section without a file has NAME.toml
    | bytes             a line of the file, at its end or after a line "=", "-" or "~"; \\x1b is a byte, \\ at the end: no newline
    - line              this line of the base is left out; lines "|" that follow take its place
    ~ line => other     the line `other` replaces this line of the base
    = line              lines "|" that follow come after this line of the base
    $ shell words       command, by default `wrsim NAME.toml`, in a folder with the files of the fixtures.py beside the table
    ! SIGNAL FILE       golden.py sends the signal when FILE has rows over more than 0.1 s
    -> exit code
    > standard error, exactly; <number> stands for any number, <word> for any word
    * standard output, exactly
    ? at FROM TO        the time in the message is between FROM and TO
    ? rows FILE FROM TO `wrsim compare FILE FILE` reads FILE, whose last row is at FROM <= t <= TO
    + file              a file that the case leaves; a result X.csv stands also for X.csv.json, X.events.csv and X.windows.csv

A case fails if the exit code, the written lines or the left files differ, or if a line "?" does not hold. A case also fails if the
program writes a control character, fails without a message, ends by an unexpected signal, or runs longer than TIMEOUT_S.

    golden.py --wrsim PROGRAM [--plugins FOLDER] [--update] TABLE [case]...
    golden.py --count TABLE... [PROGRAM]...

--update writes the present exit codes, outputs and files. --count prints the number of cases. A function of PROGRAM whose name
begins with the kind of a hostile input counts as one case, although the function tries several inputs.
"""
import argparse
import concurrent.futures
import importlib.util
import os
import pathlib
import re
import shutil
import signal
import subprocess
import sys
import tempfile
import time

import tap

HERE = pathlib.Path(__file__).resolve().parent
LEAST = 300 # hostile inputs that --count demands
NUMBER = r"[-+]?[0-9]+(?:\.[0-9]+)?(?:e[-+]?[0-9]+)?"
TIMEOUT_S = 600.0


class Case:
    """A case of a table: its lines and their meaning."""

    def __init__(self, title, usual):
        self.name, _, base = title.partition(" = ")
        self.usual = {"$": "wrsim %s.toml" % self.name, "->": -1, "@": self.name + ".toml", **usual}
        self.notes, self.files, self.command, self.signal = [], [], self.usual["$"], None
        self.code, self.err, self.out, self.checks, self.left = int(self.usual["->"]), [], [], [], []
        if base:
            self.files.append((self.usual["@"] + " = " + base, []))

    def read(self, line):
        mark, _, rest = line.partition(" ")
        if mark == "@":
            self.files.append((rest, []))
        elif mark in "|-=~":
            if not self.files:
                self.files.append((self.usual["@"], []))
            self.files[-1][1].append((mark, rest))
        elif mark == "$":
            self.command = rest
        elif mark == "!":
            self.signal = rest.split()
        elif mark == "->":
            self.code = int(rest)
        else:
            {"#": self.notes, ">": self.err, "*": self.out, "?": self.checks, "+": self.left}[mark].append(rest)

    def text(self):
        files, title = [("@ " + name, edits) for name, edits in self.files], self.name
        if files and (files[0][0] + " = ").startswith("@ %s = " % self.usual["@"]) and (" = " in files[0][0] or files[0][1]):
            title += files[0][0].removeprefix("@ " + self.usual["@"])
            files[0] = ("", files[0][1])
        lines = ["== " + title] + ["# " + note for note in self.notes]
        for name, edits in files:
            lines += [name] * bool(name) + [(mark + " " + line) for mark, line in edits]
        lines += [] if self.command == self.usual["$"] else ["$ " + self.command]
        lines += ["! " + " ".join(self.signal)] if self.signal else []
        lines += [] if self.code == int(self.usual["->"]) else ["-> %s" % self.code]
        for mark, part in ((">", self.err), ("*", self.out), ("?", self.checks), ("+", self.left)):
            lines += [mark + " " + line for line in part]
        return "".join(line.rstrip() + "\n" if len(line) == 2 else line + "\n" for line in lines)


def read_table(path):
    """Returns the parts of a table in their order: cases, and lists of lines that begin sections."""
    parts, usual = [[]], {}
    for number, line in enumerate(path.read_text().splitlines(), 1):
        mark, _, rest = line.partition(" ")
        if mark == "==":
            parts.append(Case(rest, usual))
        elif mark == "====":
            parts.append([line])
        elif line and isinstance(parts[-1], list):
            parts[-1].append(line)
            usual = {**usual, mark: rest}
        elif line:
            try:
                parts[-1].read(line)
            except (KeyError, IndexError, ValueError):
                sys.exit("Bail out! %s:%d: cannot be read" % (path.name, number))
    return parts


def edited(base, edits):
    """Returns the lines of a base with edits, which are pairs of a mark and a line."""
    lines, end, at = list(base), [], None
    for mark, line in edits:
        if mark == "|" and at is None:
            end.append(line)
        elif mark == "|":
            lines.insert(at, line)
            at += 1
        else:
            line, _, other = line.partition(" => ") if mark == "~" else (line, "", "")
            at = lines.index(line, at or 0) + (mark in "=~")
            if mark == "-":
                del lines[at]
            elif mark == "~":
                lines[at - 1] = other
    return lines + end


def bytes_of(lines):
    """Returns the bytes that the lines of a file represent."""
    text = "".join(line[:-1] if line.endswith("\\") and not line.endswith("\\\\") else line + "\n" for line in lines)
    return re.sub(rb"\\x([0-9a-f]{2})", lambda found: bytes([int(found[1], 16)]), text.encode())


def escaped(raw):
    """Returns ASCII lines of the bytes, and whether the bytes contain control characters."""
    is_raw = re.search(r"[\x00-\x08\x0b-\x1f\x7f-\x9f]", raw.decode(errors="backslashreplace")) is not None
    text = re.sub(rb"[^\n\x20-\x7e]", lambda found: b"\\x%02x" % ord(found[0]), raw).decode()
    return text.splitlines(), is_raw


# ---- one case ----

def span_of(folder, wrsim, file):
    """Returns first and last time of a result file, and the reason if the file cannot be read."""
    run = subprocess.run([wrsim, "compare", file, file], cwd=folder, capture_output=True, text=True, check=False)
    found = re.search(r"^compared [0-9]+ signals? at [0-9]+ points?, t = (%s) s to (%s) s" % (NUMBER, NUMBER), run.stdout, re.M)
    if run.returncode != 0 or not found:
        return None, run.stderr.strip() or "exit code %d\n%s" % (run.returncode, run.stdout)
    return (float(found[1]), float(found[2])), ""


def send_signal(case, folder, wrsim, process):
    """Sends the signal of the case as soon as its file has rows over more than 0.1 s."""
    name, file = case.signal
    end = time.monotonic() + TIMEOUT_S
    while process.poll() is None and time.monotonic() < end:
        span, _ = span_of(folder, wrsim, file)
        if span and span[1] > span[0] + 0.1:
            os.killpg(process.pid, getattr(signal, "SIG" + name))
            return
        time.sleep(0.005)


def rows_problem(folder, wrsim, is_killed, file, first, last):
    """Returns the problem with a result file of a failed run, or None."""
    span, text = span_of(folder, wrsim, file)
    if file.endswith(".csv") and not is_killed:
        lines = (folder / file).read_bytes().split(b"\n")
        head = next(line for line in lines if line.startswith(b"time [s]"))
        if lines[-1] or lines[-2].count(b",") != head.count(b","):
            return "%s ends in the middle of a row: %s" % (file, lines[-2:])
    if not span:
        return "%s cannot be read again: %s" % (file, text)
    if not float(first) <= span[1] <= float(last):
        return "%s ends at t = %g s, expected %s to %s" % (file, span[1], first, last)
    return None


def at_problem(err, first, last):
    """Returns the problem with the time in a message, or None."""
    found = re.search(r"at t = (%s) s" % NUMBER, "\n".join(err))
    if not found or not float(first) <= float(found[1]) <= float(last):
        return "names no time between %s s and %s s" % (first, last)
    return None


def run(case, wrsim, stock, fixtures):
    """Returns exit code, lines of both outputs, new files, and problems that fail any case."""
    problems = []
    with tempfile.TemporaryDirectory() as scratch:
        folder = pathlib.Path(scratch) / "f"
        shutil.copytree(stock, folder, symlinks=True, copy_function=fixtures.copy)
        fixtures.make_special(folder)
        for names, edits in case.files:
            name, _, base = names.partition(" = ")
            lines = (folder / base).read_text().splitlines() if base else []
            (folder / name).write_bytes(bytes_of(edited(lines, edits)))
        before = everything(folder)
        environment = {"PATH": os.path.dirname(wrsim) + ":/usr/bin:/bin", "LC_ALL": "C", "HOME": scratch,
                       "LSAN_OPTIONS": "print_suppressions=0:suppressions=" + str(HERE / "leaks.txt"),
                       **{name: value for name, value in os.environ.items() if "SAN_OPTIONS" in name}}
        process = subprocess.Popen(["/bin/sh", "-c", case.command], cwd=folder, env=environment, stdin=subprocess.DEVNULL,
                                   stdout=subprocess.PIPE, stderr=subprocess.PIPE, start_new_session=True)
        if case.signal:
            send_signal(case, folder, wrsim, process)
        try:
            out, err = process.communicate(timeout=TIMEOUT_S)
        except subprocess.TimeoutExpired:
            os.killpg(process.pid, signal.SIGKILL)
            out, err = process.communicate()
            problems.append("hangs")
        left = without_logs(everything(folder)) - before
        left = sorted(name for name in left if not (name.endswith(".csv.json") and name[:-5] in left))
        err_lines, is_raw = escaped(err)
        out_lines, is_raw_out = escaped(out)
        for kind, *words in (check.split() for check in case.checks):
            problems.append(at_problem(err_lines, *words) if kind == "at" else
                            rows_problem(folder, wrsim, process.returncode < 0, *words))
    code = process.returncode
    if is_raw or is_raw_out:
        problems.append("control characters reach the terminal")
    if (code < 0 or code > 130) and code != case.code:
        problems.append("crashes, exit code %d" % code)
    if code > 0 and not err_lines and "2>" not in case.command and not (code == 1 and out_lines):
        problems.append("fails without a word")
    return code, err_lines, out_lines, left, [problem for problem in problems if problem]


def without_logs(names):
    """Returns the names without the logs beside results in CSV format."""
    logs = {name.removesuffix(".csv") + ending for name in names if name.endswith(".csv") for ending in (".events.csv", ".windows.csv")}
    return names - logs


def everything(folder):
    return {escaped(os.fsencode(path.relative_to(folder)))[0][0] for path in folder.rglob("*")}


def matches(expected, lines):
    pattern = re.escape("\n".join(expected)).replace(re.escape("<number>"), NUMBER).replace(re.escape("<word>"), r"\S+")
    return re.fullmatch(pattern, "\n".join(lines)) is not None


def problems_of(case, wrsim, stock, fixtures, is_update):
    code, err, out, left, problems = run(case, wrsim, stock, fixtures)
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


# ---- all cases ----

def fixtures_beside(table):
    """Returns the module fixtures.py in the folder of the table."""
    spec = importlib.util.spec_from_file_location("fixtures", table.parent / "fixtures.py")
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module


def test(table, options):
    parts = read_table(table)
    cases = [part for part in parts if isinstance(part, Case)]
    unknown = set(options.which[1:]) - {part.name for part in cases}
    if unknown:
        sys.exit(f"{options.which[0]} has no section {' '.join(sorted(unknown))}; give one table, and then names of its sections")
    chosen = [part for part in cases if not options.which[1:] or part.name in options.which[1:]]
    fixtures, wrsim = fixtures_beside(table), os.path.abspath(options.wrsim)
    with tempfile.TemporaryDirectory() as stock, concurrent.futures.ThreadPoolExecutor(2) as pool:
        fixtures.make(pathlib.Path(stock), wrsim, options.plugins)
        found = pool.map(lambda case: (case.name, "\n".join(problems_of(case, wrsim, stock, fixtures, options.update))), chosen)
        code = tap.report(len(chosen), found)
    if options.update:
        table.write_text("\n".join(part.text() if isinstance(part, Case) else "".join(line + "\n" for line in part) for part in parts))
    return code


def count(paths):
    """Prints a TAP of one test: the tables and programs have enough cases."""
    n = {}
    for path in paths:
        if path.suffix == ".txt":
            n[path.stem] = n.get(path.stem, 0) + sum(isinstance(part, Case) for part in read_table(path))
        else:
            for kind in re.findall(r"^def (plugins|signals|files|terminals)_", path.read_text(), re.M):
                n[kind] = n.get(kind, 0) + 1
    total = sum(n.values())
    print("1..1\n%sok 1 - %d hostile inputs: %s" % ("" if total >= LEAST else "not ", total, ", ".join(
        "%d %s" % (n[kind], kind) for kind in sorted(n, key=n.get, reverse=True))))
    return 0 if total >= LEAST else 1


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("--wrsim")
    parser.add_argument("--plugins", type=os.path.abspath)
    parser.add_argument("--count", action="store_true")
    parser.add_argument("--update", action="store_true")
    parser.add_argument("which", nargs="+")
    options = parser.parse_args()
    if options.count:
        return count([pathlib.Path(path) for path in options.which])
    return test(pathlib.Path(options.which[0]), options)


if __name__ == "__main__":
    sys.exit(main())
