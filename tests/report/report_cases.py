"""Pages of wrsim report, and plots of wrsim plot. TAP.

    report_cases.py --wrsim PROGRAM --source ROOT [--tier quick|long] [test]...

Tier quick reads pages as text. Tier long also opens pages in Chromium, and draws by gnuplot and matplotlib; without these programs the
tests skip. A build without Dygraphs makes no page; the tests of pages then skip.
"""
import base64
import json
import math
import os
import pathlib
import random
import re
import shutil
import struct
import subprocess
import sys
import xml.etree.ElementTree

sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), "../harness"))
import chromium
import tap
from tap import expect

ODD = ["</script><b>x", "a'b\"c", "gr\u00f6\u00dfe \u6e29\u5ea6", "x" * 256, "a.b[3].c d", "<!--", "&amp;", "$x_1$", "_y", "%s%n", "constructor"]


class Bench:
    """Runs the program in a scratch folder."""

    def __init__(self, options, folder):
        self.wrsim, self.source, self.folder = options.wrsim, pathlib.Path(options.source), folder

    def __call__(self, *words, code=0, **more):
        done = subprocess.run([self.wrsim, *map(str, words)], cwd=self.folder, capture_output=True, text=True,
                              stdin=subprocess.DEVNULL, check=False, **more)
        expect(done.returncode == code, f"{words}: exit code {done.returncode}, expected {code}\n{done.stdout}{done.stderr}")
        return done

    def page(self, *words):
        """Makes a page. Returns its text."""
        done = subprocess.run([self.wrsim, "report", *map(str, words), "-o", "r.html"], cwd=self.folder, capture_output=True,
                              text=True, stdin=subprocess.DEVNULL, check=False)
        if "libjs-dygraphs" in done.stderr:
            expect(done.returncode == 3, "a build without Dygraphs ends with another code")
            raise tap.Skip("this build has no Dygraphs")
        expect(done.returncode == 0, done.stderr)
        return (self.folder / "r.html").read_text(encoding="utf-8")

    def write(self, name, text):
        (self.folder / name).write_text(text, encoding="utf-8")

    def engine(self, stop=0.02):
        """Simulates the engine, split and as one subsystem."""
        config = self.source / "models/engine/engine.toml"
        stop = ["-D", f"simulation.stop={stop}"]
        self(config, "-q", "-o", "e.h5", "--json", "e.json", *stop)
        self(config, "-q", "-o", "t.h5", "--monolithic", *stop)


def data_of(page, name="data"):
    text = re.search(f'<script type="application/json" id="{name}">(.*?)</script>', page, re.DOTALL).group(1)
    return json.loads(text)


def doubles(text):
    data = base64.b64decode(text)
    return struct.unpack(f"<{len(data) // 8}d", data)


def browser():
    if not chromium.program():
        raise tap.Skip("no Chromium")
    return chromium.Chromium()


def quoted(name):
    return '"' + name.replace('"', '""') + '"'


# ---- pages as text ----

def test_values_are_those_of_the_file(bench):
    rows = [[0.1 * i, math.sin(i), 1 / 3 * i, math.nan if i == 4 else i, math.inf if i == 5 else -i] for i in range(50)]
    bench.write("r.csv", "time [s],a.x [m],a.y,a.z,a.w\n" + "".join(",".join(map(repr, row)) + "\n" for row in rows))
    data = data_of(bench.page("r.csv"))
    expect(doubles(data["grid"]) == tuple(row[0] for row in rows), "other times")
    for k, signal in enumerate(data["signals"]):
        values = doubles(signal["v"])
        expect(all(struct.pack("d", a) == struct.pack("d", row[k + 1]) or a != a and row[k + 1] != row[k + 1]
                   for a, row in zip(values, rows)), signal["name"])
    bench.write("r.csv", (bench.folder / "r.csv").read_text().replace(repr(math.sin(7)), "123.25"))
    expect(doubles(data_of(bench.page("r.csv"))["signals"][0]["v"])[7] == 123.25, "a change of the file does not change the page")


def test_odd_names_stay_texts(bench):
    bench.write("r.csv", "time [s]," + ",".join(quoted("c." + name + " []") for name in ODD) + "\n"
                + "".join(f"{i}," + ",".join(str(i * k) for k in range(len(ODD))) + "\n" for i in range(3)))
    page = bench.page("r.csv")
    expect([s["name"] for s in data_of(page)["signals"]] == ["c." + name for name in ODD], "other names")
    expect(page.count("</script>") == 5, "a name ends a script")
    done = bench("plot", "r.csv", "c.*", "-o", "p.svg")
    root = xml.etree.ElementTree.parse(bench.folder / "p.svg").getroot()
    texts = {node.text for node in root.iter() if node.text}
    expect(all("c." + name in texts for name in ODD), f"the drawing lacks a name {done.stderr}")


