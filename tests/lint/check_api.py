"""doxygen makes the API pages of include/wrsim without a warning: each member has a comment, and comments name no unknown symbol.

usage: check_api.py ROOT
"""

import os
import shutil
import subprocess
import sys
import tempfile

# Text of a header, and whether doxygen accepts it.
CASES = (("/* Returns the age, s. */\ndouble wrsim_age(void);\n", True),
         ("double wrsim_age(void);\n", False),
         ("/* Returns as wrsim_ages. */\ndouble wrsim_age(void);\n", False),
         ("/* An age. */\ntypedef struct wrsim_age {\n    double s, ms; /* age */\n} wrsim_age;\n", True),
         ("/* An age. */\ntypedef struct wrsim_age {\n    double s;\n} wrsim_age;\n", False))


def make(root, headers, folder):
    return subprocess.run([sys.executable, os.path.join(root, "tools/api_pages.py"), headers, folder], check=False, text=True,
                          stdout=subprocess.PIPE, stderr=subprocess.STDOUT)


def check_case(root, top, text):
    """Returns whether doxygen makes the pages of a tree whose only header with content has this text."""
    shutil.copytree(os.path.join(root, "include"), os.path.join(top, "include"))
    for name in os.listdir(os.path.join(top, "include/wrsim")):
        if name.endswith(".h") and name not in ("export.h", "version.h"):
            os.remove(os.path.join(top, "include/wrsim", name))
    with open(os.path.join(top, "include/wrsim/age.h"), "w", encoding="ascii") as file:
        file.write("/* Ages. */\n" + text)
    return make(root, top, os.path.join(top, "pages")).returncode == 0


def main():
    root = os.path.abspath(sys.argv[1])
    with tempfile.TemporaryDirectory() as top:
        done = make(root, root, top)
        print(done.stdout, end="")
        if done.returncode:
            return done.returncode
        if not os.path.exists(os.path.join(top, "html/sim_8h.html")):
            print("no page describes wrsim/sim.h")
            return 1
    for text, is_good in CASES:
        with tempfile.TemporaryDirectory() as top:
            if check_case(root, top, text) != is_good:
                print("refused:" if is_good else "accepted:", text, sep="\n")
                return 1
    return 0


if __name__ == "__main__":
    sys.exit(main())
