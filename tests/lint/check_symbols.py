"""libwrsim exports wrsim_* and nothing else, and installs no handler in the process that it is part of: signals and exits are
the program's.

usage: check_symbols.py LIBRARY
"""

import re
import subprocess
import sys

import source_tree

# What a sanitizer build adds by itself.
INSTRUMENTATION = re.compile(r"_*(?:odr_)?(?:asan|lsan|tsan|ubsan|sanitizer|sancov)_")

HANDLERS = {"sigaction", "signal", "bsd_signal", "sysv_signal", "__sysv_signal", "sigset", "sigvec", "atexit", "on_exit", "at_quick_exit"}


def symbols(library, which):
    listing = subprocess.run(["nm", "-D", which, library], check=True, stdout=subprocess.PIPE, universal_newlines=True).stdout
    return [line.split()[-1].split("@")[0] for line in listing.splitlines()]


def main():
    violations, n_ours = [], 0
    for name in symbols(sys.argv[1], "--defined-only"):
        if name.startswith("wrsim_"):
            n_ours += 1
        elif not INSTRUMENTATION.match(name):
            violations.append(f"{sys.argv[1]}: exports {name}")
    violations += [f"{sys.argv[1]}: installs a handler by {name}()" for name in symbols(sys.argv[1], "--undefined-only")
                   if name in HANDLERS]
    if n_ours == 0:
        violations.append(f"{sys.argv[1]}: exports no wrsim_* at all")
    return source_tree.report(violations, f"symbols ({n_ours} exported)")


if __name__ == "__main__":
    sys.exit(main())