def test_pages_of_few_rows_and_of_none(bench):
    for rows in ("", "0,1\n", "0,nan\n1,nan\n", "1e9,1\n1000000000.0000001,2\n"):
        bench.write("r.csv", "time [s],a.x\n" + rows)
        data = data_of(bench.page("r.csv"))
        expect(data["n_row"] == rows.count("\n"), f"{rows!r}: {data['n_row']}")
        if not rows:
            expect("no values of these signals" in bench("plot", "r.csv", "a.x", "--text", code=2).stderr, "a plot without values")
            continue
        bench("plot", "r.csv", "a.x", "--text")
        bench("plot", "r.csv", "a.x", "-o", "p.svg")
        xml.etree.ElementTree.parse(bench.folder / "p.svg")
    bench.write("r.csv", "time [s]\n0\n")
    expect(data_of(bench.page("r.csv"))["signals"] == [], "signals")


def test_wrong_input_is_refused(bench):
    bench.write("r.csv", "time [s],a.x\n0,1\n1,2\n")
    bench.write("foreign.html", "<!DOCTYPE html>\n<html>\n")
    bench.page("r.csv")
    bench("report", "none.csv", code=6)
    bench("report", "r.csv", "--twin", "none.csv", code=6)
    bench("report", "r.csv", "--summary", "r.csv", code=6)
    expect("No such file" in bench("report", "r.csv", "--trace", "none.json", code=6).stderr, "a trace that is absent")
    expect("Is a directory" in bench("report", "r.csv", "--trace", ".", code=6).stderr, "a folder as a trace")
    bench("report", "r.csv", "--trace", "r.csv", code=2)
    expect("did you mean 'a.x'" in bench("report", "r.csv", "-s", "a.xx", code=2).stderr, "no hint")
    bench("report", "r.csv", "-o", "foreign.html", code=6)
    bench("report", "r.csv", "-o", "r.csv", code=2)
    for name in ("page", ".", "page.html/page"):
        expect("must have the extension .html" in bench("report", "r.csv", "-o", name, code=2).stderr, name)
    bench("report", "r.csv", "-o", "/dev/null")
    bench("report", "r.csv", "-o", "/dev/full", code=6)
    expect((bench.folder / "r.csv").read_text().startswith("time"), "the results are lost")
    bench("plot", "r.csv", "a.y", code=2)
    bench("plot", "r.csv", "a.x", "-o", "p.gif", code=2)
    shutil.copy(bench.folder / "r.csv", bench.folder / "p.png")
    bench("plot", "r.csv", "a.x", "-o", "p.png", code=6)
    bench("plot", "r.csv", "a.x", "-o", "none/p.svg", code=6)


def test_engine(bench):
    bench.engine()
    page = bench.page("e.h5", "--twin", "t.h5", "--summary", "e.json")
    data, summary = data_of(page), data_of(page, "summary")
    expect(summary["n_subsystem"] == 5 and "config" not in summary, "summary")
    expect(data["compared"]["n_row"] == data["n_row"] == 41, "points")
    expect(all(len(doubles(s["b"])) == len(doubles(s["v"])) for s in data["signals"]), "twin")
    windows, events = data["windows"], data["events"]
    expect(windows["by_reason"][0] == summary["n_window"] and sum(windows["by_reason"][1:]) == summary["n_window_rejected"], "windows")
    expect(sum(windows["totals"]) == summary["n_integration"], "integrations")
    expect(sum(doubles(windows["sweeps"])) == summary["n_sweep"], "sweeps")
    columns = zip(*(doubles(windows[key]) for key in ("sweeps", "prediction", "change")))
    expect(all(prediction > 0 and (n > 1 or prediction == change) for n, prediction, change in columns), "predictions")
    rows = json.loads(bench("events", "e.h5", "--json").stdout)["events"]
    fired = [row["item"] for row in rows if row["event"] in ("state event", "time event")]
    expect(sorted((i["name"], i["n"]) for i in events["items"]) == sorted((name, fired.count(name)) for name in set(fired)), "events")
    expect(sum(s["n_stop"] for s in events["subsystems"]) == sum(row["event"].startswith("stop") for row in rows), "stops")
    expect(all("cyl1" in i["changes"] for i in events["items"] if i["name"].startswith("cyl1.valve")), "changed variables")
    expect("windows" not in data_of(bench.page("t.h5")), "windows of a run of one subsystem")
    done = bench("compare", "e.h5", "t.h5").stdout
    expect(data["compared"]["worst"][0]["name"] in done.splitlines()[-1], "worst signal")
    # The summary belongs to another run.
    text = (bench.folder / "e.json").read_text().replace("rtol = 0.0001", "rtol = 0.0002")
    bench.write("other.json", text)
    bench.write("table.csv", "time [s],a.x\n0,1\n")
    expect("no config" in bench("report", "table.csv", "--summary", "e.json", code=2).stderr, "a summary of a table")
    expect("another config" in bench("report", "e.h5", "--summary", "other.json", code=2).stderr, "the summary of another run")


