"""Result files of all formats: conversions, files of older versions, MAT files of other programs, killed runs, and readers of other programs.

    result_files.py --wrsim WRSIM --source FOLDER --tier TIER
"""
import json
import os
import resource
import shutil
import signal
import struct
import subprocess
import sys
import time
import zlib

sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), "..", "harness"))
import tap
from tap import expect

FORMATS = ("csv", "h5", "mat")


class Place:
    def __init__(self, options, folder):
        self.wrsim, self.folder, self.source = os.path.abspath(options.wrsim), str(folder), options.source

    def path(self, name):
        return os.path.join(self.folder, name)

    def run(self, *words, code=0, **more):
        done = subprocess.run([self.wrsim, *words], cwd=self.folder, capture_output=True, text=True, check=False, timeout=300, **more)
        expect(done.returncode == code, f"wrsim {' '.join(words)}: {done.returncode}\n{done.stdout}{done.stderr}")
        return done.stdout + done.stderr

    def read(self, name):
        with open(self.path(name), "rb") as file:
            return file.read()

    def write(self, name, text):
        with open(self.path(name), "w", encoding="utf-8") as file:
            file.write(text)

    def about(self, name):
        return json.loads(self.read(name + ".json"))

    def model(self, name):
        return os.path.join(self.source, "models", name, os.path.basename(name) + ".toml")


def rows(place, name):
    return [line for line in place.read(name).decode().splitlines() if not line.startswith("#")]


def fits(place, name):
    about, text = place.about(name), place.read(name)
    n = int(about["checked_bytes"])
    return n <= len(text) and "%08x" % zlib.adler32(text[:n]) == about["adler32"]


@tap.tier("quick", "long")
def test_conversions_keep_everything(place):
    cases = (("bouncing_ball", []), ("signal", ["-D", "output.points=false"]), ("signal", []), ("two_mass", []), ("two_mass", ["--monolithic"]),
             ("two_mass", ["-D", "output.events=false", "-D", "output.start=1"]))
    for model, more in tap.sample(cases[:2], cases):
        for kind in FORMATS:
            place.run(place.model(model), "-q", "-o", "run." + kind, "-D", "simulation.stop=1.2", "-D", "output.log=false", *more)
        expect(fits(place, "run.csv"), "check sum")
        for kind in FORMATS:
            for new in FORMATS:
                place.run("convert", "run." + kind, "new." + new)
                expect(place.read("new." + new) == place.read("run." + new), f"{model} {more}: {kind} to {new}")
            place.run("convert", "new." + kind, "back.csv")
            expect(place.about("back.csv") == place.about("run.csv"), f"{model}: description from {kind}")
        expect(not os.path.exists(place.path("run.mat.h5")), "rows of the MAT file stay")


def test_older_files_are_read(place):
    shutil.copytree(os.path.join(os.path.dirname(os.path.abspath(__file__)), "old_results"), place.folder, dirs_exist_ok=True)
    place.run("old.toml", "-q", "-o", "now.csv")
    for old in ("old.csv", "old.h5"):
        expect("compared 2 signals at 6 points" in place.run("compare", old, "now.csv", "--limit", "1e-6"), old)
        place.run("convert", old, "new.csv")
        expect(rows(place, "new.csv") == rows(place, "old.csv"), f"rows of {old}")
        about = place.about("new.csv")
        expect("= 0.055" in about["config"], about["config"])
        expect([s["unit"] for s in about["signals"]] == ["", "1"] and about["signals"][0]["description"] == "the signal", about["signals"])
        played = ["-D", "subsystem.source.kind=replay", "-D", "subsystem.source.file=" + place.path(old)]
        place.run("old.toml", "-q", "-o", "played.csv", *played)
        place.run("compare", "played.csv", "now.csv", "--limit", "1e-5")
        place.run("old.toml", "-q", "-o", "first.csv", "--checkpoint", "c.ckpt", *played)
        place.run("old.toml", "-q", "-o", old + ".csv", "--restart", "c.ckpt", *played)
        rest = rows(place, old + ".csv")[1:]
        expect(rest and rest == rows(place, "played.csv")[-len(rest):], f"restart with {old}: {rest}")


