"""Makes the module wrsim._abi: the types and functions of include/wrsim for ctypes.

usage: gen_python.py ROOT OUTPUT SUM FOLDER COMPILER ...

The script also writes the C file SUM with a check sum of these types and functions. Both libraries contain this file, so the module detects
a library of other headers. COMPILER is the C compiler with its arguments; it only expands macros. FOLDER is the folder of the installed libraries. The script refuses a
declaration that it cannot translate, so that no change of a header passes unnoticed. Struct members keep their names. Members of an
enumeration lose the prefix WRSIM_. A pointer to a type without a definition becomes c_void_p.
"""

import hashlib
import io
import os
import re
import subprocess
import sys

SCALARS = {"char": "c_char", "signed char": "c_byte", "unsigned char": "c_ubyte", "int": "c_int", "unsigned": "c_uint", "double": "c_double",
           "size_t": "c_size_t", "int64_t": "c_int64", "uint64_t": "c_uint64", "uint32_t": "c_uint32"}
FUNCTION_POINTER = re.compile(r"(.*?)\(\s*\*\s*(\w+)\s*\)\s*\((.*)\)$", re.DOTALL)
FUNCTION = re.compile(r"(.*?[\s*])(\w+)\s*\((.*)\)$", re.DOTALL)
DECLARATOR = re.compile(r"([\s*]*)(\w+)((?:\s*\[[^\]]*\])*)$")


def refuse(text):
    raise SystemExit("gen_python.py: '%s' cannot be translated; extend tools/gen_python.py" % " ".join(text.split()))


def expand(root, compiler):
    """Returns the declarations of include/wrsim with expanded macros, as pairs of a header's name and its text."""
    include = os.path.join(root, "include")
    source = '#include "wrsim/wrsim.h"\nWRSIM_PYTHON_VERSION = WRSIM_VERSION_STRING\n'
    text = subprocess.run([*compiler, "-E", "-I" + include, "-x", "c", "-"], input=source, check=True, text=True,
                          stdout=subprocess.PIPE).stdout
    version = re.search(r'WRSIM_PYTHON_VERSION = "(.*)"', text)[1]
    parts, name = [], ""
    for line in text.splitlines():
        marker = re.match(r'# \d+ "(.*)"', line)
        if marker:
            path = os.path.realpath(marker[1])
            name = os.path.basename(path) if path.startswith(os.path.realpath(include) + os.sep) else ""
        elif name:
            parts.append((name, line))
    return version, parts


def statements(parts):
    """Yields the header and the text of each declaration."""
    text, header, depth = "", "", 0
    for name, line in parts:
        for c in re.sub(r"__attribute__\s*\(\(.*?\)\)\)?", "", line) + " ":
            depth += c in "{("
            depth -= c in "})"
            if c == ";" and depth == 0:
                yield header, text.strip()
                text = ""
            elif text.strip() or not c.isspace():
                header = header if text.strip() else name
                text += c
    if text.strip():
        refuse(text)


def split(text, separator=","):
    """Splits a text at separators outside of brackets."""
    parts, depth = [""], 0
    for c in text:
        depth += c in "({["
        depth -= c in ")}]"
        if c == separator and depth == 0:
            parts.append("")
        else:
            parts[-1] += c
    return [part.strip() for part in parts if part.strip()]


