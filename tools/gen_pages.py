"""Makes docs/reference/commands.md from the program's help, and docs/reference/exit_codes.md from include/wrsim/status.h.

    gen_pages.py ROOT PROGRAM           writes the pages
    gen_pages.py ROOT PROGRAM --check   exit code 1 if a page differs
"""
import os
import re
import subprocess
import sys

REMAKE = "`meson compile -C build update_pages`"
STATUS = re.compile(r'X\((WRSIM_\w+), (-?\d+), (\d+), "([^"]*)"\)')
# Exit code -> meaning for a user, and remedy.
FAMILIES = {
    0: ("done", ""),
    1: ("`compare`: a difference is above the limit, or one file lacks a signal or point of the other; `sparse`: a given pattern is refused, or the "
        "found one is less accurate than asked for", ""),
    2: ("wrong command line; `compare`: the files have too little in common", "`wrsim COMMAND --help`"),
    3: ("the config, or components that do not fit together", "the message names the line, and often the intended word"),
    4: ("a model's description, or a plug-in; `analyze`: a model acts against its declaration",
        "[rules for models](../howto/write_a_model.md)"),
    5: ("the simulation failed; `sweep`: runs failed", "[a failed run](../howto/fix_a_failed_run.md); the table of a sweep names the runs"),
    6: ("a file cannot be written or read, or has other content; the disk is full", "results so far are readable"),
    7: ("memory; a request that the system refuses under `realtime.strict`; a defect of wrsim", ""),
    8: ("complete, but the estimated error of splitting is above `relaxation.error_limit`; or stopped by `slack.on_loc` or `slack.on_glo`",
        "lower `relaxation.convergence` or `simulation.rtol`, or put both ends of the named connection into one subsystem; with slack "
        "shorten `slack.period`, or raise the limit"),
    9: ("more deadlines were missed than allowed, with `realtime.policy = \"stop\"`", "results so far are complete; [keep deadlines]"
        "(../howto/keep_deadlines.md)"),
    10: ("`rtcheck`: deadlines will not hold", "a larger `realtime.deadline`, more cores, a looser tolerance"),
    11: ("`rtcheck`: too close to say; `stability`: the exchange is not judged, or depends on the prediction",
         "the text gives the reason; for `stability` set `relaxation.prediction` to `\"hold\"` or `\"linear\"`"),
    12: ("`stability`: a fixed step or the exchange is not stable, growth is lost, or a method (`--method`) does not converge",
         "a smaller step, another method, a shorter period"),
    13: ("a model or plug-in ended the program: SIGSEGV, SIGABRT, a stack overflow, `exit()`, ...",
         "the message names component, callback and time; results of accepted windows are kept; [rules for models]"
         "(../howto/write_a_model.md#forbidden-actions-of-a-plug-in)"),
    130: ("stopped by Ctrl-C, SIGTERM or SIGHUP, at a window boundary", "results so far are complete"),
}


def help_of(program, *words):
    # The page must not depend on the width and language of the terminal.
    return subprocess.run([program, *words, "--help"], capture_output=True, text=True, check=True,
                          env={**os.environ, "LC_ALL": "C", "COLUMNS": "120"}).stdout.rstrip()


def commands_page(program):
    summary = help_of(program)
    names = re.findall(r"^  ([a-z]+) ", summary, re.MULTILINE)
    if "run" not in names or "help" not in names:
        raise SystemExit("gen_pages.py: the help lists no commands:\n" + summary)
    parts = ["# Reference: commands\n\nThis page has the output of `wrsim --help` and `wrsim COMMAND --help`. It is made by "
             "tools/gen_pages.py; remake it by\n" + REMAKE + ".\n\n```text\n" + summary + "\n```\n"]
    parts += ["## %s\n\n```text\n%s\n```\n" % (name, help_of(program, name)) for name in names if name != "help"]
    return "\n".join(parts)


def exit_codes_page(root):
    with open(os.path.join(root, "include/wrsim/status.h"), encoding="ascii") as file:
        statuses = [(name, int(number), int(code), text) for name, number, code, text in STATUS.findall(file.read())]
    missing = {code for _, _, code, _ in statuses} ^ set(FAMILIES)
    if not statuses or missing:
        raise SystemExit("gen_pages.py: exit codes of status.h and of FAMILIES differ: %s" % sorted(missing))
    rows = "".join("| %d | %s | %s |\n" % (code, *FAMILIES[code]) for code in sorted(FAMILIES))
    listed = "".join("| `%s` | %d | %d | %s |\n" % (name, number, code, text) for name, number, code, text in statuses)
    return ("# Reference: exit codes and statuses\n\nThis page is made from include/wrsim/status.h by tools/gen_pages.py; remake it by\n" + REMAKE
            + ". The first error decides the exit code.\n\n## Exit codes\n\n| code | meaning | what to do |\n|---|---|---|\n" + rows
            + "\n## Statuses\n\nFunctions of the library return these, and the summary's JSON has the name.\n\n"
            "| status | number | exit code | text |\n|---|---|---|---|\n" + listed)


def main():
    root, program = sys.argv[1], os.path.abspath(sys.argv[2])
    code = 0
    for name, page in (("commands.md", commands_page(program)), ("exit_codes.md", exit_codes_page(root))):
        path = os.path.join(root, "docs/reference", name)
        page = "\n".join(line.rstrip() for line in page.split("\n"))
        if sys.argv[3:] != ["--check"]:
            with open(path, "w", encoding="ascii") as file:
                file.write(page)
            continue
        with open(path, encoding="ascii") as file:
            if file.read() != page:
                print("%s differs: run %s" % (path, REMAKE))
                code = 1
    return code


if __name__ == "__main__":
    sys.exit(main())