def test_later_layouts_are_refused(place):
    import h5py # only this quick test needs h5py

    for kind in FORMATS:
        place.run(place.model("bouncing_ball"), "-q", "-o", "r." + kind, "-D", "simulation.stop=0.5")
    shutil.copy(place.path("r.h5"), place.path("list.h5"))
    text = "the layout of a later version of wrsim"
    mat = place.read("r.mat")
    with open(place.path("r.mat"), "wb") as file:
        file.write(mat[:-1] + b"2")
    about = place.about("r.csv")
    place.write("r.csv.json", json.dumps({**about, "layout": 2}))
    for place_of in ("event_log", "/"):
        with h5py.File(place.path("r.h5"), "r+") as file:
            file[place_of].attrs["layout"] = 3
        expect(text in place.run("events", "r.h5", code=6), f"event log of an HDF5 file, {place_of}")
        place.run("plot", "r.h5", "ball.h", code=0 if place_of == "event_log" else 6)
    for place_of, code in (("event_log", 0), ("/", 6)): # an attribute of another program
        with h5py.File(place.path("list.h5"), "r+") as file:
            file[place_of].attrs["layout"] = list(range(9000))
        expect("not a result file of wrsim" in place.run("events", "list.h5", code=6), place_of)
        place.run("compare", "list.h5", "list.h5", code=code)
    for kind in FORMATS:
        expect(text in place.run("convert", "r." + kind, "new.csv" if kind != "csv" else "new.h5", code=6), kind)
    expect(text in place.run("compare", "r.mat", "r.mat", code=6), "comparison of MAT files")
    place.run("compare", "r.csv", "r.csv") # needs no description


def test_a_run_replaces_results_only(place):
    model = place.model("two_mass")
    # The end of a run needs a name that is 12 bytes longer than the MAT file's name. The system permits 255 bytes.
    place.run(model, "-q", "-o", "n" * 239 + ".mat")
    expect("File name too long" in place.run(model, "-q", "-o", "n" * 240 + ".mat", code=6), "a long name")
    expect([name for name in os.listdir(place.folder) if name[0] == "n"] == ["n" * 239 + ".mat"], os.listdir(place.folder))
    for name, text in (("x.csv", "time,kind\n"), ("x.csv.json", "{}"), ("y.mat", "MATLAB 5.0"), ("y.mat.h5", "\x89HDF")):
        with open(place.path(name), "w", encoding="latin1") as file:
            file.write(text)
        expect("is not overwritten" in place.run(model, "-q", "-o", name[:5].rstrip("."), code=3), name)
        os.remove(place.path(name))
    place.run(model, "-q", "-o", "x.csv", "--json", "x.csv.json", code=3)
    place.run(model, "-q", "-o", "x.csv", "-D", "output.points=false", "-D", "output.events=false", code=3)
    for name in ("x.csv", "y.mat"):
        place.run(model, "-q", "-o", name)
        place.run(model, "-q", "-o", name)


@tap.tier("quick", "long")
def test_a_failed_conversion_keeps_the_old_results(place):
    for kind in FORMATS:
        place.run(place.model("bouncing_ball"), "-q", "-o", "old." + kind, "-D", "simulation.stop=0.1")
    place.run(place.model("bouncing_ball"), "-q", "-o", "new.csv", "-D", "output.log=false")
    place.write("bad.csv", "time [s],kind,a\n0,c,x\n")
    before = {name: place.read(name) for name in os.listdir(place.folder)}
    limit = len(before["new.csv"]) // 3
    small_files = lambda: resource.setrlimit(resource.RLIMIT_FSIZE, (limit, limit))

    for kind in FORMATS:
        place.run("convert", "bad.csv", "old." + kind, code=6)
        text = place.run("convert", "new.csv", "old." + kind, code=6, preexec_fn=small_files)
        expect(f"no space left for 'old.{kind}'" in text and ".new" not in text and "readable" not in text, text)
        expect({name: place.read(name) for name in os.listdir(place.folder)} == before, f"files after a failed conversion to {kind}")
        os.symlink("old." + kind, place.path("link." + kind))
        place.run("convert", "new.csv", "link." + kind)
        place.run("compare", "new.csv", "old." + kind, "--limit", "0")
        expect(os.path.islink(place.path("link." + kind)), "the conversion replaces a link")
        for name in os.listdir(place.folder):
            os.remove(place.path(name))
        for name, data in before.items():
            with open(place.path(name), "wb") as file:
                file.write(data)
    os.chmod(place.path("old.csv"), 0o600)
    place.run("convert", "new.csv", "old.csv")
    expect(os.stat(place.path("old.csv")).st_mode & 0o777 == 0o600, "the new file has the permissions of the old file")
    expect(fits(place, "old.csv") and not os.path.exists(place.path("old.events.csv")), "log or description of other results")


