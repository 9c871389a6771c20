"""Files whose top comment says 'Real-time: yes' call nothing that may allocate, block or do I/O.

tests/rt has the proof. This script finds such calls earlier, and also on branches that no test takes. A comment "yes after ..."
or "all but ..." exempts a file, because such files also contain set-up code.

usage: check_rt.py ROOT
"""

import re
import sys

import source_tree

BANNED = re.compile(
    r"\b(malloc|calloc|realloc|reallocarray|free|aligned_alloc|posix_memalign|alloca|strdup|"
    r"strndup|asprintf|fopen|fclose|open_memstream|printf|fprintf|vfprintf|fputs|fputc|puts|"
    r"fwrite|fflush|dlopen|dlsym|sleep|usleep|nanosleep|pthread_create|pthread_join|"
    r"pthread_mutex_lock|pthread_cond_wait|mmap|munmap|mprotect)\s*\(")
REAL_TIME = re.compile(r"Real-time:\s+(?:\*\s+)?yes(?!\s+(?:\*\s+)?after\b)")


def main():
    root = sys.argv[1]
    violations, n_file = [], 0
    for path in source_tree.files(root, {".c", ".h", ".cpp"},
                                  ("base", "runtime", "scheduler", "subsystems", "models")):
        text = source_tree.read(root, path)
        if not REAL_TIME.search(source_tree.top_comment(text)):
            continue
        n_file += 1
        for number, line in enumerate(source_tree.code_only(text).split("\n"), 1):
            match = BANNED.search(line)
            if match:
                violations.append(f"{path}:{number}: real-time code must not call {match.group(1)}")
    if n_file == 0:
        violations.append("no file says 'Real-time: yes': this check looks at nothing")
    return source_tree.report(violations, f"real-time ({n_file} files)")


if __name__ == "__main__":
    sys.exit(main())