def test_formats(bench):
    """A page has the same signals and config, and takes a summary, from results in each format."""
    config = bench.source / "models/bouncing_ball/bouncing_ball.toml"
    pages = []
    for name in ("b.csv", "b.h5"):
        bench(config, "-q", "-o", name, "--json", "b.json")
        pages.append(data_of(bench.page(name, "--summary", "b.json")))
    bench("convert", "b.h5", "c.csv")
    pages.append(data_of(bench.page("c.csv")))
    expect(all(page["signals"] == pages[0]["signals"] for page in pages), "signals")
    expect("bouncing_ball" in pages[0]["config"], "config")


def test_trace(bench):
    slices = [(1, "left", 0.0, 10.0, 0.0, 1e-3, 1, 4), (1, "left", 12.0, 5.0, 0.0, 1e-3, 2, 2), (2, "right", 1.0, 3.0, 0.0, 1e-3, 1, 1),
              (1, "left", 30.0, 7.0, 1e-3, 2e-3, 1, 5)]
    events = [{"ph": "M", "pid": 1, "tid": i + 1, "name": "thread_name", "args": {"name": f"worker {i}"}} for i in range(2)]
    events += [{"ph": "X", "pid": 1, "tid": tid, "name": name, "cat": "integration", "ts": ts, "dur": dur,
                "args": {"from s": a, "to s": b, "sweep": sweep, "steps": steps}} for tid, name, ts, dur, a, b, sweep, steps in slices]
    events.append({"ph": "X", "pid": 1, "tid": 2, "name": "wait for tasks", "cat": "wait", "ts": 4.0, "dur": 6.0})
    config = bench.source / "models/bouncing_ball/bouncing_ball.toml"
    bench(config, "-q", "-o", "r.csv", "--trace", "own.json", "-D", "simulation.stop=0.1")
    bench(config, "-q", "-o", "other.csv", "-D", "simulation.stop=0.2")
    about = {"config_text": data_of(bench.page("r.csv", "--trace", "own.json"))["config"], "omitted_records": 7}
    bench.write("t.json", '{"otherData":' + json.dumps(about, indent=0) + ',\n"traceEvents":[\n' + ",\n".join(map(json.dumps, events)) + "\n]}\n")
    expect("another config" in bench("report", "other.csv", "--trace", "own.json", code=2).stderr, "a trace of another run")
    bench.write("table.csv", "time [s],a.x\n0,1\n")
    expect("have no config" in bench("report", "table.csv", "--trace", "own.json", code=2).stderr, "a trace for a table")
    bench.write("old.json", re.sub('"config_text":.*\n', "", (bench.folder / "own.json").read_text()))
    expect("has no config" in bench("report", "r.csv", "--trace", "old.json", code=2).stderr, "a trace without a config")
    lines = (bench.folder / "own.json").read_text().splitlines(keepends=True)
    i = len(lines) - 3
    for wrong in (lines[:-1], lines[:-2] + [lines[-2][:-9]], lines[:i] + [lines[i].replace(":", ";", 1)] + lines[i + 1:], lines[:i] + ["\n"] + lines[i + 1:]):
        bench.write("cut.json", "".join(wrong))
        expect("is damaged or incomplete" in bench("report", "r.csv", "--trace", "cut.json", code=6).stderr, "a damaged trace")
    bench.write("begun.json", "".join(line for line in lines if not line.startswith('{"ph"')))
    expect("has no workers" in bench("report", "r.csv", "--trace", "begun.json", code=2).stderr, "a trace of a run that has not ended")
    trace = data_of(bench.page("r.csv", "--trace", "t.json"))["trace"]
    expect(trace["names"] == ["left", "right", "waiting"] and trace["n_worker"] == 2 and trace["n_omitted"] == 7, str(trace["names"]))
    expect(doubles(trace["start_us"]) == (0, 1, 4, 12, 30) and doubles(trace["item"]) == (0, 1, 2, 0, 0), "tasks")
    expect(doubles(trace["compute"][0]["us"]) == (15, 7) and doubles(trace["compute"][0]["t"]) == (0, 1e-3), "compute times")
    expect(doubles(trace["steps"][0]["length"]) == (5e-4, 2e-4), "steps of the last sweep")