def test_links_leave_no_old_description(place):
    """Results that replace others through a link are complete under the link, and readable under the name of their file."""
    model = place.model("bouncing_ball")
    place.run(model, "-q", "-o", "new.csv")
    os.mkdir(place.path("disk"))
    os.symlink("disk/real.csv", place.path("link.csv"))
    for words in ((model, "-q", "-o", "link.csv"), ("convert", "new.csv", "link.csv")):
        place.run(model, "-q", "-o", "disk/real.csv", "-D", "simulation.stop=0.5")
        place.write("disk/real.windows.csv", "notes") # this model has no windows
        expect(len(os.listdir(place.path("disk"))) == 4, os.listdir(place.path("disk")))
        place.run(*words)
        expect(sorted(os.listdir(place.path("disk"))) == ["real.csv", "real.windows.csv"], os.listdir(place.path("disk")))
        about, new = place.about("link.csv"), place.about("new.csv")
        expect(fits(place, "link.csv") and all(about[key] == new[key] for key in ("adler32", "signals", "config")), "the description of the link")
        expect(os.path.exists(place.path("link.events.csv")) == (words[0] == model), f"the log of the link after {words[0]}")
        for name in ("link.csv", "disk/real.csv"):
            place.run("compare", "new.csv", name, "--limit", "0")
        os.remove(place.path("disk/real.windows.csv"))


def describe(place, name, about):
    """Writes the description of a changed CSV file."""
    text = place.read(name)
    place.write(name + ".json", json.dumps({**about, "checked_bytes": "%020d" % len(text), "adler32": "%08x" % zlib.adler32(text)}))


def test_events_without_a_value_stay(place):
    place.write("one.csv", "time [s],kind,a,b\n0,c,1,2\n0.5,l,,\n0.5,r,,3\n1,c,1,2\n")
    place.run("convert", "one.csv", "one.h5")
    place.run("convert", "one.h5", "back.csv")
    expect(rows(place, "back.csv")[2:4] == ["0.5,l,nan,", "0.5,r,,3"], rows(place, "back.csv"))
    about = place.about("back.csv")
    about["signals"][1]["subsystem"] = "other"
    text = "time [s],kind,a,b\n0,c,1,2\n0.5,l,,nan\n0.5,r,,\n1,c,1,2\n"
    place.write("two.csv", text)
    describe(place, "two.csv", about)
    expect("two.csv:4" in place.run("convert", "two.csv", "two.mat", code=6), "an event of an unknown subsystem")
    place.write("two.csv", text.replace("0.5,r,,", "0.5,r,,nan"))
    describe(place, "two.csv", about)
    for kind in ("h5", "mat"):
        place.run("convert", "two.csv", "two." + kind)
        place.run("convert", "two." + kind, "back.csv")
        expect(rows(place, "back.csv") == rows(place, "two.csv"), rows(place, "back.csv"))


def test_stale_description(place):
    place.run(place.model("two_mass"), "-q", "-o", "a.csv", "-D", "simulation.stop=0.2")
    place.run(place.model("two_mass"), "-q", "-o", "b.csv", "-D", "simulation.stop=0.3")
    shutil.copy(place.path("a.csv"), place.path("b.csv"))
    place.run("compare", "a.csv", "b.csv", "--limit", "0")  # needs no description
    expect("'b.csv.json' does not describe 'b.csv'" in place.run("convert", "b.csv", "c.h5", code=6), "stale")
    expect(not os.path.exists(place.path("c.h5")), "a refused conversion leaves a file")


