"""TAP for tests in Python: expect(), tiers, and a loop over functions that each have a scratch folder."""
import argparse
import os
import pathlib
import resource
import tempfile
import time
import traceback

chosen_tier = None # None: all tests, each in full


class Skip(Exception):
    """A test raises this exception with a reason if the machine cannot run the test."""


def expect(condition, text):
    if not condition:
        raise AssertionError(text)


def tier(*names):
    """Sets the tiers of a test. A test without this mark belongs to the first tier of its script."""
    def mark(test):
        test.tiers = names
        return test
    return mark


def sample(some, every):
    """Returns `some` in tiers quick and full, and `every` in tiers plain and long and without --tier."""
    return every if chosen_tier in (None, "plain", "long") else some


def parser(*paths, tiers=None):
    """Returns a parser of --wrsim and further paths, which become absolute; of --tier if the script has tiers; of names of tests."""
    result = argparse.ArgumentParser()
    for path in ("--wrsim", *paths):
        result.add_argument(path, required=True, type=os.path.abspath)
    if tiers:
        result.add_argument("--tier", choices=tiers, help="only tests of this one")
    result.set_defaults(tiers=tiers)
    result.add_argument("which", nargs="*")
    return result


def run(namespace, options, bench, prefix="test_"):
    """Calls the chosen functions named PREFIX... with bench(folder); returns the exit code."""
    global chosen_tier
    tests = {name.removeprefix("test_").removeprefix("case_"): test for name, test in namespace.items() if name.startswith(prefix)}
    if options.tiers and options.tier:
        chosen_tier = options.tier
        tests = {name: test for name, test in tests.items() if options.tier in getattr(test, "tiers", options.tiers[:1])}
    chosen = {name: test for name, test in tests.items() if not options.which or name in options.which}
    return report(len(chosen), (attempt(name, test, bench) for name, test in chosen.items()))


def attempt(name, test, bench):
    """Runs a test. Returns its name, and its error or an empty text."""
    with tempfile.TemporaryDirectory() as folder:
        try:
            test(bench(pathlib.Path(folder)))
        except Skip as why:
            return f"{name} # SKIP {why}", ""
        except AssertionError as error:
            return name, str(error) or "what was expected did not come, without a word"
        except Exception:
            return name, traceback.format_exc()
    return name, ""


def cpu_s():
    """Returns the CPU time in seconds of this process and of its ended child processes."""
    return sum(usage.ru_utime + usage.ru_stime
               for usage in (resource.getrusage(resource.RUSAGE_SELF), resource.getrusage(resource.RUSAGE_CHILDREN)))


def report(n, found):
    """Prints the results, given as pairs of a name and an error. Returns the exit code."""
    n_bad, began, used_s = 0, time.monotonic(), cpu_s()
    print(f"1..{n}", flush=True)
    for i, (name, problem) in enumerate(found, 1):
        print(f"{'not ' if problem else ''}ok {i} - {name}\n# {time.monotonic() - began:.1f} s, CPU {cpu_s() - used_s:.1f} s")
        print(*("# " + line for line in problem.splitlines()), sep="\n", end="\n" if problem else "", flush=True)
        n_bad, began, used_s = n_bad + bool(problem), time.monotonic(), cpu_s()
    return 1 if n_bad or n == 0 else 0
