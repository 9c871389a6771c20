"""Headers compile alone: public headers as C11 and C++11 without the project's compiler flags, internal headers of base, runtime,
scheduler, subsystems and models as C17 from the root. Headers that include headers of other projects are left out. If a source file
includes an internal header first, the build has compiled this header alone. One compilation of all internal headers of a top folder,
each included twice, tests their guards and their pedantic warnings.

usage: check_headers.py ROOT SCRATCH public|internal COMPILER ...
"""

import os
import re
import subprocess
import sys

import source_tree

WARNINGS = ["-Wall", "-Wextra", "-pedantic", "-Werror", "-fsyntax-only"]


FIRST_INCLUDE = re.compile(r'^\s*#\s*include\s+["<]([^">]+)[">]', re.MULTILINE)


def compiles(compiler, options, headers, scratch, suffix):
    """Returns the errors of the compiler, or ''. The file includes each header twice, which tests its guard."""
    name = re.sub(r"\W", "_", headers[0]) if len(headers) == 1 else "all_" + headers[0].split("/")[0]
    source = os.path.join(scratch, name + suffix)
    with open(source, "w", encoding="ascii") as file:
        file.write("".join(f'#include "{header}"\n' * 2 for header in headers) + "int header_alone_unused;\n")
    return subprocess.run(compiler + WARNINGS + options + [source], stdout=subprocess.PIPE,
                          stderr=subprocess.STDOUT, universal_newlines=True, check=False).stdout


def third_party(root, path):
    """Returns whether a header includes headers of other projects, which need further include folders."""
    return re.search(r"<(hdf5|hwloc|cvode/|nvector/|sun|suitesparse/|toml)",
                     source_tree.read(root, path))


def included_first(root):
    """Returns the headers that a source file of the program includes first."""
    sources = source_tree.files(root, {".c"}, ("base", "runtime", "scheduler", "subsystems", "models", "offline", "cli"))
    found = (FIRST_INCLUDE.search(source_tree.read(root, path)) for path in sources)
    return {match[1] for match in found if match}


def main():
    root, scratch, kind, compiler = sys.argv[1], sys.argv[2], sys.argv[3], sys.argv[4:]
    os.makedirs(scratch, exist_ok=True)
    include = "-I" + os.path.join(root, "include")
    public = [os.path.basename(p) for p in source_tree.files(root, {".h"}, ("include",))]
    if kind == "public":
        jobs = [(["wrsim/" + name], ["-xc", "-std=c11", include], ".c") for name in public]
        jobs += [(["wrsim/" + name], ["-xc++", "-std=c++11", include], ".cc") for name in public]
    else:
        rooms = [[path for path in source_tree.files(root, {".h"}, (room,)) if not third_party(root, path)]
                 for room in ("base", "runtime", "scheduler", "subsystems", "models")]
        built = included_first(root)
        jobs = [(headers, ["-xc", "-std=c17", "-D_GNU_SOURCE", include, "-I" + root], ".c")
                for headers in (*rooms, *([path] for room in rooms for path in room if path not in built)) if headers]
    violations = []
    for headers, options, suffix in jobs:
        complaint = compiles(compiler, options, headers, scratch, suffix)
        if complaint:
            what = f"{headers[0]} does not compile alone" if len(headers) == 1 else f"the headers of {headers[0].split('/')[0]}/ in one file do not compile"
            violations.append(f"{what} ({options[1][5:]}):\n{complaint}")
    if not jobs:
        violations.append("no header found: this check looks at nothing")
    return source_tree.report(violations, f"headers ({len(jobs)} compilations)")


if __name__ == "__main__":
    sys.exit(main())
