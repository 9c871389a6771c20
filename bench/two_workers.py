"""Measures two workers against one worker on each core, and the phases of both workers' time.

    python3 bench/two_workers.py PROGRAM... -- CONFIG [-D KEY=VALUE]...

1. Rounds: in a round each program has four runs: with one worker on one core and then on the other, with two pinned workers, and with
   two unpinned workers. If other programs and the hypervisor use more than 3 % of the CPUs (/proc/stat), the round does not count.
2. Ratios compare runs of one round; the output has median, 10 % and 90 % quantile. "two / one" is the time of two pinned workers over the
   time of one worker on a core with the mean speed of both cores. "two / bound" is that time over the bound of the barrier: the makespan of
   the tasks of one worker on the faster core. With several programs, "two / first" compares with the first program.
3. Phases (--phases): shares of both workers' samples (Linux perf), for one and for two workers. The programs need frame pointers:
   meson setup build --buildtype=release -Dtests=false -Dc_args=-fno-omit-frame-pointer

The config should run for a tenth of a second or more. The script never runs two programs at once.
"""
import argparse
import collections
import json
import pathlib
import re
import subprocess
import sys
import tempfile

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parent.parent / "tools"))
from show_engine import BUSY, cpu_times, quantile

# The first row with a function in the call stack counts.
PHASES = (
    ("serial section", {"after_batch"}),
    ("waiting", {"wr_team_barrier"}),
    ("claims", {"wr_team_claim", "wr_team_next"}),
    ("integration", {"wr_ode_advance"}),
    ("prediction", {"wr_predict_offer"}),
    ("comparison", {"wr_wave_distance_compare", "wr_wave_distance_begin"}),
    ("checks", {"wr_engine_matters", "wr_engine_check_early"}),
    ("entry", {"begin_integration", "wr_engine_commit_rows"}),
    ("rest of tasks", {"wr_engine_run_task"}),
)
OUTSIDE = "outside"  # the start and the end of the run; all samples of a program without frame pointers


def run(program, words, *defines):
    """Returns the summary of a run as a dict."""
    with tempfile.TemporaryDirectory() as folder:
        summary = pathlib.Path(folder, "summary.json")
        command = [*program, *words, "-q", "-o", "", "--json", str(summary)]
        for define in ("scheduler.min_work=0", *defines):
            command += ["-D", define]
        done = subprocess.run(command, capture_output=True, text=True)
        if done.returncode != 0:
            sys.exit("%s\nended with %d:\n%s" % (" ".join(command), done.returncode, done.stderr))
        return json.loads(summary.read_text())


def measure_round(options, i_round):
    """Returns {program: {variant: summary}} and the share of the CPUs that other programs used."""
    a, b = options.cores
    variants = {"one on %d" % a: ["scheduler.workers=1", "scheduler.cores=[%d]" % a],
                "one on %d" % b: ["scheduler.workers=1", "scheduler.cores=[%d]" % b],
                "two pinned": ["scheduler.workers=2", "scheduler.cores=[%d, %d]" % (a, b)],
                "two unpinned": ["scheduler.workers=2", "scheduler.pin=false"]}
    sides = [(program, variant) for variant in variants for program in options.programs]
    first = i_round % len(sides)
    found = collections.defaultdict(dict)
    before = cpu_times()
    for program, variant in sides[first:] + sides[:first]:
        found[program][variant] = run([program], options.config, *variants[variant])
    busy, own, whole = (after - start for after, start in zip(cpu_times(), before))
    return found, max(0.0, (busy - own) / max(1.0, whole))


def ratios(options, rounds, program):
    """Returns the ratios of one program by name, one per round."""
    found = collections.defaultdict(list)
    for each in rounds:
        wall = {variant: summary["wall_s"] for variant, summary in each[program].items()}
        one = ["one on %d" % core for core in options.cores]
        two = wall["two pinned"]
        found["two / one"].append(two * sum(1.0 / wall[name] for name in one) / len(one))
        faster = each[program][min(one, key=wall.get)]
        bound = next(row["wall_s"] for row in faster["schedule_bound_s"] if row["cores"] == 2)
        found["two / bound"].append(two / bound)
        found["unpinned / pinned"].append(wall["two unpinned"] / two)
        found["slower / faster core"].append(max(map(wall.get, one)) / min(map(wall.get, one)))
        if program != options.programs[0]:
            found["two / first"].append(two / each[options.programs[0]]["two pinned"]["wall_s"])
    return found


def count_phases(lines):
    """Returns samples by phase, and samples outside of the phases. lines: output of perf script with ip and sym."""
    count, stack = collections.Counter(), set()
    for line in [*lines, ""]:
        frame = re.match(r"\s*[0-9a-f]+ ([^+\s]+)", line)
        if frame:
            stack.add(frame[1])
        elif stack:
            phase = next((name for name, functions in PHASES if stack & functions), None)
            count[phase or OUTSIDE] += 1
            stack = set()
    return count


def show_phases(options, program):
    """Prints the shares of the phases for one and for two workers."""
    shares = []
    for n in (1, 2):
        with tempfile.NamedTemporaryFile() as data:
            record = ["perf", "record", "-q", "-e", "cpu-clock:u", "-F", "5000", "--call-graph", "fp", "-o", data.name, "--", program]
            run(record, options.config, "scheduler.workers=%d" % n, "scheduler.cores=%s" % options.cores[:n])
            text = subprocess.run(["perf", "script", "-i", data.name, "-F", "ip,sym", "--no-inline"], capture_output=True, text=True,
                                  check=True).stdout
        count = count_phases(text.splitlines())
        n_inside = sum(count.values()) - count[OUTSIDE]
        shares.append({name: 100.0 * count[name] / max(1, n_inside) for name, _ in PHASES})
        print("  %d worker%s: %d samples in windows, %d outside" % (n, "s" if n > 1 else "", n_inside, count[OUTSIDE]))
    for name, _ in PHASES:
        print("  %-24s %6.1f %% %6.1f %%" % (name, shares[0][name], shares[1][name]))


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("programs", nargs="+", metavar="PROGRAM")
    parser.add_argument("--rounds", type=int, default=15)
    parser.add_argument("--tries", type=int, default=60, help="most rounds, quiet or not")
    parser.add_argument("--cores", type=int, nargs=2, default=[0, 1])
    parser.add_argument("--phases", action="store_true")
    words = sys.argv[1:]
    at = words.index("--") if "--" in words else len(words)
    options = parser.parse_args(words[:at])
    options.config = words[at + 1:]
    if not options.config:
        parser.error("a config is missing after --")
    rounds, n_try = [], 0
    while len(rounds) < options.rounds and n_try < options.tries:
        found, busy = measure_round(options, n_try)
        n_try += 1
        if busy <= BUSY:
            rounds.append(found)
    print("%d quiet rounds of %d" % (len(rounds), n_try))
    for program in options.programs:
        print(program)
        for name, values in ratios(options, rounds, program).items():
            print("  %-24s %6.3f (%.3f to %.3f)" % (name, quantile(values, 0.5), quantile(values, 0.1), quantile(values, 0.9)))
        if options.phases:
            show_phases(options, program)
    if len(rounds) < options.rounds:
        sys.exit("the machine was too busy for %d quiet rounds" % options.rounds)


if __name__ == "__main__":
    main()