def test_text_plot(bench):
    bench.write("r.csv", "time [s],a.x [m],b.y [m],c.z\n" + "".join(f"{i},{i % 7},{-i},{1e308 * (-1) ** i}\n" for i in range(300)))
    lines = bench("plot", "r.csv", "a.x", "b.y", "c.z", "--text").stdout.splitlines()
    expect(any("* a.x   + b.y [m]" in line for line in lines) and any("* c.z" in line for line in lines), "titles")
    expect(all(len(line) <= 100 for line in lines), "long lines")
    expect(any(line.startswith("    -314.25 |") for line in lines), "lowest value")


# ---- pages in Chromium ----

def cursor_script(signal, x):
    """Moves the mouse of a plot of this signal to the point nearest to x. Returns what the legend shows."""
    return f"""(() => {{
        const plot = plots.find(p => p.series.some(s => s.name === {json.dumps(signal)}));
        const box = plot.graph.graphDiv.getBoundingClientRect(), area = plot.graph.getArea();
        plot.node.scrollIntoView();
        const top = plot.graph.graphDiv.getBoundingClientRect();
        return [top.left + plot.graph.toDomXCoord({x!r}), top.top + area.y + area.h / 2];
    }})()"""


def shown(page, signal):
    return page.run(f"""(() => {{
        const plot = plots.find(p => p.series.some(s => s.name === {json.dumps(signal)}));
        const i = plot.series.findIndex(s => s.name === {json.dumps(signal)});
        return [plot.time.textContent, plot.values[i].textContent];
    }})()""")


@tap.tier("long")
def test_values_under_the_cursor(bench):
    import h5py # a package of the tests
    bench.engine(0.48)
    bench.page("e.h5", "--twin", "t.h5", "--summary", "e.json")
    expect((bench.folder / "r.html").stat().st_size < 5e6, "the page has 5 MB or more")
    chance = random.Random(3)
    with browser() as window, h5py.File(bench.folder / "e.h5") as file:
        page = window.open(bench.folder / "r.html")
        time_s, names = file["time"][:], page.run("DATA.signals.map(s => s.name)")
        for signal in chance.sample(names, 5):
            page.run(f"(() => {{ for (const b of document.querySelectorAll('.list label')) {{ const i = b.querySelector('input');"
                     f" if (i.checked !== (b.childNodes[1].textContent === {json.dumps(signal)})) i.click(); }} }})()")
            values = file["signals"][signal.replace(".", "/", 1)][:]
            for _ in range(2):
                row = chance.randrange(len(time_s))
                page.run(f"setRange({time_s[row] - 0.002}, {time_s[row] + 0.002})")
                x, y = page.run(cursor_script(signal, float(time_s[row])))
                page.move(x - 3, y)
                page.move(x, y)
                at, text = shown(page, signal)
                numbers = [float(word) for word in re.findall(r"-?[0-9.]+(?:e[-+]?[0-9]+)?", text.split("(t")[0].rsplit(" ", 1)[0] if "\u2192" not in text else text)]
                expect(values[row] in numbers, f"{signal} at {time_s[row]}: the page shows {text}, the file has {values[row]!r}")
                expect(float(at.removesuffix(" s")) == time_s[row], f"{at} instead of {time_s[row]}")
        expect(not page.problems, str(page.problems))
        narrow = window.open(bench.folder / "r.html", width=400, dark=True)
        expect(narrow.run("document.documentElement.scrollWidth") <= 400, "the page is wider than the window")
        expect(not narrow.problems, str(narrow.problems))


