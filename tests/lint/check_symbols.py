"""libwrsim exports wrsim_* and nothing else.

usage: check_symbols.py LIBRARY
"""

import re
import subprocess
import sys

import source_tree

# What a sanitizer build adds by itself.
INSTRUMENTATION = re.compile(r"_*(?:odr_)?(?:asan|lsan|tsan|ubsan|sanitizer|sancov)_")


def main():
    listing = subprocess.run(["nm", "-D", "--defined-only", sys.argv[1]], check=True,
                             stdout=subprocess.PIPE, universal_newlines=True).stdout
    violations, n_ours = [], 0
    for line in listing.splitlines():
        name = line.split()[-1].split("@")[0]
        if name.startswith("wrsim_"):
            n_ours += 1
        elif not INSTRUMENTATION.match(name):
            violations.append(f"{sys.argv[1]}: exports {name}")
    if n_ours == 0:
        violations.append(f"{sys.argv[1]}: exports no wrsim_* at all")
    return source_tree.report(violations, f"symbols ({n_ours} exported)")


if __name__ == "__main__":
    sys.exit(main())