class Translator:
    def __init__(self):
        self.constants, self.enums, self.structs, self.callbacks, self.functions = {}, {}, {}, {}, {}

    # ---- types

    def scalar(self, base):
        if base in SCALARS:
            return SCALARS[base]
        if base in self.enums:
            return "c_int"
        return base if base in self.structs or base in self.callbacks else None

    def type(self, text, n_star):
        """Returns the ctypes expression of a C type with n_star pointers."""
        is_const = bool(re.search(r"\bconst\b", text))
        base = " ".join(re.sub(r"\b(const|struct|enum)\b", " ", text).split())
        if base == "void" and n_star == 0:
            return "None"
        if base == "char" and n_star > 0:
            # wrsim's `char *` results belong to the caller, so ctypes must not convert them.
            inner, n_star = "c_char_p" if is_const else "c_void_p", n_star - 1
        elif self.scalar(base):
            inner = self.scalar(base)
        elif n_star > 0 and re.fullmatch(r"\w+", base): # void, or a struct without a definition
            inner, n_star = "c_void_p", n_star - 1
        else:
            refuse(text)
        return "POINTER(" * n_star + inner + ")" * n_star

    def declared(self, base, declarator):
        """Returns the name and the ctypes expression of a declarator with its base type."""
        match = DECLARATOR.match(declarator)
        if not match:
            refuse(base + " " + declarator)
        n_star = base.count("*") + match[1].count("*")
        result = self.type(base.replace("*", " "), n_star)
        for size in reversed(re.findall(r"\[([^\]]*)\]", match[3])):
            result += " * %d" % self.value(size)
        return match[2], result

    def function_pointer(self, result, parameters):
        return "CFUNCTYPE(%s)" % ", ".join([self.result(result), *self.parameters(parameters)])

    def result(self, text):
        text = re.sub(r"\b(extern|static|inline)\b", " ", text)
        return self.type(text.replace("*", " "), text.count("*"))

    def parameters(self, text):
        if text.strip() in ("", "void"):
            return []
        found = []
        for parameter in split(text):
            pointer = FUNCTION_POINTER.match(parameter)
            if pointer:
                found.append(self.function_pointer(pointer[1], pointer[3]))
                continue
            array = re.search(r"\[[^\]]*\]\s*$", parameter)
            plain = parameter[:array.start()] if array else parameter
            n_star = plain.count("*") + bool(array)
            words = plain.replace("*", " ").split()
            # The last word is the parameter's name, unless the word is (part of) the type.
            if len(words) > 1 and not (" ".join(words[-2:]) in SCALARS or self.scalar(words[-1]) or words[-2] == "const"):
                words.pop()
            elif len(words) > 1 and words[-2] == "const" and len(words) > 2:
                words.pop()
            found.append(self.type(" ".join(words), n_star))
        return found

    # ---- declarations

    def value(self, text):
        """Returns the value of a constant expression."""
        words = set(re.findall(r"[A-Za-z_]\w*", text))
        if not words <= set(self.constants) or not re.fullmatch(r"[\w\s()+*<|-]+", text):
            refuse(text)
        return int(eval(text, {"__builtins__": {}}, dict(self.constants))) # pylint: disable=eval-used

    def enum(self, name, body):
        members, last = {}, -1
        for entry in split(body):
            left, _, right = entry.partition("=")
            last = self.value(right) if right else last + 1
            members[left.strip()] = self.constants[left.strip()] = last
        if name:
            self.enums[name] = members

    def struct(self, name, body):
        fields = self.structs[name] = []
        for entry in split(body, ";"):
            pointer = FUNCTION_POINTER.match(entry)
            if pointer:
                fields.append((pointer[2], self.function_pointer(pointer[1], pointer[3])))
                continue
            first, *others = split(entry)
            match = re.match(r"(.*?)([\s*]+\w+(?:\s*\[[^\]]*\])*)$", first, re.DOTALL)
            if not match:
                refuse(entry)
            base, stars = match[1], match[2]
            if re.search(r"\*\s*const\s*$", base): # const T *const *x: the stars belong to this declarator only
                stars, base = base[base.index("*"):].replace("const", "") + stars, base[:base.index("*")]
            fields += [self.declared(base, declarator) for declarator in (stars.strip(), *others)]

    def add(self, header, text):
        enum = re.match(r"(?:typedef\s+)?enum\s*(\w*)\s*\{(.*)\}\s*(\w*)$", text, re.DOTALL)
        struct = re.match(r"typedef\s+struct\s+(\w+)\s*\{(.*)\}\s*(\w+)$", text, re.DOTALL)
        if enum:
            self.enum(enum[3] or enum[1], enum[2])
        elif struct and struct[1] == struct[3]:
            self.struct(struct[3], struct[2])
        elif re.match(r"(typedef\s+)?struct\s+\w+(\s+\w+)?$", text):
            return # the type has no definition
        elif text.startswith("typedef") and FUNCTION_POINTER.match(text):
            pointer = FUNCTION_POINTER.match(text)
            self.callbacks[pointer[2]] = self.function_pointer(pointer[1].replace("typedef", ""), pointer[3])
        elif FUNCTION.match(text) and not text.startswith("typedef"):
            match = FUNCTION.match(text)
            self.functions[match[2]] = (header == "study.h", self.result(match[1]), self.parameters(match[3]))
        else:
            refuse(text)


