"""The types of the module wrsim._abi have the layout of the C headers, and its list of functions has the exported functions. TAP.

    check_abi.py --wrsim PROGRAM --module FOLDER --source ROOT --libraries FILE,FILE --compiler COMMAND [test]...
"""
import ctypes
import os
import shutil
import subprocess
import sys

sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), "../harness"))
import tap
from tap import expect


def layout(structs):
    """Returns the sizes of structs, and offsets and sizes of members, of ctypes."""
    found = {}
    for name, struct in structs.items():
        found[name] = (ctypes.sizeof(struct),)
        for field, *_ in struct._fields_:
            found[f"{name}.{field}"] = getattr(struct, field).offset, getattr(struct, field).size
    return found


class Bench:
    def __init__(self, options, abi, folder):
        self.options, self.abi, self.folder = options, abi, folder

    def compile_and_run(self, lines):
        """Runs a C program with these lines in main(). Returns the words of its output lines."""
        source, program = self.folder / "layout.c", self.folder / "layout"
        source.write_text('#include <stddef.h>\n#include <stdio.h>\n#include "wrsim/wrsim.h"\nint main(void)\n{\n%s\nreturn 0;\n}\n'
                          % "\n".join(lines))
        subprocess.run([*self.options.compiler.split(), "-std=c11", "-I", os.path.join(self.options.source, "include"), source, "-o", program],
                       check=True)
        return [line.split() for line in subprocess.run([program], check=True, capture_output=True, text=True).stdout.splitlines()]

    def layout_in_c(self, structs):
        lines = []
        for name, struct in structs.items():
            lines.append(f'printf("{name} %zu\\n", sizeof({name}));')
            lines += [f'printf("{name}.{field} %zu %zu\\n", offsetof({name}, {field}), sizeof((({name} *)0)->{field}));'
                      for field, *_ in struct._fields_]
        return {words[0]: tuple(map(int, words[1:])) for words in self.compile_and_run(lines)}


def test_structs(bench):
    expect(len(bench.abi.STRUCTS) > 40, f"only {len(bench.abi.STRUCTS)} structs")
    found, expected = layout(bench.abi.STRUCTS), bench.layout_in_c(bench.abi.STRUCTS)
    expect(found == expected, f"{[(name, found.get(name), expected[name]) for name in expected if found.get(name) != expected[name]]}")


def test_wrong_struct_is_seen(bench):
    """A struct without a member, and a struct with a member of another size, differ from C."""
    fields = bench.abi.wrsim_stats._fields_
    for wrong in (fields[:-1], [*fields[:4], (fields[4][0], ctypes.c_int64), *fields[5:]]):
        other = {"wrsim_stats": type("wrsim_stats", (ctypes.Structure,), {"_fields_": wrong})}
        expect(layout(other) != bench.layout_in_c(other), "the layouts are equal")


def test_constants(bench):
    """Members of enumerations and other constants have the values of C."""
    abi = bench.abi
    enums = [value for value in vars(abi).values() if isinstance(value, type) and issubclass(value, abi.IntEnum) and value is not abi.IntEnum]
    values = {f"WRSIM_{member.name}": int(member) for enum in enums for member in enum}
    values |= {f"WRSIM_{name}": value for name, value in vars(abi).items() if name.isupper() and isinstance(value, int)}
    expect(len(values) > 80, f"only {len(values)} constants")
    found = bench.compile_and_run([f'printf("{name} %d\\n", (int){name});' for name in values])
    expect({name: int(value) for name, value in found} == values, f"{found}")


def test_functions(bench):
    """The list has each exported function, in its library."""
    libraries = bench.options.libraries.split(",")
    for library in libraries:
        listing = subprocess.run(["nm", "-D", "--defined-only", library], check=True, capture_output=True, text=True).stdout
        exported = {line.split()[-1].split("@")[0] for line in listing.splitlines() if " T " in line}
        is_offline = "offline" in os.path.basename(library)
        listed = {name for name, (is_in_offline, *_) in bench.abi.FUNCTIONS.items() if is_in_offline == is_offline}
        expect(exported == listed and listed, f"{library}: {exported ^ listed}")
    expect(len(libraries) == 2, f"{libraries}")


def test_library_of_other_headers(bench):
    """The module refuses a library of the same version with other structs or functions, and names both."""
    options, package = bench.options, bench.folder / "python" / "wrsim"
    headers = shutil.copytree(os.path.join(options.source, "include"), bench.folder / "include")
    shutil.copytree(os.path.join(options.module, "wrsim"), package, ignore=shutil.ignore_patterns("__pycache__"))
    library = bench.folder / f"libwrsim.so.{bench.abi.VERSION}"
    library.symlink_to(options.libraries.split(",")[0])

    def stderr_of_import():
        subprocess.run([sys.executable, os.path.join(options.source, "tools/gen_python.py"), bench.folder, package / "_abi.py",
                        bench.folder / "sum.c", "/usr/lib", *options.compiler.split()], check=True)
        return subprocess.run([sys.executable, "-c", "import wrsim"], env={**os.environ, "PYTHONPATH": str(package.parent)}, text=True,
                              capture_output=True, check=False).stderr

    expect(stderr_of_import() == "", "the same headers are refused")
    for name, old, new in (("stats.h", "typedef struct wrsim_stats {", "typedef struct wrsim_stats { int other;"),
                           ("sim.h", "double wrsim_time(", "int wrsim_time(")):
        text = (headers / "wrsim" / name).read_text()
        expect(text.count(old) == 1, f"{name} has no '{old}'")
        (headers / "wrsim" / name).write_text(text.replace(old, new))
        error = stderr_of_import()
        expect(f"{library} and the module in {package} are built from different headers" in error, error)
        (headers / "wrsim" / name).write_text(text)
    library.unlink()
    (bench.folder / "old.c").write_text('const char *wrsim_version(void);\nconst char *wrsim_version(void) { return "%s"; }\n'
                                        % bench.abi.VERSION)
    subprocess.run([*options.compiler.split(), "-shared", "-fPIC", "-o", library, bench.folder / "old.c"], check=True)
    expect("(check sums none and" in stderr_of_import(), "an old library is accepted")


def main():
    parser = tap.parser("--module", "--source")
    parser.add_argument("--libraries", required=True)
    parser.add_argument("--compiler", required=True)
    options = parser.parse_args()
    sys.path.insert(0, options.module)
    from wrsim import _abi
    return tap.run(globals(), options, lambda folder: Bench(options, _abi, folder))


if __name__ == "__main__":
    sys.exit(main())
