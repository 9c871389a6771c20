"""The folder of each case of bad input: the files of bad/, and inputs that a source tree cannot contain."""
import os
import pathlib
import shutil
import subprocess
import sys

HERE = pathlib.Path(__file__).resolve().parent


def make(folder, wrsim, plugins):
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
    (folder / "nul_inside.toml").write_bytes(b"[simulation]\nstop = 1.0\x00\n")
    with open(folder / "too_large.toml", "wb") as file:
        file.truncate(17 << 20)
    (folder / "foreign.c").write_text("int mine;\n")
    (folder / "plugins_text.so").write_text("not a shared object\n")
    make_faults(folder)
    make_matrices(folder)
    make_results(folder, wrsim)


def make_faults(folder):
    """Makes configs with a model that fails in one way, and a run so slow that a signal arrives before its end."""
    faulty = (folder / "faulty.toml").read_text()
    for name, stop, fault, more in (("nan_state", "1.0", "nan_time = 0.5", ""), ("nan_output", "1.0", "nan_output_time = 0.5", ""),
                                    ("blow_up", "5.0", "blowup_time = 0.5", ""),
                                    ("long_run", "1e5", "burn = 2000", "relaxation.window = { initial = 0.1, min = 0.01, max = 0.1 }\n")):
        text = faulty.replace("faulty.csv", name + ".csv").replace("1.0", stop).replace("{  }", "{ %s }" % fault)
        (folder / (name + ".toml")).write_text(more + text)


def make_matrices(folder):
    """Makes Matrix Market files for `wrsim reduce` (a valid ladder of three nodes, and files with one error each), a singular pattern, and
    an incomplete state-space file."""
    head = "%%MatrixMarket matrix coordinate real general\n"
    ladder = "3 3 7\n1 1 2\n1 2 -1\n2 1 -1\n2 2 2\n2 3 -1\n3 2 -1\n3 3 1\n"
    texts = {"G": head + ladder, "b": head + "3 1 1\n1 1 1\n", "l": head + "3 1 1\n3 1 1\n",
             "floating_G": head + ladder.replace("1 1 2", "1 1 1"),
             "empty_row_G": head + "3 3 5\n1 1 2\n1 2 -1\n2 1 -1\n2 2 2\n2 3 -1\n",
             "empty_row_C": head + "3 3 2\n1 1 1\n2 2 1\n",
             "growing_G": head + ladder.replace(" -1\n", " 7\n"),
             "long_b": head + "4 1 1\n1 1 1\n", "zero_b": head + "3 1 0\n",
             "wide_G": head + "3 4 1\n1 1 1\n",
             "pattern_G": head.replace("real", "pattern") + "3 3 3\n1 1\n2 2\n3 3\n"}
    for name, text in texts.items():
        (folder / (name + ".mtx")).write_text(text)
    states = [kind % i for kind, n in (("line.v[%d]", 40), ("line.w[%d]", 10)) for i in range(1, n + 1)]
    pattern = (folder / "pattern.mtx").read_text().split("%wrsim state")[0] # without the entry of line.w[3]
    (folder / "pattern_singular.mtx").write_text(
        pattern + "".join("%%wrsim state %d %s\n" % row for row in enumerate(states, 1)) + "50 50 49\n"
        + "".join("%d %d\n" % (i, i) for i in range(1, 51) if i != 43))
    (folder / "cut.ss").write_text("wrsim state space 1\nmodel m\nstates 2\nA 1 1\n")


def make_results(folder, wrsim):
    """Makes result files for `wrsim compare`."""
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
    (folder / "no_rows.csv").write_bytes(csv[:csv.index(b"\n", csv.index(b"time [s]")) + 1])


def make_special(folder):
    """Makes no file: a copy of the folder is complete."""


def copy(source, to, *, follow_symlinks=True):
    """Links the file, which is faster than a copy. Cases write new files only, so no link changes its source."""
    os.link(source, to, follow_symlinks=follow_symlinks)