@tap.tier("long")
def test_keyboard(bench):
    bench.write("r.csv", "time [s],a.x\n" + "".join(f"{i},{i * i}\n" for i in range(100)))
    bench.page("r.csv")
    with browser() as window:
        page = window.open(bench.folder / "r.html", width=400, dark=True)
        page.run("document.querySelector('.graph').focus()")
        page.key("Home")
        for _ in range(3):
            page.key("ArrowRight")
        expect(shown(page, "a.x") == ["3 s", "9"], str(shown(page, "a.x")))
        expect("9" in page.run("document.getElementById('announce').textContent"), "no announcement")
        page.key("+")
        low, high = page.run("plots[0].graph.xAxisRange()")
        expect(high - low < 60 and low <= 3 <= high, f"{low} to {high}")
        page.key("0")
        expect(page.run("plots[0].graph.xAxisRange()") == [0, 99], "not the whole run")
        page.run("setRange(40, 60)")
        for key, x in (("Home", 0), ("End", 99)):
            page.key(key)
            low, high = page.run("plots[0].graph.xAxisRange()")
            expect(abs(high - low - 20) < 1e-9 and low <= x <= high, f"{key}: {low} to {high}")
        expect(page.run("document.documentElement.scrollWidth") <= 400, "the page is wider than the window")
        expect(not page.problems, str(page.problems))


@tap.tier("long")
def test_search_and_colours(bench):
    """The field finds signals by words. A change of the system's colours keeps the state of the page."""
    bench.write("r.csv", "time [s],left.mass.x [m],left.mass.v,right.mass.x [m]\n0,0,1,2\n1,1,1,3\n")
    bench.page("r.csv")
    with browser() as window:
        page = window.open(bench.folder / "r.html")
        for text, names in (("MASS.x right", ["right.mass.x"]), ("", ["left.mass.x", "left.mass.v", "right.mass.x"]), ("nix", [])):
            page.run(f"(() => {{ const f = document.querySelector('.find'); f.value = {json.dumps(text)}; f.dispatchEvent(new Event('input')); }})()")
            shown_names = page.run("[...document.querySelectorAll('.list label')].filter(n => n.offsetHeight > 0).map(n => n.querySelector('span').textContent)")
            expect(shown_names == names, f"{text}: {shown_names}")
            expect(f"{len(names)} of 3 signals" in page.run("document.querySelector('.choice').textContent"), text)
        page.run("setCursor(1); setRange(0.25, 0.5)")
        before = page.run("plots[0].graph.getColors()")
        page.set_dark(True)
        after = page.run("plots[0].graph.getColors()")
        expect(len(before) == len(after) and before[0] != after[0], f"{before}, {after}")
        expect(page.run("cursor_s") == 1 and page.run("plots[0].graph.xAxisRange()") == [0.25, 0.5], "the page forgets its state")
        expect(not page.problems, str(page.problems))


@tap.tier("long")
def test_odd_pages_without_errors(bench):
    huge = "time [s],a.x,a.y,a.z,a.w\n" + "".join(f"{i * 1e9},{1e308 * (-1) ** i},{5e-324 * i},{'nan' if i % 3 else i},{1 + i * 2.2e-16}\n" for i in range(50))
    cases = {"names": "time [s]," + ",".join(quoted("c." + name + " []") for name in ODD) + "\n0" + ",1" * len(ODD) + "\n1" + ",2" * len(ODD) + "\n",
             "empty": "time [s],a.x\n", "one": "time [s],a.x\n0,1\n", "nan": "time [s],a.x\n0,nan\n1,nan\n", "no signal": "time [s]\n0\n",
             "huge": huge, "inf": "time [s],a.x\n0,inf\n1,-inf\n2,1\n", "near": "time [s],a.x\n1e9,1\n1000000000.0000001,2\n"}
    with browser() as window:
        for name, text in cases.items():
            bench.write("r.csv", text)
            bench.page("r.csv")
            page = window.open(bench.folder / "r.html")
            page.run("for (const box of document.querySelectorAll('.list input')) if (!box.checked) box.click()")
            expect(not page.problems, f"{name}: {page.problems}")
            expect(page.run("document.querySelectorAll('main section').length") >= 5, f"{name}: sections are missing")
            page.run("zoom(0.5, 0.3); pan(0.5); zoom(1e-9); zoom(1e9)")
            expect(not page.problems, f"{name}: {page.problems}")