@tap.tier("full")
def test_killed_runs_keep_their_rows(place):
    for name, kept in (("k.csv", "k.csv"), ("k.mat", "k.mat.h5")):
        run = subprocess.Popen([place.wrsim, place.model("engine"), "-q", "-o", name, "-D", "simulation.stop=1000"], cwd=place.folder)
        for _ in range(600):
            time.sleep(0.1)
            if subprocess.run([place.wrsim, "compare", kept, kept], cwd=place.folder, capture_output=True, check=False).returncode == 0:
                break
        run.send_signal(signal.SIGKILL)
        run.wait()
        expect("points" in place.run("convert", kept, "saved.mat"), kept)
        if name == "k.csv":
            expect(fits(place, name), "check sum of a killed run")
    place.run("convert", "k.mat.h5", "k.mat")
    place.run("compare", "k.mat", "k.mat.h5", "--limit", "0")


def matrix(name, kind, n_row, n_column, data):
    return struct.pack("<5i", kind, n_row, n_column, 0, len(name) + 1) + name.encode() + b"\0" + data


def foreign(normal):
    """Returns a trajectory as another program writes it: single precision, a parameter, aliases with a sign and of the time, texts padded with
    blanks."""
    names, texts = ["time", "x", "minus x", "p", "clock"], ["Time in [s]", "state [m]", "alias [m]", "parameter", "time"]
    info = [[0, 1, 0, -1], [2, 2, 0, -1], [2, -2, 0, -1], [1, 2, 0, 0], [0, 1, 0, -1]]
    points = [[0.0, 1.0], [0.5, 2.0], [0.5, 4.0]]
    kind = ["Atrajectory", "1.1", "", "binNormal" if normal else "binTrans"]
    turned = lambda table: [list(row) for row in zip(*table)] if normal else table
    flat = lambda table: [cell for row in turned(table) for cell in row]
    size = lambda a, b: (b, a) if normal else (a, b)
    text = lambda list_, n: bytes(flat([line.ljust(n).encode() for line in list_]))
    return b"".join([
        matrix("Aclass", 51, 4, 11, bytes(c for column in zip(*[k.ljust(11).encode() for k in kind]) for c in column)),
        matrix("name", 51, *size(7, 5), text(names, 7)), matrix("description", 51, *size(11, 5), text(texts, 11)),
        matrix("dataInfo", 20, *size(4, 5), struct.pack("<20i", *flat(info))),
        matrix("data_1", 10, *size(2, 2), struct.pack("<4f", *flat([[0.0, 7.0], [0.5, 7.0]]))),
        matrix("data_2", 10, *size(2, 3), struct.pack("<6f", *flat(points)))])


@tap.tier("quick", "long")
def test_mat_files_of_other_programs(place):
    place.run(place.model("two_mass"), "-q", "-o", "own.mat", "-D", "simulation.stop=0.5")
    place.write("empty.mat", "")
    expect("name 'empty.mat.h5'" in place.run("compare", "empty.mat", "own.mat", code=6), "the file of a run that goes on")
    place.write("blank.csv", 'time [s],kind,a.x [m],a.longest \n0,c,1,3\n1,c,2,4\n')
    place.run("convert", "blank.csv", "blank.mat")
    place.run("convert", "blank.mat", "back.csv")
    expect(rows(place, "back.csv") == rows(place, "blank.csv"), "the longest name has a blank at its end")
    own = place.read("own.mat")
    for cut in range(0, len(own), tap.sample(1000, 100)):
        with open(place.path("cut.mat"), "wb") as file:
            file.write(own[:cut])
        expect("cut.mat" in place.run("compare", "cut.mat", "own.mat", code=6), f"own file cut at {cut}")
    for normal in (False, True):
        data = foreign(normal)
        with open(place.path("other.mat"), "wb") as file:
            file.write(data)
        place.run("convert", "other.mat", "other.csv")
        expect(rows(place, "other.csv") == ["time [s],kind,x [m],minus x [m],p,clock", "0,c,1,-1,7,0", "0.5,c,2,-2,7,0.5", "0.5,c,4,-4,7,0.5"],
               rows(place, "other.csv"))
        expect("is not overwritten" in place.run("convert", "other.csv", "other.mat", code=6), "a foreign MAT file is replaced")
        for cut in range(0, len(data), tap.sample(73, 7)):
            with open(place.path("cut.mat"), "wb") as file:
                file.write(data[:cut])
            expect("cut.mat" in place.run("compare", "cut.mat", "other.csv", code=6), f"cut at {cut}")


