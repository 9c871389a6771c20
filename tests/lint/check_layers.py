"""layers.txt allows every include, and every use of a name that it restricts to some files of a room. The table of ARCHITECTURE.md has
the same rooms, and lists the rooms that each room includes.

usage: check_layers.py ROOT [LAYERS]
"""

import fnmatch
import os
import re
import sys

import source_tree

LIBC = set("""assert.h complex.h ctype.h errno.h fenv.h float.h inttypes.h limits.h locale.h math.h setjmp.h stdalign.h
stdarg.h stdatomic.h stdbool.h stddef.h stdint.h stdio.h stdlib.h stdnoreturn.h string.h time.h
algorithm cmath cstddef cstdint cstdio cstdlib cstring exception limits memory new optional sstream
string string_view utility vector""".split())
POSIX = set("""dirent.h fcntl.h ftw.h getopt.h poll.h pthread.h sched.h semaphore.h signal.h spawn.h strings.h
sys/file.h sys/mman.h sys/resource.h sys/stat.h sys/statvfs.h sys/syscall.h sys/time.h sys/types.h sys/uio.h
sys/utsname.h sys/wait.h unistd.h""".split())
CXX_ONLY = {name for name in LIBC if "." not in name}
INCLUDE = re.compile(r'^[ \t]*#[ \t]*include[ \t]*([<"])([^>"]+)[>"]', re.MULTILINE)


def read_table(path):
    rooms, only, names = {}, [], []
    with open(path, encoding="ascii") as file:
        for number, line in enumerate(file, 1):
            line = line.split("#")[0].strip()
            if not line:
                continue
            head, _, tail = line.partition(" : ")
            kind, _, name = head.partition(" ")
            if kind == "room":
                rooms[name.strip()] = tail.split()
            elif kind == "only":
                only.append((name.strip(), tail.split()))
            elif kind == "name":
                names.append((*name.split(), tail.split()))
            elif kind != "fields":  # rows of check_fields.py
                sys.exit(f"{path}:{number}: neither room, only, name nor fields: {line}")
    return rooms, only, names


def room_of(folder, rooms):
    """Returns the row of a folder: its own row, or the nearest row above that ends with '/'."""
    if folder in rooms:
        return folder
    above = folder + "/"
    while above:
        if above in rooms:
            return above
        above = above[:-1].rpartition("/")[0]
        above += "/" if above else ""
    return None


def is_own(room, header_folder):
    return (header_folder + "/").startswith(room) if room.endswith("/") else header_folder == room


def judge(path, mark, header, rooms, only):
    """Returns None if the include is allowed, otherwise the error."""
    room = room_of(os.path.dirname(path), rooms)
    if room is None:
        return "this folder is not in layers.txt"
    allowed = rooms[room]
    if "anything" in allowed:
        return None
    for pattern, where in only:
        if fnmatch.fnmatch(header, pattern):
            if any(fnmatch.fnmatch(path, w) for w in where):
                return None
            return f"<{header}> belongs to {', '.join(where)} alone"
    if mark == "<":
        if header in CXX_ONLY and not path.endswith(".cpp"):
            return f"<{header}> is not for C"
        if "libc" in allowed and header in LIBC or "posix" in allowed and header in POSIX:
            return None
        return f"<{header}> is not for {room}"
    full = "include/" + header if header.startswith("wrsim/") else header
    folder = os.path.dirname(full)
    if is_own(room, folder) or folder in allowed or header in allowed:
        return None
    return f'"{header}" is not for {room}'


def misplaced_names(path, text, names):
    """Yields (line, error) for names outside of comments that only some files of their room may use."""
    for room, prefix, where in names:
        if os.path.dirname(path) != room or any(fnmatch.fnmatch(path, w) for w in where):
            continue
        code = re.sub(r"/\*.*?\*/", lambda comment: "\n" * comment.group().count("\n"), text, flags=re.DOTALL)
        for match in re.finditer(r"\b%s\w*" % re.escape(prefix), code):
            yield code.count("\n", 0, match.start()) + 1, f"{match.group()} belongs to {', '.join(where)} alone"


def architecture_rooms(root):
    """Returns the first column of the table of rooms."""
    text = source_tree.read(root, "docs/ARCHITECTURE.md")
    section = re.search(r"^## The rooms$(.*?)^## ", text, re.MULTILINE | re.DOTALL)
    rows = re.findall(r"^\| (`[^|]*) \|", section.group(1), re.MULTILINE) if section else []
    return {name for row in rows for name in re.findall(r"`([^`]+)`", row)}


def used_rooms(root, rooms):
    """Returns {room: the rooms whose headers its files include, in the order of the table}."""
    used = {room: set() for room in rooms}
    for path in source_tree.files(root, {".c", ".h", ".cpp"}):
        own = room_of(os.path.dirname(path), rooms)
        for match in INCLUDE.finditer(source_tree.read(root, path)):
            header = match.group(2)
            folder = os.path.dirname("include/" + header if header.startswith("wrsim/") else header)
            other = room_of(folder, rooms) if match.group(1) == '"' and folder else None
            if own and other and other != own:
                used[own].add(other)
    order = list(rooms)
    return {room: sorted(others, key=order.index) for room, others in used.items()}


def told_rooms(root, rooms):
    """Yields an error for each row of the table in ARCHITECTURE.md whose last column differs from the used rooms."""
    text = source_tree.read(root, "docs/ARCHITECTURE.md")
    used = used_rooms(root, rooms)
    for room, others in used.items():
        name = room.rstrip("/")
        row = re.search(r"^\| `%s` \|.*\| ([^|]*) \|$" % re.escape(name), text, re.MULTILINE)
        says = ", ".join("`%s`" % other.rstrip("/") for other in others) or "no other room"
        if row and rooms[room] != ["anything"] and row.group(1) != says:
            yield f"docs/ARCHITECTURE.md: the row of {name} must end with: {says}"


def main():
    root = sys.argv[1]
    here = os.path.dirname(os.path.abspath(__file__))
    rooms, only, names = read_table(sys.argv[2] if len(sys.argv) > 2 else os.path.join(here, "layers.txt"))
    violations = []
    for path in source_tree.files(root, {".c", ".h", ".cpp"}):
        text = source_tree.read(root, path)
        for match in INCLUDE.finditer(text):
            wrong = judge(path, match.group(1), match.group(2), rooms, only)
            if wrong:
                line = text.count("\n", 0, match.start()) + 1
                violations.append(f"{path}:{line}: {wrong}")
        violations += [f"{path}:{line}: {wrong}" for line, wrong in misplaced_names(path, text, names)]
    told = architecture_rooms(root)
    held = {room.rstrip("/") for room in rooms}
    for name in sorted(told ^ held - {"tools"}):
        violations.append(f"docs/ARCHITECTURE.md and layers.txt disagree about the room {name}")
    violations += told_rooms(root, rooms)
    return source_tree.report(violations, "layers")


if __name__ == "__main__":
    sys.exit(main())
