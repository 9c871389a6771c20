"""A library exports only wrsim_*, a module only wrsim_module, and the binary of exported FMUs only functions of FMI. No library installs a handler in its process, because signals and
exits belong to the program.

usage: check_symbols.py LIBRARY ...
"""

import os
import re
import subprocess
import sys

import source_tree

# Symbols that sanitizer builds add.
INSTRUMENTATION = re.compile(r"_*(?:odr_)?(?:asan|lsan|tsan|ubsan|sanitizer|sancov)_")

HANDLERS = {"sigaction", "signal", "bsd_signal", "sysv_signal", "__sysv_signal", "sigset", "sigvec", "atexit", "on_exit", "at_quick_exit"}


def symbols(library, which):
    listing = subprocess.run(["nm", "-D", which, library], check=True, stdout=subprocess.PIPE, universal_newlines=True).stdout
    return [line.split()[-1].split("@")[0] for line in listing.splitlines()]


def check(library):
    """Returns the errors of a library, and the number of its exported symbols."""
    violations, n_ours = [], 0
    name_of_file = os.path.basename(library)
    ours = "fmi[23]" if name_of_file == "wrsim_cosim.so" else "wrsim_module$" if name_of_file.startswith("wrsim_") else "wrsim_"
    for name in symbols(library, "--defined-only"):
        if re.match(ours, name):
            n_ours += 1
        elif not INSTRUMENTATION.match(name):
            violations.append(f"{library}: exports {name}")
    violations += [f"{library}: installs a handler by {name}()" for name in symbols(library, "--undefined-only")
                   if name in HANDLERS]
    if n_ours == 0:
        violations.append(f"{library}: exports no {ours} at all")
    return violations, n_ours


def main():
    found = [check(library) for library in sys.argv[1:]]
    n_ours = sum(n for _, n in found)
    return source_tree.report([text for texts, _ in found for text in texts], f"symbols ({n_ours} exported)")


if __name__ == "__main__":
    sys.exit(main())
