"""Makes a page at build time: inlines styles and scripts, and writes the page as C arrays (report_template.h).

usage: embed_page.py DYGRAPHS NAME OUTPUT PAGE FILE...

DYGRAPHS: folder with dygraph.min.js and dygraph.min.css (Debian's libjs-dygraphs). If the folder lacks a file, the arrays are empty.
NAME: name of the table of parts. A page with data has three parts, a page without data has one part.
PAGE: the page. The names in the page, such as @PAGE_CSS@ for a FILE page.css, stand for the texts of the files.
"""
import pathlib
import re
import sys

PARTS = re.compile("@DATA@|@SUMMARY@")


def inlined(files, dygraphs):
    """Returns the page, which is the first file, with the texts of the other files."""
    page = files[0].read_text(encoding="utf-8")
    texts = {path.name.upper().replace(".", "_"): path.read_text(encoding="utf-8") for path in files[1:]}
    for kind in ("css", "js"):
        texts["DYGRAPHS_" + kind.upper()] = (dygraphs / f"dygraph.min.{kind}").read_text(encoding="utf-8")
    for name, text in texts.items():
        # Such a text would end the element that contains it.
        if re.search("</(script|style)|<!--", text, re.IGNORECASE):
            sys.exit(f"{name}: the text contains an end tag or a comment of HTML; a page cannot contain this text")
        text = re.sub(r"(?m)^(//|/\*)# sourceMappingURL=.*$", "", text) # a reference to a file beside the page
        page = page.replace(f"@{name}@", text)
    return page


def array(name, text):
    data = text.encode("utf-8")
    numbers = [str(byte - 256 if byte > 127 else byte) for byte in data]
    lines = [",".join(numbers[i:i + 40]) for i in range(0, len(numbers), 40)]
    return "static const char %s[] = {%s};\n" % (name, ",\n".join(lines + ["0"]))


def main():
    dygraphs, name, output = pathlib.Path(sys.argv[1]), sys.argv[2], sys.argv[3]
    is_there = all((dygraphs / f"dygraph.min.{kind}").is_file() for kind in ("css", "js"))
    files = [pathlib.Path(path) for path in sys.argv[4:]]
    parts = PARTS.split(inlined(files, dygraphs) if is_there else files[0].read_text(encoding="utf-8"))
    with open(output, "w", encoding="ascii") as file:
        file.write('#include "offline/report/report_template.h"\n')
        for i, part in enumerate(parts):
            file.write(array("part_%d" % i, part if is_there else ""))
        file.write("const wr_report_part %s[%d] = {%s};\n"
                   % (name, len(parts), ", ".join("{part_%d, sizeof part_%d - 1}" % (i, i) for i in range(len(parts)))))


main()
