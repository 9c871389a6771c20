"""Tests in Python that report as TAP: expect(), tiers, and the loop over functions, each with a scratch folder of its own."""
import argparse
import os
import pathlib
import tempfile
import time
import traceback


class Skip(Exception):
    """Raised by a test that cannot be made here; says why."""


def expect(condition, text):
    if not condition:
        raise AssertionError(text)


def tier(name):
    """Marks a test that is not in the first tier of its script."""
    def mark(test):
        test.tier = name
        return test
    return mark


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
    tests = {name.removeprefix("test_").removeprefix("case_"): test for name, test in namespace.items() if name.startswith(prefix)}
    if options.tiers:
        tests = {name: test for name, test in tests.items() if options.tier in (None, getattr(test, "tier", options.tiers[0]))}
    chosen = {name: test for name, test in tests.items() if not options.which or name in options.which}
    return report(len(chosen), (attempt(name, test, bench) for name, test in chosen.items()))


def attempt(name, test, bench):
    """Name and what is wrong."""
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


def report(n, found):
    """Prints n pairs of a name and what is wrong with it as they come; returns the exit code."""
    n_bad, began = 0, time.monotonic()
    print(f"1..{n}", flush=True)
    for i, (name, problem) in enumerate(found, 1):
        print(f"{'not ' if problem else ''}ok {i} - {name}\n# {time.monotonic() - began:.1f} s")
        print(*("# " + line for line in problem.splitlines()), sep="\n", end="\n" if problem else "", flush=True)
        n_bad, began = n_bad + bool(problem), time.monotonic()
    return 1 if n_bad or n == 0 else 0
