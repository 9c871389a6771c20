#!/usr/bin/env python3
"""Writes the manual page: make_man.py WRSIM PAGE.in OUTPUT

The script replaces @usage@, @commands@ and @exit_codes@ in PAGE.in by the program's help, so PAGE.in has no text about commands.
"""
import re
import subprocess
import sys


def roff(text):
    text = text.replace("\\", "\\e").replace("-", "\\-")
    return re.sub(r"^([.'])", r"\\&\1", text, flags=re.M)


def help_of(wrsim, words):
    """Returns the help of a command, and of further forms that the help names."""
    text = subprocess.run([wrsim, *words, "--help"], stdout=subprocess.PIPE, text=True, check=True).stdout
    pages = [text]
    for further in re.findall(r"^wrsim (.*) --help:", text, re.M):
        pages += help_of(wrsim, further.split())
    return pages


def usage_lines(page):
    return [line[7:] for line in page.split("\n\n")[0].splitlines()]


def options(block):
    for line in block.splitlines()[1:]:
        row = re.match(r" +((?:-.,)? *--\S+(?: \S+)?)(?: +(.*))?$", line)
        if row and row[1].endswith("--help"):
            continue
        if row:
            yield ".TP\n.B %s\n%s" % (roff(re.sub(" +", " ", row[1])), roff(row[2]))
        else:
            yield roff(line.strip())


def page_of(page):
    usage, *blocks = page.rstrip("\n").split("\n\n")
    out = [".SS %s" % roff(usage_lines(page)[0].split("  ")[0])]
    if len(usage_lines(page)) > 1:
        out += [".nf", roff("\n".join(usage_lines(page))), ".fi"]
    for block in blocks:
        if block.startswith("options:"):
            out += options(block)
        else:
            out += [".PP", roff(block)]
    return "\n".join(out)


def main(wrsim, page, output):
    every = subprocess.run([wrsim, "--help"], stdout=subprocess.PIPE, text=True, check=True).stdout
    names = re.findall(r"^  ([a-z]+) ", every.split("\n\n")[2], re.M)
    pages = [p for name in names for p in help_of(wrsim, [name])]
    usage = [line.split("  ")[0] for p in pages for line in usage_lines(p)]
    with open(page, encoding="utf-8") as source:
        text = source.read()
    text = text.replace("@usage@", "\n.br\n".join(".B " + roff(line) for line in usage))
    codes = re.findall(r"^ +(\d+)  (.*(?:\n {7}.*)?)", every.split("exit codes:\n")[1], re.M)
    text = text.replace("@exit_codes@", "\n".join(".TP\n.B %s\n%s" % (code, "; ".join(roff(line.strip()) for line in meaning.split("\n"))) for code, meaning in codes))
    text = text.replace("@commands@", "\n".join(page_of(p) for p in pages))
    with open(output, "w", encoding="utf-8") as target:
        target.write(text)


main(*sys.argv[1:])
