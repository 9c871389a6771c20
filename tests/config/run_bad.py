"""Golden tests of bad input: every case must end with its message and its exit code.

A case is a line of cases.txt:

    name  exit-code  [arguments] [; check]...

It runs `wrsim name.toml arguments`, or just `wrsim arguments` when they begin with '!', in a
scratch folder that holds copies of bad/*.toml, *.csv and *.mtx, the plug-ins as plugins/, and the files of
make_fixtures(). Standard error must equal bad/name.err, where <number> stands for any number;
standard output must be empty. Checks:

    rows FILE FROM TO    `wrsim compare FILE FILE` reads FILE, whose last row is at FROM <= t <= TO
    limit BYTES          no file can grow beyond that (the disk is full in the middle of a run)
    at FROM TO           the time that the message names is between them
    signal NAME FILE     the signal is sent when FILE, read meanwhile, holds rows
    stdout_full          standard output is a full disk

    run_bad.py --wrsim PROGRAM --plugins FOLDER [--update] [family | case]...

The output is TAP. --update writes the .err files from what the program says now: read them.
"""
import argparse
import os
import pathlib
import re
import resource
import shutil
import signal
import subprocess
import sys
import tempfile
import time

sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), "../harness"))
import tap

HERE = pathlib.Path(__file__).resolve().parent
NUMBER = r"[-+]?[0-9]+(?:\.[0-9]+)?(?:e[-+]?[0-9]+)?"
TIMEOUT_S = 500.0


class Case:
    def __init__(self, family, line):
        command, *self.checks = [part.strip() for part in line.split(";")]
        words = command.split()
        self.family, self.name = family, words[0]
        self.exit_code, self.words = int(words[1]), words[2:]
        self.checks = [check.split() for check in self.checks]

    def arguments(self):
        if self.words[:1] == ["!"]:
            return [word.replace("\\s", " ") for word in self.words[1:]]
        return [self.name + ".toml"] + [word.replace("\\s", " ") for word in self.words]

    def check(self, name):
        return next((check[1:] for check in self.checks if check[0] == name), None)


def read_cases(path):
    cases, family = [], None
    for line in path.read_text().splitlines():
        line = line.strip()
        if line.startswith("["):
            family = line.strip("[]")
        elif line and not line.startswith("#"):
            cases.append(Case(family, line))
    return cases


# ---- the scratch folder ----

def make_fixtures(folder, plugins, wrsim):
    """What cannot lie in the source tree as a file."""
    for path in sorted([*(HERE / "bad").glob("*.toml"), *(HERE / "bad").glob("*.csv"),
                        *(HERE / "bad").glob("*.mtx")]):
        shutil.copy(path, folder)
    (folder / "plugins").symlink_to(plugins)
    (folder / "a_folder.toml").mkdir()
    (folder / "a_folder.csv").mkdir()
    (folder / "a_folder.h5").mkdir()
    (folder / "a_loop.toml").symlink_to("a_loop.toml")
    (folder / "full.csv").symlink_to("/dev/full")
    (folder / "full.h5").symlink_to("/dev/full")
    (folder / "empty_file.toml").write_bytes(b"")
    (folder / "binary_file.toml").write_bytes(b"\x7fELF\x02\x01\x01\x00\x00\xff\xfe" * 20)
    (folder / "bad_utf8.toml").write_bytes(b"[simulation]\nstop = 1.0 # \xc3\x28\n")
    (folder / "nul_inside.toml").write_bytes(b"[simulation]\nstop = 1.0\x00\n")
    with open(folder / "too_large.toml", "wb") as file:
        file.truncate(17 << 20)
    (folder / "foreign.c").write_text("int mine;\n")
    (folder / "plugins_text.so").write_text("not a shared object\n")
    make_matrices(folder)
    make_results(folder, wrsim)


