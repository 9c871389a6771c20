"""The page of wrsim run --live, and its server. TAP.

    live_cases.py --wrsim PROGRAM --names PLUGIN [--tier quick|long] [test]...

PLUGIN: the models of tests/cli/name_models.c. Tier quick asks the server as a program does. Tier long opens the page in Chromium; without
Chromium these tests skip. No test depends on the speed of the machine: runs pace themselves, or wait for a signal.
"""
import http.client
import json
import os
import pathlib
import re
import signal
import socket
import subprocess
import sys
import time

sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), "../harness"))
import chromium
import tap
from tap import expect

LIMIT_S = 60 # longest wait for an event; ten times the time of a busy machine
ODD = ["a.b.c", 'q"uo,te', "\u00fcn\u00ef.\U0001f697", "</script><b>&amp;", "x" * 256, " ends ", "..", "# hash"] # of name_models.c

PACED = """
simulation = { stop = %g, communication_step = 0.01 }
relaxation = { scheme = "slack" }
realtime = { rate = 1.0, misses = 0, jitter = false }
component = [{ name = "a", model = "dahlquist" }, { name = "b", model = "dahlquist" }]
connection = [{ from = "a.x", to = "b.u" }]
"""


class Run:
    """A run with a live view."""

    def __init__(self, bench, text, *words, code=0):
        (bench.folder / "run.toml").write_text(text, encoding="utf-8")
        self.code = code
        self.process = subprocess.Popen([bench.wrsim, "run", "run.toml", "--live", *words], cwd=bench.folder, stdin=subprocess.DEVNULL,
                                        stdout=subprocess.DEVNULL, stderr=subprocess.PIPE, text=True)
        line, self.before = "", ""
        while "live view: " not in line:
            self.before += line
            line = self.process.stderr.readline()
            expect(line, "the program ended without a live view:\n" + self.before)
        self.port = int(re.search(r"http://127\.0\.0\.1:(\d+)/$", line.strip())[1])
        self.url = f"http://127.0.0.1:{self.port}/"

    def request(self, path, method="GET", body=None, **headers):
        """Returns the code, the text and the headers of an answer."""
        connection = http.client.HTTPConnection("127.0.0.1", self.port, timeout=LIMIT_S)
        connection.request(method, path, body, headers)
        answer = connection.getresponse()
        text = answer.read().decode("utf-8")
        connection.close()
        return answer.status, text, answer.headers

    def json(self, path):
        code, text, _ = self.request(path)
        expect(code == 200, f"{path}: {code} {text}")
        return json.loads(text)

    def signals(self):
        """Returns the description of the run once it has begun."""
        end = time.monotonic() + LIMIT_S
        while True:
            run = self.json("/signals")
            if run["generation"] > 0 and "signals" in run:
                return run
            expect(time.monotonic() < end, "the run does not begin")
            time.sleep(0.05)

    def data(self, row=0, step=0, s="", generation=2):
        return self.json(f"/data?g={generation}&row={row}&step={step}&s={s}")

    def wait_for(self, is_good, **query):
        """Returns the first data for which is_good(data) holds."""
        end = time.monotonic() + LIMIT_S
        while True:
            data = self.data(**query)
            if is_good(data):
                return data
            expect(time.monotonic() < end, f"no such data: {data}")
            time.sleep(0.05)

    def end(self, by_signal=None):
        if by_signal:
            self.process.send_signal(by_signal)
        text = self.process.communicate(timeout=LIMIT_S)[1]
        expect(self.process.returncode == self.code, f"exit code {self.process.returncode}\n{text}")
        return text

    def __enter__(self):
        return self

    def __exit__(self, *unused):
        if self.process.poll() is None:
            self.process.kill()
            self.process.communicate()