def hint(expression, structs):
    """Returns the type of a member for readers and type checkers. structs: names of all structs."""
    if expression == "c_char_p":
        return "bytes | None"
    if expression.startswith("c_char *"):
        return "bytes"
    if expression == "c_double":
        return "float"
    if expression == "c_void_p":
        return "int | None"
    if re.fullmatch(r"c_u?(int|byte|size_t)\d*", expression):
        return "int"
    return expression if expression in structs else "Any"


def write_heading(file, version, folder, interface_sum):
    print('"""Types and functions of include/wrsim, made by tools/gen_python.py."""\n', file=file)
    print("from __future__ import annotations\n", file=file)
    print("from ctypes import (CFUNCTYPE, POINTER, Structure, %s)" % ", ".join(sorted({*SCALARS.values(), "c_char_p", "c_void_p"})), file=file)
    print("from enum import IntEnum", file=file)
    print("from typing import Any\n", file=file)
    print("VERSION = %r" % version, file=file)
    print("LIBRARY_FOLDER = %r  # of the installed libraries" % folder, file=file)
    print("INTERFACE_SUM = %r  # of the declarations below" % interface_sum, file=file)


def write_declarations(file, t):
    named = {name for members in t.enums.values() for name in members}
    for name, value in t.constants.items():
        if name not in named:
            print("%s = %d" % (name.removeprefix("WRSIM_"), value), file=file)
    print("\n\nclass NamedEnum(IntEnum):\n    def __str__(self) -> str:\n        return self.name\n", file=file) # "OK", not "0"
    print("    def __format__(self, form: str) -> str:\n        return format(self.name, form)", file=file)
    for name, members in t.enums.items():
        print("\n\nclass %s(NamedEnum):" % name, file=file)
        for member, value in members.items():
            print("    %s = %d" % (member.removeprefix("WRSIM_"), value), file=file)
    for name, fields in t.structs.items():
        print("\n\nclass %s(Structure):" % name, file=file)
        print("".join("    %s: %s\n" % (field, hint(expression, t.structs)) for field, expression in fields), end="", file=file)
    print("\n", file=file)
    for name, expression in t.callbacks.items():
        print("%s = %s" % (name, expression), file=file)
    for name, fields in t.structs.items():
        print("%s._fields_ = [%s]" % (name, ", ".join('("%s", %s)' % field for field in fields)), file=file)
    print("STRUCTS = {%s}" % ", ".join('"%s": %s' % (name, name) for name in t.structs), file=file)
    print("# name: (is in libwrsim-offline, result, parameters)", file=file)
    print("FUNCTIONS: dict[str, tuple[bool, Any, list[Any]]] = {", file=file)
    for name, (is_offline, result, parameters) in t.functions.items():
        print('    "%s": (%s, %s, [%s]),' % (name, is_offline, result, ", ".join(parameters)), file=file)
    print("}", file=file)


def main():
    root, output, sum_output, folder, *compiler = sys.argv[1:]
    version, parts = expand(root, compiler)
    translator = Translator()
    for header, text in statements(parts):
        translator.add(header, text)
    if not translator.functions:
        refuse("no function")
    declarations = io.StringIO()
    write_declarations(declarations, translator)
    interface_sum = hashlib.sha256(declarations.getvalue().encode()).hexdigest()[:16]
    with open(output, "w", encoding="utf-8") as file:
        write_heading(file, version, folder, interface_sum)
        file.write(declarations.getvalue())
    with open(sum_output, "w", encoding="utf-8") as file:
        print("/* Check sum of the types and functions of include/wrsim, made by tools/gen_python.py. */\n"
              '__attribute__((visibility("default"))) const char wrsim_interface_sum[] = "%s";' % interface_sum, file=file)


if __name__ == "__main__":
    main()