def make_matrices(folder):
    """Matrix Market files for `wrsim reduce`: a ladder of three nodes in order, and what is wrong with others."""
    head = "%%MatrixMarket matrix coordinate real general\n"
    ladder = "3 3 7\n1 1 2\n1 2 -1\n2 1 -1\n2 2 2\n2 3 -1\n3 2 -1\n3 3 1\n"
    texts = {"G": head + ladder, "b": head + "3 1 1\n1 1 1\n", "l": head + "3 1 1\n3 1 1\n",
             "floating_G": head + ladder.replace("1 1 2", "1 1 1"),
             "empty_row_G": head + "3 3 5\n1 1 2\n1 2 -1\n2 1 -1\n2 2 2\n2 3 -1\n",
             "empty_row_C": head + "3 3 2\n1 1 1\n2 2 1\n",
             "growing_G": head + ladder.replace(" -1\n", " 7\n"),
             "long_b": head + "4 1 1\n1 1 1\n", "zero_b": head + "3 1 0\n",
             "wide_G": head + "3 4 1\n1 1 1\n", "nan_G": head + ladder.replace("1 1 2", "1 1 nan"),
             "outside_G": head + ladder.replace("3 3 1\n", "4 3 1\n"),
             "cut_G": head + ladder[:-6], "text_G": "a ladder\n",
             "pattern_G": head.replace("real", "pattern") + "3 3 3\n1 1\n2 2\n3 3\n"}
    for name, text in texts.items():
        (folder / (name + ".mtx")).write_text(text)
    (folder / "cut.ss").write_text("wrsim state space 1\nmodel m\nstates 2\nA 1 1\n")