@tap.tier("long")
def test_other_programs_read_the_files(place):
    """Octave, pandas, SciPy and h5py read the same numbers, names, units and descriptions."""
    try:
        import h5py
        import numpy
        import pandas
        import scipy.io
    except ImportError as missing:
        print("# skipped:", missing)
        return
    for kind in FORMATS:
        place.run(place.model("engine"), "-q", "-o", "e." + kind, "-D", "simulation.stop=0.1")
    about, mat, h5 = place.about("e.csv"), scipy.io.loadmat(place.path("e.mat"), chars_as_strings=False), h5py.File(place.path("e.h5"), "r")
    table = pandas.read_csv(place.path("e.csv"), float_precision="round_trip")
    points = table[table["kind"] == "c"]
    texts = lambda matrix: ["".join(column).rstrip("\0") for column in zip(*matrix)]
    names, descriptions = texts(mat["name"]), texts(mat["description"])
    for i, s in enumerate(about["signals"]):
        component, variable = s["name"].split(".", 1)
        data = h5[f"signals/{component}/{variable}"]
        expect(numpy.array_equal(points[s["column"]], data[:]) and numpy.array_equal(mat["data_2"][i + 1], data[:]), s["name"])
        expect((data.attrs["name"], data.attrs["unit"], data.attrs["description"]) == (s["name"], s["unit"], s["description"]), s["name"])
        expect((h5["names"][i].decode(), h5["units"][i].decode(), h5["descriptions"][i].decode()) ==
               (s["name"], s["unit"], s["description"]), s["name"])
        expect(names[i + 1] == s["name"] and descriptions[i + 1] == s["description"] + (f" [{s['unit']}]" if s["unit"] else ""), s["name"])
    rough = pandas.read_csv(place.path("e.csv"))
    expect(list(rough.columns) == list(table.columns) and rough.shape == table.shape, "pandas.read_csv with default options")
    if not shutil.which("octave-cli"):
        print("# skipped: octave-cli")
        return
    with open(place.path("check.m"), "w", encoding="ascii") as file:
        file.write("""s = load('e.h5'); m = load('e.mat'); c = csvread('e.csv', 1, 0); names = cellstr(s.names); n = numel(names);
points = c(ismember(c(:, 1), s.time), 1);
for i = 1:n
    k = find(names{i} == '.', 1); v = s.signals.(names{i}(1:k-1)).(matlab.lang.makeValidName(names{i}(k+1:end)));
    unit = strtrim(s.units(i, :)); text = strtrim(s.descriptions(i, :));
    if ! isempty(unit) text = [text ' [' unit ']']; end
    assert(v(:)', m.data_2(i + 1, :)); assert(deblank(m.name(:, i + 1)'), names{i}); assert(deblank(m.description(:, i + 1)'), text);
    assert(any(c(:, i + 2) == v(end)));
end
assert(s.time(:)', m.data_2(1, :)); assert(columns(c), n + 2); printf('%d signals\\n', n);
""")
    done = subprocess.run(["octave-cli", "--no-gui", "-q", "check.m"], cwd=place.folder, capture_output=True, text=True, check=False)
    expect(f"{len(about['signals'])} signals" in done.stdout, done.stdout + done.stderr)


def main():
    options = tap.parser("--source", tiers=["quick", "full", "long"]).parse_args()
    return tap.run(globals(), options, lambda folder: Place(options, folder))


if __name__ == "__main__":
    sys.exit(main())
