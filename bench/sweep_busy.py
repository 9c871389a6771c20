"""Measures how a sweep of 200 engine runs uses the cores, also if the sweep is killed and resumed.

    python3 bench/sweep_busy.py build/wrsim

The script runs the sweep once without and once with an interruption (SIGKILL at half of the runs, then --resume). The script prints the
CPU time of all processes over wall time and cores, and compares both tables. The exit code is 1 if a sweep uses less than 90 % of the
cores, if a run is not done, or if the tables differ in more than wall times. The script takes a minute on two cores. Other load
lowers the busy share.
"""
import csv
import ctypes
import os
import pathlib
import resource
import subprocess
import sys
import tempfile
import time

ENGINE = pathlib.Path(__file__).resolve().parent.parent / "models/engine/engine.toml"
TORQUES = ",".join(str(60 + 4 * i) for i in range(50))
RTOLS = "1e-4,3e-5,1e-5,3e-6"
N_RUN = 200
PR_SET_CHILD_SUBREAPER = 36


def spent_s():
    usage = resource.getrusage(resource.RUSAGE_CHILDREN)
    return usage.ru_utime + usage.ru_stime


def n_done(folder):
    return sum(1 for _ in folder.glob("runs/*/row.csv"))


def sweep(wrsim, folder, *options, kill_at=None):
    """Returns the share of all cores that the sweep's processes used."""
    cpu, begin = spent_s(), time.monotonic()
    process = subprocess.Popen(
        [wrsim, "sweep", ENGINE, "-D", f"component.crank.parameters.brake_torque={TORQUES}", "-D", f"simulation.rtol={RTOLS}",
         "-o", folder, *options], stdin=subprocess.DEVNULL, stdout=subprocess.DEVNULL, stderr=subprocess.PIPE, text=True)
    if kill_at:
        while n_done(folder) < kill_at and process.poll() is None:
            time.sleep(0.02)
        process.kill()
    said = process.communicate()[1]
    while True: # runs of the killed sweep are now children of this process
        try:
            os.wait()
        except ChildProcessError:
            break
    wall = time.monotonic() - begin
    if not kill_at and process.returncode != 0:
        sys.exit(f"the sweep failed with exit code {process.returncode}: {said}")
    share = (spent_s() - cpu) / wall / len(os.sched_getaffinity(0))
    print(f"{n_done(folder):5d} runs done, {wall:6.2f} s, cores busy {share:.3f}", flush=True)
    return share


def table(folder):
    with open(folder / "table.csv", newline="") as file:
        return [row[:-1] for row in csv.reader(file)]


def main():
    wrsim = os.path.abspath(sys.argv[1])
    ctypes.CDLL(None).prctl(PR_SET_CHILD_SUBREAPER, 1, 0, 0, 0)
    with tempfile.TemporaryDirectory() as scratch:
        whole, killed = pathlib.Path(scratch) / "whole", pathlib.Path(scratch) / "killed"
        shares = [sweep(wrsim, whole), sweep(wrsim, killed, kill_at=N_RUN // 2), sweep(wrsim, killed, "--resume")]
        rows = table(whole)
        is_complete = len(rows) == N_RUN + 1 and all(row[rows[0].index("status")] == "done" for row in rows[1:])
        is_equal = rows == table(killed)
    print(f"table of {len(rows) - 1} runs, {'all done' if is_complete else 'NOT COMPLETE'}; "
          f"killed and resumed: {'the same' if is_equal else 'DIFFERENT'}")
    return 0 if is_complete and is_equal and min(shares) > 0.9 else 1


if __name__ == "__main__":
    sys.exit(main())