class Bench:
    def __init__(self, options, folder):
        self.wrsim, self.names, self.folder = options.wrsim, options.names, folder

    def fails(self, *words, code, env=None):
        (self.folder / "run.toml").write_text(PACED % 0.1, encoding="utf-8")
        done = subprocess.run([self.wrsim, "run", "run.toml", "-q", *words], cwd=self.folder, capture_output=True, text=True, check=False,
                              timeout=LIMIT_S, env={**os.environ, **(env or {})})
        expect(done.returncode == code, f"{words}: exit code {done.returncode}\n{done.stdout}{done.stderr}")
        return done.stderr


def is_gone(port):
    with socket.socket() as client:
        return client.connect_ex(("127.0.0.1", port)) != 0


def test_values(bench):
    """Rows and steps of two viewers are those of the result and of the summary."""
    with Run(bench, PACED % 1.0, "-q", "-o", "r.h5", "--json", "s.json") as run:
        about = run.signals()
        expect([s[0] for s in about["signals"]] == ["a.x", "b.x"] and about["n_all"] == 2, str(about))
        expect(about["rate"] == 1 and about["period"] == 0.01 and about["stop"] == 1 and about["title"] == "run.toml", str(about))
        t, x, over, row, step = [], [], [], 0, 0
        while True:
            data = run.data(row=row, step=step, s="1,0")
            t, x, over = t + data["t"], x + data["v"][1], over + data["over"]
            row, step = data["row"], data["step"]
            if data["state"] == "ended":
                break
            expect(row <= data["n_row"] + 50, "the row is ahead of the run")
        second = run.data(s="0")
        expect(second["t"] == t and second["v"] == [x], "a second viewer has other rows")
        expect("complete at t = 1 s" in data["text"], data["text"])
        run.end()
    import h5py
    with h5py.File(bench.folder / "r.h5") as file:
        expect(list(file["time"][:]) == t and list(file["signals/a/x"][:]) == x, "rows differ from those of the result")
    realtime = json.loads((bench.folder / "s.json").read_text())["realtime"]
    expect(data["n_step"] == realtime["n_step"] == len(over) and data["n_miss"] == realtime["n_miss"], str(realtime))
    expect(sum(ns is None or ns > 0 for ns in over) == data["n_miss"], "misses differ from the steps")
    expect(is_gone(run.port), "the server is there after the end of the run")


def test_requests(bench):
    """The server listens on the loopback address only, and refuses other hosts, methods, paths, bodies and arguments."""
    with Run(bench, PACED % 1000.0, "-q", code=130) as run:
        run.signals()
        own = f"127.0.0.1:{run.port}"
        for host, code in ((own, 200), (f"localhost:{run.port}", 200), ("127.0.0.1", 403), ("evil.example", 403), (f"evil.example:{run.port}", 403),
                           (own + "0", 403), (own + ".evil.example", 403), (f"[::1]:{run.port}", 403), ("", 403)):
            expect(run.request("/", Host=host)[0] == code, f"Host {host!r}")
        for method in ("HEAD", "POST", "PUT", "DELETE", "OPTIONS", "PATCH", "TRACE"):
            expect(run.request("/", method)[0] == 405, method)
        expect(run.request("/", body="x")[0] == 400, "a body is accepted")
        for path in ("/../../etc/passwd", "//", "/index.html", "/%2e%2e/", "/data/", "/signals/x", "*"):
            expect(run.request(path)[0] in (400, 404), path)
        for query in ("", "?g=2", "?g=2&row=0&step=0", "?g=2&row=-1&step=0&s=", "?g=2&row=0&step=0&s=2", "?g=2&row=0&step=0&s=0,", "?g=2&row=0&step=0&s=-1",
                      "?g=2&row=0&step=0&s=x", "?g=2&row=99999999999999999999&step=0&s=", "?g=2&row=0&step=0&s=" + ",".join(["0"] * 17)):
            expect(run.request("/data" + query)[0] == 400, query)
        expect(set(run.data(generation=4)) == {"generation"}, "data of another run")
        expect(run.data(row=10**15, step=10**15)["row"] == 10**15, "a number above all rows")
        headers = run.request("/")[2]
        expect("default-src 'none'" in headers["Content-Security-Policy"] and headers["Access-Control-Allow-Origin"] is None, str(headers))
        expect(run.request("/" + "a" * 100000)[0] in (400, 413, 414, 431), "a huge path")
        with socket.create_connection(("127.0.0.1", run.port)) as client:
            client.sendall(f"GET / HTTP/1.1\r\nHost: {own}\r\nHost: evil.example\r\n\r\n".encode())
            expect(b" 403 " in client.recv(100), "two hosts")
        with open("/proc/net/tcp", encoding="ascii") as file:
            places = [line.split()[1] for line in file if line.split()[3] == "0A" and line.split()[1].endswith(f":{run.port:04X}")]
        expect(places == [f"0100007F:{run.port:04X}"], f"the server listens on {places}")
        run.end(signal.SIGINT)


