"""Every header compiles alone: public headers as C11 and C++11 without the project's compiler flags, internal headers
as C17 from the root.

usage: check_headers.py ROOT SCRATCH public|internal COMPILER ...
"""

import os
import re
import subprocess
import sys

import source_tree

WARNINGS = ["-Wall", "-Wextra", "-pedantic", "-Werror", "-fsyntax-only"]


def compiles(compiler, options, header, scratch, suffix):
    """Returns the errors of the compiler, or ''. The file includes the header twice, which tests its guard."""
    source = os.path.join(scratch, re.sub(r"\W", "_", header) + suffix)
    with open(source, "w", encoding="ascii") as file:
        file.write(f'#include "{header}"\n' * 2 + "int header_alone_unused;\n")
    return subprocess.run(compiler + WARNINGS + options + [source], stdout=subprocess.PIPE,
                          stderr=subprocess.STDOUT, universal_newlines=True, check=False).stdout


def third_party(root, path):
    """Returns whether a header includes headers of other projects, which need further include folders."""
    return re.search(r"<(hdf5|hwloc|cvode/|nvector/|sun|suitesparse/|toml)",
                     source_tree.read(root, path))


def main():
    root, scratch, kind, compiler = sys.argv[1], sys.argv[2], sys.argv[3], sys.argv[4:]
    os.makedirs(scratch, exist_ok=True)
    include = "-I" + os.path.join(root, "include")
    public = [os.path.basename(p) for p in source_tree.files(root, {".h"}, ("include",))]
    if kind == "public":
        jobs = [("wrsim/" + name, ["-xc", "-std=c11", include], ".c") for name in public]
        jobs += [("wrsim/" + name, ["-xc++", "-std=c++11", include], ".cc") for name in public]
    else:
        paths = source_tree.files(root, {".h"}, ("base", "runtime", "scheduler", "subsystems", "models"))
        jobs = [(path, ["-xc", "-std=c17", "-D_GNU_SOURCE", include, "-I" + root], ".c")
                for path in paths
                if not path.startswith("include/") and not third_party(root, path)]
    violations = []
    for header, options, suffix in jobs:
        complaint = compiles(compiler, options, header, scratch, suffix)
        if complaint:
            violations.append(f"{header} does not compile alone ({options[1][5:]}):\n{complaint}")
    if not jobs:
        violations.append("no header found: this check looks at nothing")
    return source_tree.report(violations, f"headers ({len(jobs)} compiled)")


if __name__ == "__main__":
    sys.exit(main())
