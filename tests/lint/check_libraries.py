"""libwrsim links only libc, libm and the C++ run-time library. Modules link the libraries that only some configs need.
libwrsim-offline links only libraries of the studies. The program wrsim-component links the libraries of libwrsim.

usage: check_libraries.py LIBRARY OFFLINE MODULE ... PROGRAM
"""

import os
import re
import subprocess
import sys

import source_tree

# libstdc++ and libgcc_s: the reader of TOML (toml++) and the conversion of numbers (<charconv>) are C++.
BASIC = {"libc", "libm", "libstdc++", "libgcc_s", "ld-linux-x86-64"}
ALLOWED = {
    "libwrsim": BASIC,
    "libwrsim-offline": BASIC | {"libcholmod", "libgomp", "libklu", "liblapacke", "libmetis"},
    "wrsim_cosim": {"libc", "libm", "ld-linux-x86-64"},
    "wrsim_cosim_fmi": {"libc", "libm", "ld-linux-x86-64"},
    "wrsim_cosim_sundials": {"libc", "libm", "ld-linux-x86-64"},
    "wrsim-component": BASIC,
    "wrsim_fmi": BASIC | {"libexpat", "libzip"},
    "wrsim_hdf5": BASIC | {"libhdf5_serial"},
    "wrsim_http": BASIC | {"libmicrohttpd"},
    "wrsim_hwloc": BASIC | {"libhwloc"},
    "wrsim_klu": BASIC | {"libklu"},
    "wrsim_mat": BASIC | {"libmatio"},
    "wrsim_sundials": BASIC | {"libklu"},
}
SUNDIALS = re.compile(r"libsundials_\w+$")
# Libraries that builds with sanitizers or coverage add, and former separate libraries of glibc.
INSTRUMENTATION = re.compile(r"lib(clang_rt\.)?[a-z]*san\b|libgcov|libpthread$|libdl$|linux-vdso$")


def needed(library):
    text = subprocess.run(["readelf", "-d", library], check=True, stdout=subprocess.PIPE, universal_newlines=True).stdout
    return [re.sub(r"\.so.*", "", name) for name in re.findall(r"\(NEEDED\).*\[(.*)\]", text)]


def main():
    violations = []
    for library in sys.argv[1:]:
        name = re.sub(r"\.so.*", "", os.path.basename(library))
        found = needed(library)
        if not found:
            violations.append(f"{library}: readelf tells of no library that it links")
        for other in found:
            is_allowed = other in ALLOWED[name] or name == "wrsim_sundials" and SUNDIALS.match(other)
            if not is_allowed and not INSTRUMENTATION.match(other):
                violations.append(f"{library}: links {other}, which is not in the list of check_libraries.py")
    return source_tree.report(violations, f"libraries ({len(sys.argv) - 1})")


if __name__ == "__main__":
    sys.exit(main())
