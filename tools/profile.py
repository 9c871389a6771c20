"""Sums a profile by room of the source tree.

usage: profile.py CALLGRIND_OUT             instructions
       profile.py --samples PERF_SCRIPT     time: output of perf script with ip, sym and dso, with callers
       profile.py --arguments RESULT.json   prints wrsim's arguments of the first relaxed run on one core
                                            in a result of wrsim bench, one argument a line

Inlined code counts for its source file. If that file belongs to no room (intrinsics, shared small helpers),
the code counts for the file into which it was inlined. libm, libc and similar libraries count for their
callers; solver libraries count as integrator arithmetic.
"""
import collections
import json
import re
import subprocess
import sys

# First match wins; paths are relative to the source tree.
ROOMS = (
    ("model code", r"^models/"),
    ("integrator arithmetic", r"^subsystems/solvers/|^base/(dense|sparse)"),
    ("calling models", r"^subsystems/(model_host|group)/|^include/"),
    ("events", r"^subsystems/(events|ode/(event_|indicator_|pulse_|ode_watch))"),
    ("inputs and outputs", r"^subsystems/ode/(input_|ode_(inputs|output))"),
    ("waveforms", r"^subsystems/waves/"),
    ("subsystems", r"^subsystems/"),
    ("prediction", r"^runtime/relax/(predict|history|phase)"),
    ("comparison", r"^runtime/relax/(converge|accelerate)"),
    ("engine", r"^runtime/relax/|^base/clock"),
    ("scheduler", r"^scheduler/"),
    ("recorder", r"^runtime/record/"),
)
OTHER = "other"
# Groups of rooms. The second group includes the first.
SUMS = (
    ("model and integrators", ("model code", "integrator arithmetic")),
    ("all of integrating", ("model code", "integrator arithmetic", "calling models", "events", "subsystems")),
    ("for relaxation", ("inputs and outputs", "waveforms", "prediction", "comparison", "engine", "scheduler",
                        "recorder")),
)
ENOUGH_SAMPLES = 2000 # two standard deviations of a share of one half are then 2 %
SOLVERS = re.compile(r"lib(sundials|klu|amd|colamd|btf)")
HELPERS = re.compile(r"/(libm|libc|ld-linux)[^/]*$|^\[")


def room_of(path):
    path = re.sub(r"^.*?((models|subsystems|scheduler|runtime)/)", r"\1", path)
    for name, pattern in ROOMS:
        if re.search(pattern, path):
            return name
    return OTHER


class Names:
    """Resolves a name: callgrind writes '(3) name' once and '(3)' later."""

    def __init__(self):
        self.known = {}

    def __call__(self, text):
        number, _, name = text.partition(" ")
        if name:
            self.known[number] = name
        return self.known.get(number, text)


def room_of_chain(paths):
    """Returns the room of inlined code. paths: source files of the frames, the innermost first."""
    return next((room for room in map(room_of, paths) if room != OTHER), OTHER)


def read(lines):
    """Returns instructions by room."""
    files, objects = Names(), Names()
    cost = {name: 0 for name, _ in ROOMS}
    cost[OTHER] = 0
    file = own = ours = called = "" # own: file of the function; file: file of code that is inlined there
    in_call = False
    for line in lines:
        key, is_spec, value = line.strip().partition("=")
        if is_spec and re.fullmatch(r"[a-z]+", key):
            if key in ("fl", "fi", "fe"):
                file = files(value)
                own = file if key == "fl" else own
            elif key in ("cfl", "cfi"):
                files(value)
            elif key == "ob":
                ours = objects(value)
            elif key == "cob":
                called = objects(value)
            elif key == "fn":
                called = ""
            in_call = key == "calls"
            continue
        words = line.split()
        if len(words) < 2 or not re.match(r"[-+*\d]", words[0]) or not words[1].isdigit():
            continue
        # The line after calls= has the inclusive cost of the callee.
        if in_call and HELPERS.search(called) and not HELPERS.search(ours):
            room = room_of_chain((file, own))
            cost[room] += int(words[1]) if room != OTHER else 0 # _start calls libc for the whole program
        elif not in_call and SOLVERS.search(ours):
            cost["integrator arithmetic"] += int(words[1])
        elif not in_call and not HELPERS.search(ours):
            cost[room_of_chain((file, own))] += int(words[1])
        if in_call:
            called = ""
        in_call = False
    return cost


def places(binary, addresses):
    """Returns {address in a binary: source files}, the file of inlined code first, then the files around the code."""
    run = subprocess.run(["addr2line", "-a", "-i", "-e", binary], capture_output=True, text=True, check=True,
                         input="\n".join("%#x" % a for a in addresses))
    found = {}
    for line in run.stdout.splitlines():
        if line.startswith("0x"):
            chain = found.setdefault(int(line, 16), [])
        else:
            chain.append(line.rpartition(":")[0])
    return found


def read_samples(lines):
    """Returns samples by room. A sample counts for the innermost frame outside of helpers."""
    count = collections.defaultdict(collections.Counter)
    is_done = False
    for line in lines:
        frame = re.match(r"\s*([0-9a-f]+) .*\((.*)\)$", line)
        if not frame:
            is_done = False
        elif not is_done and not HELPERS.search(frame[2]):
            count[frame[2]][int(frame[1], 16)] += 1
            is_done = True
    cost = {name: 0 for name, _ in ROOMS}
    cost[OTHER] = 0
    for binary, n_of in count.items():
        if SOLVERS.search(binary):
            cost["integrator arithmetic"] += n_of.total()
            continue
        place = places(binary, n_of)
        for address, n in n_of.items():
            cost[room_of_chain(place[address])] += n
    return cost


def print_arguments(path):
    try:
        with open(path, encoding="utf-8") as text:
            result = json.load(text)
    except ValueError as error:
        sys.exit("profile: %s is no JSON: %s; name a file of wrsim bench --json" % (path, error))
    if not isinstance(result, dict) or "rows" not in result:
        sys.exit("profile: %s is no result of wrsim bench; name a file of its --json" % path)
    for row in result["rows"]:
        if row["kind"] == "measured" and row["cores"] == 1 and "config" in row:
            print(row["config"])
            for override in row["overrides"]:
                print("-D\n" + override)
            return
    sys.exit("profile: no relaxed run on one core in %s; name another result" % path)


def main():
    if len(sys.argv) == 3 and sys.argv[1] == "--arguments":
        return print_arguments(sys.argv[2])
    is_time = len(sys.argv) == 3 and sys.argv[1] == "--samples"
    if len(sys.argv) != 2 and not is_time:
        sys.exit(__doc__)
    with open(sys.argv[-1], encoding="ascii", errors="replace") as lines:
        cost = read_samples(lines) if is_time else read(lines)
    total = sum(cost.values())
    if total == 0:
        sys.exit("profile: %s has no costs; profile a longer run" % sys.argv[-1])
    print("%-24s %14s %7s" % ("", "samples" if is_time else "instructions", "share"))
    for name, count in sorted(cost.items(), key=lambda item: -item[1]):
        print("%-24s %14d %6.1f %%" % (name, count, 100.0 * count / total))
    for title, names in SUMS:
        count = sum(cost[name] for name in names)
        print("%-24s %14d %6.1f %%" % (title, count, 100.0 * count / total))
    print("%-24s %14d" % ("all", total))
    if is_time and total < ENOUGH_SAMPLES:
        print("profile: these are few samples; simulate longer (-D simulation.stop=...)", file=sys.stderr)


if __name__ == "__main__":
    main()
