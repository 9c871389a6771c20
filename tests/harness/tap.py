"""Tests in Python that report as TAP: expect(), tiers, and the loop over functions, each with a scratch folder of its own."""
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
    """Marks a test that is not in the first tier of its script, or is in several."""
    def mark(test):
        test.tiers = names
        return test
    return mark


def sample(some, every):
    """The value `some` in tiers quick and full, and `every` in tiers plain and long and by hand."""
    return every if chosen_tier in (None, "plain", "long") else some


def parser(*paths, tiers=None):
    """--wrsim and further paths, which become absolute; --tier if there are two; names of tests."""
    result = argparse.ArgumentParser()
    for path in ("--wrsim", *paths):
        result.add_argument(path, required=True, type=os.path.abspath)
    if tiers:
        result.add_argument("--tier", choices=tiers, help="only tests of this one")
    result.set_defaults(tiers=tiers)
    result.add_argument("which", nargs="*")
    return result


def run(namespace, options, bench, prefix="test_"):
    """The functions called PREFIX... that were asked for get bench(folder); returns the exit code."""
    global chosen_tier
    tests = {name.removeprefix("test_").removeprefix("case_"): test for name, test in namespace.items() if name.startswith(prefix)}
    if options.tiers and options.tier:
        chosen_tier = options.tier
        tests = {name: test for name, test in tests.items() if options.tier in getattr(test, "tiers", options.tiers[:1])}
    chosen = {name: test for name, test in tests.items() if not options.which or name in options.which}
    return report(len(chosen), (attempt(name, test, bench) for name, test in chosen.items()))


def attempt(name, test, bench):
    """Name of the test, and its error."""
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
    """CPU time of this process and of the processes that it has waited for."""
    return sum(usage.ru_utime + usage.ru_stime
               for usage in (resource.getrusage(resource.RUSAGE_SELF), resource.getrusage(resource.RUSAGE_CHILDREN)))


def report(n, found):
    """Prints pairs of a name and an error in their order; returns the exit code."""
    n_bad, began, used_s = 0, time.monotonic(), cpu_s()
    print(f"1..{n}", flush=True)
    for i, (name, problem) in enumerate(found, 1):
        print(f"{'not ' if problem else ''}ok {i} - {name}\n# {time.monotonic() - began:.1f} s, CPU {cpu_s() - used_s:.1f} s")
        print(*("# " + line for line in problem.splitlines()), sep="\n", end="\n" if problem else "", flush=True)
        n_bad, began, used_s = n_bad + bool(problem), time.monotonic(), cpu_s()
    return 1 if n_bad or n == 0 else 0
