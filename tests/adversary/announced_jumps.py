"""A sampler's jump at a window's end acts in the next window, also if an impact of its reader lies within tolerances of this instant.

The reader, a ball, reads the sample at its impact only, and the sampler samples the height. Impacts before the sample read the first
sample, later impacts the second. A window that ends with the jump needs no second integration.

    announced_jumps.py --wrsim WRSIM --plugin SO
"""
import argparse
import json
import math
import pathlib
import subprocess
import sys
import tempfile

CONFIG = """
plugin = [{ file = "%(plugin)s" }]
component = [
    { name = "ball", model = "adversary.ball", parameters = { k = 0.4 } },
    { name = "sampler", model = "adversary.sampler", parameters = { period = %(period).17g } },
]
connection = [{ from = "ball.y0", to = "sampler.u0" }, { from = "sampler.y0", to = "ball.u0" }]
subsystem = [{ name = "a", components = ["ball"] }, { name = "b", components = ["sampler"] }]
[simulation]
stop = 0.8
communication_step = 0.1
rtol = 1e-6
[relaxation]
scheme = "%(scheme)s"
window = { initial = %(window).17g, max = %(window).17g, control = "fixed" }
"""
FALL_S = math.sqrt(2.0 / 9.81)
# Distances of impact and sample, s. The event tolerance is about 1e-7 s. At smaller distances both orders are right.
DISTANCES = [0.0] + [sign * 10.0 ** -k for k in range(2, 15) for sign in (-1.0, 1.0)]
UNSURE_S = 1e-6


def speed_at_end(sample):
    """Returns the ball's speed at 0.8 s if the impact reads this sample."""
    return 3.0 * (1.0 + 0.4 * math.tanh(sample)) - 9.81 * (0.8 - FALL_S)


def main():
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--wrsim", required=True)
    parser.add_argument("--plugin", required=True)
    given = parser.parse_args()
    n = n_wrong = 0
    with tempfile.TemporaryDirectory() as folder:
        config, rows, summary = (pathlib.Path(folder) / name for name in ("case.toml", "case.csv", "case.json"))
        for distance_s in DISTANCES:
            period_s = FALL_S + distance_s
            for scheme in ("jacobi", "gauss_seidel"):
                for windows in (1, 3):
                    config.write_text(CONFIG % {"plugin": pathlib.Path(given.plugin).resolve(), "period": period_s,
                                                "scheme": scheme, "window": period_s / windows})
                    subprocess.run([given.wrsim, config, "-q", "-o", rows, "--json", summary], check=True, timeout=60)
                    lines = [line.split(",") for line in rows.read_text().splitlines() if line[0] not in "#\n"]
                    speed = float(dict(zip(lines[0], lines[-1]))["ball.y1"])
                    late, early = speed_at_end(1.0 - 0.5 * 9.81 * period_s ** 2), speed_at_end(1.0)
                    right = (early, late) if abs(distance_s) < UNSURE_S else (late,) if distance_s < 0.0 else (early,)
                    counts = json.loads(summary.read_text())
                    n += 1
                    if min(abs(speed - value) for value in right) > 1e-5:
                        n_wrong += 1
                        print("sample %g s after the impact, %s, %d windows: speed %.9g instead of %s"
                              % (distance_s, scheme, windows, speed, right))
                    if (scheme == "gauss_seidel" and windows == 3 and abs(distance_s) > UNSURE_S
                            and counts["n_integration"] != 2 * counts["n_window"]):
                        n_wrong += 1
                        print("sample %g s after the impact: %d integrations of 2 subsystems in %d windows"
                              % (distance_s, counts["n_integration"], counts["n_window"]))
    print("%d runs, %d wrong" % (n, n_wrong))
    return 1 if n_wrong else 0


if __name__ == "__main__":
    sys.exit(main())