def make_results(folder, wrsim):
    """Result files for `wrsim compare`, good and bad."""
    for arguments in (["good.toml", "-o", "good.csv"], ["good.toml", "-o", "good.h5"],
                      ["good.toml", "-o", "other_times.csv", "-D", "simulation.start=5.25",
                       "-D", "simulation.stop=6.25"],
                      ["good.toml", "-o", "one_time.csv", "-D", "simulation.start=1.0",
                       "-D", "simulation.stop=2.0", "-D", "simulation.communication_step=0.3"],
                      ["good.toml", "-o", "other_signals.csv", "-D", "output.signals=['b.x']"],
                      ["good.toml", "-o", "only_a.csv", "-D", "output.signals=['a.x']"]):
        run = subprocess.run([wrsim, "-q"] + arguments, cwd=folder, capture_output=True, text=True)
        if run.returncode != 0:
            sys.exit("Bail out! cannot make the results to compare: " + run.stderr)
    csv = (folder / "good.csv").read_bytes()
    head = csv.index(b"time [s]")
    end_of_names = csv.index(b"\n", head)
    (folder / "cut_row.csv").write_bytes(csv[:-7])
    (folder / "cut_head.csv").write_bytes(csv[:head - 40])
    (folder / "no_rows.csv").write_bytes(csv[:end_of_names + 1])
    (folder / "bad_number.csv").write_bytes(csv[:end_of_names + 1] +
                                            b"0.0,c,1.0,oops\n0.1,c,1.0,1.0\n")
    (folder / "foreign.csv").write_text("name;value\npressure;12\n")
    (folder / "empty.csv").write_bytes(b"")
    h5 = (folder / "good.h5").read_bytes()
    (folder / "cut.h5").write_bytes(h5[:len(h5) // 3])
    (folder / "only_signature.h5").write_bytes(h5[:8])
    (folder / "text.h5").write_text("this is not HDF5\n")


# ---- one case ----

def span_of(folder, wrsim, file):
    """First and last time that a result file holds, or a text that says why it cannot be read."""
    run = subprocess.run([wrsim, "compare", file, file], cwd=folder, capture_output=True, text=True)
    if run.returncode != 0:
        return None, run.stderr.strip() or "exit code %d" % run.returncode
    found = re.search(r"^compared [0-9]+ signals? at [0-9]+ points?, t = (%s) s to (%s) s" % (NUMBER, NUMBER),
                      run.stdout, re.M)
    return (float(found[1]), float(found[2])) if found else None, run.stdout


def run_case(case, folder, wrsim):
    """Exit code, standard output, standard error."""
    limit = case.check("limit")

    def prepare():
        if limit:
            signal.signal(signal.SIGXFSZ, signal.SIG_DFL)
            resource.setrlimit(resource.RLIMIT_FSIZE, (int(limit[0]), int(limit[0])))

    is_full = case.check("stdout_full") is not None
    asked = case.check("signal")
    if asked:
        (folder / asked[1]).unlink(missing_ok=True)
    out = open("/dev/full", "w") if is_full else open(folder / "stdout", "w+")
    err = open(folder / "stderr", "w+")
    with out, err:
        process = subprocess.Popen([wrsim] + case.arguments(), cwd=folder, stdout=out, stderr=err,
                                   stdin=subprocess.DEVNULL, preexec_fn=prepare)
        end = time.monotonic() + TIMEOUT_S
        while asked and process.poll() is None and time.monotonic() < end:
            span, _ = span_of(folder, wrsim, asked[1])
            if span and span[1] > span[0] + 0.1:
                process.send_signal(getattr(signal, "SIG" + asked[0]))
                break
            time.sleep(0.005)
        try:
            code = process.wait(max(0.1, end - time.monotonic()))
        except subprocess.TimeoutExpired:
            process.kill()
            process.wait()
            code = "none: it did not end within %g s" % TIMEOUT_S
        err.seek(0)
        if is_full:
            return code, "", err.read()
        out.seek(0)
        return code, out.read(), err.read()


def check_rows(folder, wrsim, is_killed, file, first, last):
    """Problems with the result file that a failed run left."""
    span, text = span_of(folder, wrsim, file)
    if file.endswith(".csv") and not is_killed:
        lines = (folder / file).read_bytes().split(b"\n")
        head = next(line for line in lines if line.startswith(b"time [s]"))
        if lines[-1] or lines[-2].count(b",") != head.count(b","):
            return ["%s ends in the middle of a row: %s" % (file, lines[-2:])]
    if not span:
        return ["%s cannot be read again: %s" % (file, text)]
    if not float(first) <= span[1] <= float(last):
        return ["%s ends at t = %g s, expected %s to %s" % (file, span[1], first, last)]
    return []


def matches(expected, text):
    pattern = re.escape(expected).replace(re.escape("<number>"), NUMBER)
    return re.fullmatch(pattern, text) is not None


def problems_of(case, folder, wrsim, is_update):
    code, out, err = run_case(case, folder, wrsim)
    golden = HERE / "bad" / (case.name + ".err")
    if is_update and not (golden.exists() and matches(golden.read_text(), err)):
        golden.write_text(err)
    problems = []
    if code != case.exit_code:
        problems.append("exit code %s, expected %d" % (code, case.exit_code))
    if out:
        problems.append("says on standard output: " + out)
    expected = golden.read_text() if golden.exists() else ""
    if not matches(expected, err):
        problems.append("says\n" + err + "expected\n" + expected)
    for check in case.checks:
        if check[0] == "rows":
            problems += check_rows(folder, wrsim, case.exit_code < 0, *check[1:])
        if check[0] == "at":
            found = re.search(r"at t = (%s) s" % NUMBER, err)
            if not found or not float(check[1]) <= float(found[1]) <= float(check[2]):
                problems.append("names no time between %s s and %s s" % (check[1], check[2]))
    return problems


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("--wrsim", required=True)
    parser.add_argument("--plugins", required=True)
    parser.add_argument("--update", action="store_true")
    parser.add_argument("which", nargs="*")
    options = parser.parse_args()
    os.environ["LC_ALL"] = "C"
    # A message must not depend on the width or kind of a terminal.
    os.environ.pop("TERM", None)
    cases = [case for case in read_cases(HERE / "cases.txt")
             if not options.which or case.family in options.which or case.name in options.which]
    wrsim = os.path.abspath(options.wrsim)
    with tempfile.TemporaryDirectory() as scratch:
        folder = pathlib.Path(scratch)
        make_fixtures(folder, os.path.abspath(options.plugins), wrsim)
        return tap.report(len(cases), ((case.name, "\n".join(problems_of(case, folder, wrsim, options.update))) for case in cases))


if __name__ == "__main__":
    sys.exit(main())
