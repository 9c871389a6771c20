"""For scripts with one case per seed: options, the loop over the seeds, and the count of verdicts."""
import argparse
import concurrent.futures
import os


def parser(*paths):
    """Returns a parser of --seeds, --first, --count, --wrsim, --plugin and further paths. All paths become absolute."""
    result = argparse.ArgumentParser()
    for path in ("--wrsim", "--plugin", *paths):
        result.add_argument(path, required=True, type=os.path.abspath)
    result.add_argument("--seeds", type=lambda text: [int(seed) for seed in text.split(",")], default=[], metavar="A,B,...")
    result.add_argument("--first", type=int, default=0)
    result.add_argument("--count", type=int, default=0)
    return result


def run(given, check, n_thread=1):
    """Calls check(given, seed) for each seed. check() returns None for an excluded case, "" for a right case, else the error.
    Returns the exit code."""
    seeds = [*given.seeds, *range(given.first, given.first + given.count)]
    n_right = n_wrong = 0
    with concurrent.futures.ThreadPoolExecutor(n_thread) as pool:
        for seed, why in zip(seeds, pool.map(lambda seed: check(given, seed), seeds)):
            n_right += why == ""
            n_wrong += bool(why)
            if why:
                print(f"{seed}: {why}", flush=True)
    print(f"{len(seeds)} draws, {n_right} right, {n_wrong} wrong, {len(seeds) - n_right - n_wrong} set aside")
    return 1 if n_wrong or not n_right else 0


def rows_of(folder, name):
    """Returns the lines of a result file without comments. Returns [] if the file does not exist."""
    path = os.path.join(folder, name)
    if not os.path.exists(path):
        return []
    with open(path, encoding="utf-8") as file:
        return [line for line in file if not line.startswith("#")]


def remove(folder, *names):
    for name in names:
        if os.path.exists(os.path.join(folder, name)):
            os.unlink(os.path.join(folder, name))
