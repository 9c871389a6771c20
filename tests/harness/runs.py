"""Runs of programs and their results, for scripts that report by their exit code."""
import csv
import json
import os
import subprocess
import sys
import tempfile


def call(*words, codes=(0,), **more):
    """Runs a program. An exit code that is not among the codes ends the script with the words and the messages."""
    done = subprocess.run(words, capture_output=True, text=True, check=False, **more)
    if done.returncode not in codes:
        sys.exit("%s\nended with %d:\n%s" % (" ".join(map(str, words)), done.returncode, done.stderr))
    return done


def defined(options):
    """The words of options, which begin with "--", and of overrides, which follow -D."""
    return [word for option in options for word in ([option] if option.startswith("--") else ["-D", option])]


def of_text(program, text, *options):
    """Runs the text of a config. Returns the columns of the result, and the summary."""
    with tempfile.TemporaryDirectory() as folder:
        path, out, summary = (os.path.join(folder, name) for name in ("c.toml", "r.csv", "s.json"))
        with open(path, "w", encoding="utf-8") as file:
            file.write(text)
        call(program, path, "-q", "-o", out, "--json", summary, *defined(options))
        return columns_of(out), json_of(summary)


def json_of(path):
    with open(path, encoding="utf-8") as file:
        return json.load(file)


def lines_of(path):
    """The lines of a result file without its comments."""
    with open(path, encoding="utf-8") as file:
        return [line for line in file if not line.startswith("#")]


def columns_of(path):
    """Times and signals of a result file at communication points: {name: [values]}."""
    head, *rows = csv.reader(lines_of(path))
    points = [row for row in rows if row[1] == "c"]
    return {name.split(" ")[0]: [float(row[i]) for row in points] for i, name in enumerate(head) if i != 1}