@tap.tier("long")
def test_ten_thousand_signals(bench):
    n = 10000
    bench.write("r.csv", "time [s]," + ",".join(f"c{i}.x" for i in range(n)) + "\n"
                + "".join(f"{t}," + ",".join(str((t * 7 + i) % 11) for i in range(n)) + "\n" for t in range(40)))
    data = data_of(bench.page("r.csv"))
    expect(data["n_signal"] == n and len(data["signals"]) == 2000, f"{len(data['signals'])} signals")
    expect((bench.folder / "r.html").stat().st_size < 5e6, "the page has 5 MB or more")
    with browser() as window:
        page = window.open(bench.folder / "r.html")
        expect("2,000 of 10,000" in page.run("document.body.textContent"), "no notice")
        expect(not page.problems, str(page.problems))


@tap.tier("long")
def test_time_is_linear(bench):
    """Ten times the rows take at most eleven times the CPU time, in the best of three turns."""
    used = {}
    for n in (20000, 200000):
        with open(bench.folder / f"r{n}.csv", "w", encoding="utf-8") as file:
            file.write("time [s]," + ",".join(f"c.x{k}" for k in range(20)) + "\n")
            for i in range(n):
                file.write(f"{i * 1e-3}," + ",".join(f"{math.sin(i * 1e-3 * (k + 1)):.15g}" for k in range(20)) + "\n")
        for _ in range(3):
            begin = tap.cpu_s()
            bench.page(f"r{n}.csv")
            used[n] = min(used.get(n, math.inf), tap.cpu_s() - begin)
        expect((bench.folder / "r.html").stat().st_size < 5e6, "the page has 5 MB or more")
    print(f"# {used}")
    expect(used[200000] <= 11 * used[20000], str(used))


# ---- pictures ----

def test_incomplete_picture(bench):
    """A drawing program that leaves part of a picture and ends without an error, as gnuplot on a full disk, replaces no picture."""
    bench.write("r.csv", "time [s],a.x [m]\n0,1\n1,2\n")
    program = bench.folder / "bin/gnuplot"
    program.parent.mkdir()
    for name, begin, end in (("p.png", "\\211PNG", "IEND1234"), ("p.pdf", "%%PDF-1.5", "%%%%EOF\\n")):
        whole = b""
        for tail, code in ((end, 0), ("", 6)):
            program.write_text(f"""#!/bin/sh\nprintf '{begin} {'middle ' * 9}{tail}' > "$(sed -n "s/^set output '\\(.*\\)'$/\\1/p")"\n""", encoding="utf-8")
            program.chmod(0o755)
            done = bench("plot", "r.csv", "a.x", "-o", name, code=code, env=dict(os.environ, PATH=f"{program.parent}:{os.environ['PATH']}"))
            expect("no complete picture" in done.stderr or code == 0, done.stderr)
            whole = (bench.folder / name).read_bytes() if code == 0 else whole
            expect((bench.folder / name).read_bytes() == whole, "the old picture is lost")
        expect(len(list(bench.folder.glob("p.*.tmp"))) == 0, "a temporary file stays")


@tap.tier("long")
def test_pictures(bench):
    bench.write("r.csv", "time [s]," + ",".join(quoted("c." + name + " []") for name in ODD) + ",b.y [m]\n"
                + "".join(f"{i}," + ",".join(str(math.sin(i * k)) for k in range(len(ODD) + 1)) + "\n" for i in range(100)))
    has = {"gnuplot": shutil.which("gnuplot") is not None,
           "matplotlib": subprocess.run(["/usr/bin/python3", "-c", "import matplotlib"], capture_output=True, check=False).returncode == 0}
    if not any(has.values()):
        raise tap.Skip("neither gnuplot nor matplotlib")
    for extension, begin in (("png", b"\x89PNG"), ("pdf", b"%PDF")):
        for program, is_there in has.items():
            if not is_there:
                continue
            # Without a path to gnuplot matplotlib draws.
            env = dict(os.environ, PATH=os.environ["PATH"] if program == "gnuplot" else "/nonexistent")
            file = f"{program}.{extension}"
            done = bench("plot", "r.csv", "c.*", "b.y", "-o", file, env=env)
            expect((bench.folder / file).read_bytes().startswith(begin), f"{file}: {done.stderr}")
            bench("plot", "r.csv", "b.y", "-o", file, env=env) # replaces the picture


def main():
    options = tap.parser("--source", tiers=("quick", "long")).parse_args()
    return tap.run(globals(), options, lambda folder: Bench(options, folder))


if __name__ == "__main__":
    sys.exit(main())
