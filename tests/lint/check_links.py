"""Links in the documents of the source tree lead to existing files and headings. usage: check_links.py ROOT"""
import os
import re
import sys

import source_tree

BLOCK = re.compile(r"^```.*?^```$", re.MULTILINE | re.DOTALL)
LINK = re.compile(r"\]\((?!https?:)([^()#\s]*)#?([^()\s]*)\)")


def anchors(path):
    with open(path, encoding="utf-8") as file:
        titles = re.findall(r"^#+ (.*)$", BLOCK.sub("", file.read()), re.MULTILINE)
    return {re.sub(r"[^\w -]", "", title).lower().replace(" ", "-") for title in titles}


def main():
    root, dead, n = sys.argv[1], [], 0
    for name in ["README.md", *source_tree.files(root, (".md",))]:
        with open(os.path.join(root, name), encoding="utf-8") as file:
            text = BLOCK.sub("", file.read())
        for target, anchor in LINK.findall(text):
            n += 1
            path = os.path.normpath(os.path.join(root, os.path.dirname(name), target)) if target \
                else os.path.join(root, name)
            if not os.path.exists(path):
                dead.append("%s: %s" % (name, target))
            elif anchor and path.endswith(".md") and anchor not in anchors(path):
                dead.append("%s: %s#%s" % (name, target, anchor))
    if dead or n < 10:
        print("links that lead nowhere:", *dead, sep="\n")
        return 1
    return 0


sys.exit(main())
