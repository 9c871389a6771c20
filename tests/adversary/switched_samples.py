"""A jump passes two limiters into a sampler that the same jump triggers. In every grouping the sampler must read the limited value,
at the start and later.

    switched_samples.py --wrsim WRSIM --plugin SO
"""
import argparse
import pathlib
import subprocess
import sys
import tempfile

CONFIG = """
plugin = [{ file = "%(plugin)s" }]
component = [
    { name = "jump", model = "adversary.stair", parameters = { period = 10.0, offset = %(offset)s, a = 1.0 } },
    { name = "high", model = "adversary.saturation", parameters = { low = -0.5, high = 0.7 } },
    { name = "low", model = "adversary.saturation", parameters = { low = -0.5, high = 0.3 } },
    { name = "sampler", model = "adversary.trigger", parameters = { level = 0.2 } },
]
connection = [
    { from = "jump.y0", to = "high.u0" }, { from = "high.y0", to = "low.u0" }, { from = "low.y0", to = "sampler.u0" },
    { from = "%(trigger)s.y0", to = "sampler.u1" },
]
[simulation]
stop = 0.3
communication_step = 0.02
rtol = 1e-6
"""
NAMES = ("jump", "high", "low", "sampler")


def groupings(names):
    """Yields all divisions of names into groups."""
    if not names:
        yield []
        return
    for rest in groupings(names[1:]):
        yield [[names[0]]] + rest
        for i, group in enumerate(rest):
            yield rest[:i] + [[names[0]] + group] + rest[i + 1:]


def main():
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--wrsim", required=True)
    parser.add_argument("--plugin", required=True)
    given = parser.parse_args()
    n = n_wrong = 0
    with tempfile.TemporaryDirectory() as folder:
        config, rows = pathlib.Path(folder) / "case.toml", pathlib.Path(folder) / "case.csv"
        for offset in ("0.0", "0.11"):
            for trigger in ("jump", "high", "low"):
                for groups in groupings(NAMES):
                    text = CONFIG % {"plugin": pathlib.Path(given.plugin).resolve(), "offset": offset,
                                     "trigger": trigger}
                    for i, group in enumerate(groups):
                        listed = ", ".join('"%s"' % name for name in group)
                        text += '\n[[subsystem]]\nname = "s%d"\ncomponents = [%s]\n' % (i, listed)
                    config.write_text(text)
                    subprocess.run([given.wrsim, config, "-q", "-o", rows], check=True, timeout=60)
                    lines = [line.split(",") for line in rows.read_text().splitlines() if line[0] not in "#\n"]
                    last = dict(zip(lines[0], lines[-1]))
                    n += 1
                    if abs(float(last["sampler.y0"]) - 0.3) > 1e-9:
                        n_wrong += 1
                        print("jump at %s, triggered by %s, %s: sampled %s instead of 0.3"
                              % (offset, trigger, groups, last["sampler.y0"]))
    print("%d groupings, %d wrong" % (n, n_wrong))
    return 1 if n_wrong else 0


if __name__ == "__main__":
    sys.exit(main())