def test_slow_viewers(bench):
    """Viewers that stop reading, or send half of a request, delay neither the run nor other viewers."""
    with Run(bench, PACED % 1000.0, "-q", code=130) as run:
        run.signals()
        idle = []
        for text in (b"GET", b"GET / HTTP/1.1\r\nHost: 127.0.0.1:%d\r\n\r\n" % run.port) * 10:
            client = socket.create_connection(("127.0.0.1", run.port))
            client.setsockopt(socket.SOL_SOCKET, socket.SO_RCVBUF, 1)
            client.sendall(text)
            idle.append(client)
        first = run.data(s="0")
        run.wait_for(lambda data: data["n_row"] > first["n_row"] + 20 and data["n_step"] > first["n_step"] + 20)
        run.end(signal.SIGINT)
        for client in idle:
            client.close()


def test_long_run(bench):
    """Memory stays bounded, and a long answer has the extreme values of the rows that it omits."""
    text = 'simulation = { stop = 1e9, communication_step = 0.01 }\ncomponent = [{ name = "a", model = "vanderpol" }]\n'
    with Run(bench, text, "-q", "-o", "r.h5", code=130) as run:
        name = run.signals()["signals"][0][0]
        data = run.wait_for(lambda data: data["n_row"] > 200000 and data["t"], s="0")
        expect(len(data["t"]) <= 2000 and data["t"] == sorted(data["t"]), f"{len(data['t'])} rows of {name}")
        with open(f"/proc/{run.process.pid}/task/{run.process.pid}/children", encoding="ascii") as file:
            child = file.read().split()[0]
        status = pathlib.Path(f"/proc/{child}/status").read_text(encoding="ascii")
        expect(int(re.search(r"VmHWM:\s*(\d+)", status)[1]) < 200000, "the process of the view has more than 200 MB")
        expect(os.sched_getscheduler(int(child)) == os.SCHED_IDLE, "the process of the view competes with the run")
        run.end(signal.SIGTERM)
    import h5py
    with h5py.File(bench.folder / "r.h5") as file:
        values = file["signals/" + name.replace(".", "/")][data["first_row"]:data["row"]]
        known = dict(zip(file["time"][data["first_row"]:data["row"]], values))
    expect(all(known.get(t) == value for t, value in zip(data["t"], data["v"][0])), "rows differ from those of the result")
    expect((min(values), max(values)) == (min(data["v"][0]), max(data["v"][0])), "the answer lacks an extreme value")


def with_names(bench, stop):
    """Returns a config with odd names of variables."""
    return (PACED % stop).replace("component = [", 'component = [{ name = "m", model = "names" }, ') + f"plugin = [{{ file = {json.dumps(bench.names)} }}]\n"


def test_names(bench):
    """Names reach the page as data."""
    with Run(bench, with_names(bench, 0.1), "-q") as run:
        expect({"m." + name for name in ODD} <= {s[0] for s in run.signals()["signals"]}, "names differ")
        run.end()


