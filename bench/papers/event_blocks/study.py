"""Measures the savings by event blocks (Ben Khaled et al. (2013), section 5.2) in one large subsystem.

    python3 bench/papers/event_blocks/study.py build/wrsim [--engines N] [--cylinders N] [--balls N] [--repeat N]

Three models in one solver each: engines with different loads (420 indicators each), mono-cylinders with different speeds, and
bouncing balls, of which every hundredth hits the ground at the same instant. The study runs each model without blocks, and with
blocks on one, two and three threads. All results must be equal byte by byte. The study prints counts, and medians of the ratios of
times of runs in turn.
"""
import argparse
import json
import pathlib
import statistics
import subprocess
import sys
import tempfile
import tomllib

ROOT = pathlib.Path(__file__).resolve().parents[3]
NEVER = 1000000000
WAYS = ( # name, least number of indicators for blocks, workers
    ("without blocks", NEVER, 1),
    ("blocks, 1 thread", 2000, 1),
    ("blocks, 2 threads", 2000, 2),
    ("blocks, 3 threads", 2000, 3),
)


def value(v):
    if isinstance(v, dict):
        return "{ " + ", ".join(f"{k} = {value(x)}" for k, x in v.items()) + " }"
    if isinstance(v, list):
        return "[" + ", ".join(value(x) for x in v) + "]"
    return json.dumps(v) if isinstance(v, (str, bool)) else repr(v)


def table(name, rows):
    return f"[[{name}]]\n" + "".join(f"{k} = {value(v)}\n" for k, v in rows.items()) + "\n"


def head(stop_s, solver):
    return (f"[simulation]\nstop = {stop_s}\ncommunication_step = 500e-6\nrtol = 1e-4\nmonolithic = true\n\n"
            f"[solver]\nkind = \"{solver}\"\n\n")


def engines(n, stop_s):
    """Returns a config of n engines of models/engine/engine.toml. The brakes differ, so that events of two engines do not coincide."""
    with open(ROOT / "models/engine/engine.toml", "rb") as file:
        one = tomllib.load(file)
    text = head(stop_s, "rk43")
    ends = lambda i, e: [f"e{i}_{x}" for x in e] if isinstance(e, list) else f"e{i}_{e}"
    for i in range(n):
        for c in one["component"]:
            c = dict(c, name=f"e{i}_{c['name']}")
            if c["model"] == "engine.crankshaft":
                c["parameters"] = dict(c["parameters"], brake_torque=150.0 + 5.0 * i)
            text += table("component", c)
        for c in one["connection"]:
            text += table("connection", dict(c, **{"from": ends(i, c["from"]), "to": ends(i, c["to"])}))
    return text + '[output]\nfile = "engines.csv"\nsignals = ["e*_crank.omega", "e*_intake.p", "e*_cyl1.p"]\n'


def cylinders(n, stop_s):
    """Returns a config of n mono-cylinders, 111 indicators each, at different speeds."""
    text = head(stop_s, "rk43")
    for i in range(n):
        text += table("component", {"name": f"m{i}", "model": "mono_cylinder", "start": {"speed": 190.0 + i}})
    return text + '[output]\nfile = "cylinders.csv"\nsignals = ["m*.*"]\n'


def balls(n, stop_s):
    """Returns a config of n balls with 100 different heights, so that n / 100 balls hit the ground at one instant."""
    text = head(stop_s, "bs32")
    for i in range(n):
        text += table("component", {"name": f"b{i}", "model": "bouncing_ball",
                                    "start": {"h": 0.01 + 0.0001 * (i % 100)}})
    return text + '[output]\nfile = "balls.csv"\nsignals = ["b?.h", "b??.h"]\n'


def run(wrsim, folder, config, way, environment=None):
    _, least, workers = way
    subprocess.run([wrsim, "run", "-q", config, "-D", f"simulation.event_blocks={least}", "-D",
                    f"scheduler.workers={workers}", "-D", "scheduler.event_threads=true", "-D", 'output.json="run.json"'],
                   cwd=folder, check=True, env=environment)
    with open(folder / "run.json", encoding="utf-8") as file:
        report = json.load(file)
    name = next(line.split('"')[1] for line in open(folder / config, encoding="utf-8") if line.startswith("file"))
    data = [line for line in open(folder / name, "rb") if not line.startswith(b"#")]
    return report, data


def study(wrsim, folder, title, config, repeat):
    reports, results = {}, {}
    times = {way[0]: [] for way in WAYS}
    for _ in range(repeat):
        for way in WAYS:
            reports[way[0]], data = run(wrsim, folder, config, way)
            times[way[0]].append(reports[way[0]]["wall_s"])
            if results.setdefault("data", data) != data:
                sys.exit(f"{title}: {way[0]} gives another result")
    first = reports[WAYS[0][0]]["subsystems"][0]
    print(f"\n{title}: {first['n_state']} states, {first['n_indicator']} indicators, "
          f"{first['n_active_indicator']} of them fired; {first['n_step']} steps, {first['n_state_event']} stops at state "
          f"events\nthe same result byte by byte in all runs ({len(results['data'])} lines)")
    print(f"{'':20}{'blocks':>8}{'indicators evaluated':>22}{'share':>8}{'per stop':>10}{'time':>8}{'from':>8}{'to':>8}")
    for way in WAYS:
        s = reports[way[0]]["subsystems"][0]
        ratio = sorted(t / t_0 for t, t_0 in zip(times[way[0]], times[WAYS[0][0]]))
        print(f"{way[0]:20}{s['n_event_block']:8}{s['n_indicator_value']:22}"
              f"{s['n_indicator_value'] / first['n_indicator_value']:8.3f}"
              f"{s['n_indicator_value'] / max(1, s['n_state_event']):10.0f}"
              f"{statistics.median(ratio):8.3f}{ratio[0]:8.3f}{ratio[-1]:8.3f}")


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("wrsim")
    parser.add_argument("--engines", type=int, default=12)
    parser.add_argument("--cylinders", type=int, default=46)
    parser.add_argument("--balls", type=int, default=5000)
    parser.add_argument("--repeat", type=int, default=5)
    parser.add_argument("--stop", type=float, default=0.048)
    set_ = parser.parse_args()
    wrsim = str(pathlib.Path(set_.wrsim).resolve())
    with tempfile.TemporaryDirectory() as name:
        folder = pathlib.Path(name)
        (folder / "engines.toml").write_text(engines(set_.engines, set_.stop), encoding="utf-8")
        (folder / "cylinders.toml").write_text(cylinders(set_.cylinders, set_.stop), encoding="utf-8")
        (folder / "balls.toml").write_text(balls(set_.balls, 0.1), encoding="utf-8")
        study(wrsim, folder, f"{set_.engines} engines", "engines.toml", set_.repeat)
        study(wrsim, folder, f"{set_.cylinders} mono-cylinders", "cylinders.toml", set_.repeat)
        study(wrsim, folder, f"{set_.balls} balls", "balls.toml", set_.repeat)
    print("\nThe events of a mono-cylinder fall into three blocks of variables (Ben Khaled et al. 2013, Fig. 19; bench/papers/mono_events).\n"
          "The paper gives no speed-up of locating by blocks. Here a block is a set of components: one call evaluates the indicators of a model.")


if __name__ == "__main__":
    main()