def test_many_signals(bench):
    """A run with more signals than the view has shows the first 2048."""
    parts = ", ".join(f'{{ name = "c{i}", model = "dahlquist" }}' for i in range(2500))
    text = f"simulation = {{ stop = 0.02, communication_step = 0.01, monolithic = true }}\ncomponent = [{parts}]\n"
    with Run(bench, text, "-q") as run:
        about = run.signals()
        expect(len(about["signals"]) == 2048 and about["n_all"] >= 2500, f"{len(about['signals'])} of {about['n_all']}")
        run.end()


def test_failures(bench):
    """A run that fails says so on the page; a program that is killed, too. A config with errors starts no server that stays."""
    text = PACED % 1000.0
    with Run(bench, text, "-q", code=-9) as run:
        run.signals()
        run.process.kill()
        run.process.wait()
        data = run.wait_for(lambda data: data["state"] == "ended")
        expect("signal" in data["text"], data["text"])
        end = time.monotonic() + LIMIT_S
        while not is_gone(run.port):
            expect(time.monotonic() < end, "the server stays after the death of the program")
            time.sleep(0.1)
    message = bench.fails("--live", "-D", "simulation.stop=nan", code=3)
    expect("live" not in message, message)
    with Run(bench, PACED % 1000.0, "-q", "-D", "realtime.policy=stop", "-D", "realtime.deadline=1e-9", "-D", "realtime.catch_up=1", "-D", "realtime.misses=100", "-D", "realtime.of=200", code=9) as run:
        run.signals()
        data = run.wait_for(lambda data: data["state"] == "ended")
        expect("missed more deadlines" in data["text"], data["text"])
        run.end()


def test_messages(bench):
    """A used port, a missing module, and a wrong port are one clear message each."""
    with socket.socket() as taken:
        taken.bind(("127.0.0.1", 0))
        taken.listen()
        port = taken.getsockname()[1]
        message = bench.fails("--live", "--live-port", str(port), code=3)
        expect(f"port {port}" in message and "in use" in message and message.count("\n") == 1, message)
    message = bench.fails("--live", code=3, env={"WRSIM_MODULES": str(bench.folder)})
    expect("module 'http'" in message and "omit --live" in message and message.count("\n") == 1, message)
    expect("--live" in bench.fails("--live-port", "8000", code=2), "a port without --live")
    expect("65535" in bench.fails("--live", "--live-port", "70000", code=2), "a port above the limit")


def test_no_file(bench):
    """A run without a result file has signals, too."""
    with Run(bench, PACED % 1.0, "-q", "-D", "output.file=") as run: # the server ends with a run that nobody has viewed
        expect(len(run.signals()["signals"]) == 2, "the signals of a run without a file")
        expect(len(run.wait_for(lambda data: data["state"] == "ended", s="0")["t"]) == 101, "the rows of a run without a file")
        run.end()


# ---- Chromium ----

def settle(page, script, text):
    """Waits until a JavaScript condition holds."""
    end = time.monotonic() + LIMIT_S
    while not page.run(script):
        expect(time.monotonic() < end, text + ": " + page.run("document.getElementById('state').textContent"))
        time.sleep(0.1)


def own_problems(page):
    """Returns problems except the page's own requests, and refused connections after the end of the run."""
    return [text for text in page.problems if not re.search(r"request: http://127.0.0.1:\d+/(data\?|signals)", text) and "REFUSED" not in text]


# Pixels of each plot in about the colour of its curve.
PIXELS = """plots.map(p => Math.max(...[...p.node.querySelectorAll('canvas')].map(c => {
    const d = c.getContext('2d').getImageData(0, 0, c.width, c.height).data, want = pixelColour(p.series[0].colour).match(/[0-9a-f]{2}/g).map(x => parseInt(x, 16));
    let n = 0;
    for (let k = 0; k < d.length; k += 4) if (d[k + 3] > 100 && want.every((x, i) => Math.abs(x - d[k + i]) < 30)) n++;
    return n;
})))"""


@tap.tier("long")
def test_page(bench):
    """Two viewers, two widths and both colours: curves, values, choice of signals, keyboard, end of the run."""
    if not chromium.program():
        raise tap.Skip("the machine has no Chromium")
    pictures = pathlib.Path(os.environ.get("WR_LIVE_PICTURES", bench.folder))
    with Run(bench, PACED % 1000.0, "-q", "-o", "r.h5", code=130) as run, chromium.Chromium() as browser:
        pages = [browser.open(run.url, width=width, dark=dark) for width, dark in ((1280, False), (400, True))]
        for i, page in enumerate(pages):
            settle(page, "live.run !== null && live.rows.t.length > 50 && live.steps.t.length > 50", "no data")
            expect(page.run("document.documentElement.scrollWidth <= innerWidth"), "the page is wider than the window")
            expect(page.run("document.getElementById('title').textContent") == "run.toml", "title")
            expect(page.run("plots.length") == 5, "two signals and three times of steps")
            expect(page.run("plots.every(p => p.graph.numRows() === p.rows.length)"), "a curve lacks points")
            page.picture(pictures / f"live_{i}.png")
            n_pixel = page.run(PIXELS)
            expect(min(n_pixel) > 20, f"a plot has no curve: {n_pixel} pixels in the colours of the curves")
        page = pages[0]
        page.run("document.querySelector('.list input').click()")
        settle(page, "live.shown.length === 1 && live.rows.columns.length === 1 && live.rows.t.length > 20", "the choice has no effect")
        expect("b.x" in page.run("decodeURIComponent(location.hash)"), "the address lacks the choice")
        page.run("document.querySelector('#signals .graph').focus()")
        before = page.run("plots[0].graph.xAxisRange()[1] - plots[0].graph.xAxisRange()[0]")
        page.key("+")
        expect(page.run("plots[0].graph.xAxisRange()[1] - plots[0].graph.xAxisRange()[0]") < 0.6 * before, "the key + does not zoom")
        expect(not page.run("document.getElementById('follow').checked"), "the page follows the run after a zoom")
        page.key("End")
        expect("b.x: " in page.run("document.getElementById('announce').textContent"), "the cursor is not announced")
        page.run("document.getElementById('follow').click()")
        run.process.send_signal(signal.SIGINT)
        for i, page in enumerate(pages):
            settle(page, "/has ended|No connection/.test(document.getElementById('state').textContent)", "the end")
            expect(not own_problems(page), str(own_problems(page)))
            expect(page.run("document.querySelector('fieldset').disabled"), "a choice after the end would remove the data")
            n = page.run("live.rows.t.length")
            page.set_dark(i == 0)
            expect(page.run("live.rows.t.length") == n > 0, "a change of colours removes the data")
        t, x = page.run("[live.rows.t.slice(-20), live.rows.columns[0].slice(-20)]")
        run.end()
        import h5py
        with h5py.File(bench.folder / "r.h5") as file:
            known = dict(zip(file["time"][:], file["signals/a/x"][:]))
        expect(len(t) == 20 and all(known.get(a) == b for a, b in zip(t, x)), "values of the page differ from those of the result")


@tap.tier("long")
def test_page_names(bench):
    """Odd names are text on the page."""
    if not chromium.program():
        raise tap.Skip("the machine has no Chromium")
    with Run(bench, with_names(bench, 1000.0), "-q", code=130) as run, chromium.Chromium() as browser:
        page = browser.open(run.url)
        settle(page, "live.run !== null && live.rows.t.length > 5", "no data")
        names = page.run("[...document.querySelectorAll('.list label span:first-of-type')].map(node => node.textContent)")
        expect({"m." + name for name in ODD} <= set(names), str(names))
        expect(not own_problems(page), str(own_problems(page)))
        run.end(signal.SIGINT)


if __name__ == "__main__":
    chosen = tap.parser("--names", tiers=("quick", "long")).parse_args()
    sys.exit(tap.run(globals(), chosen, lambda folder: Bench(chosen, folder)))
