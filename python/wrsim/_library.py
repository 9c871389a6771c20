"""The libraries libwrsim and libwrsim-offline: load, call, and conversion of texts and structs."""

from __future__ import annotations

import ctypes
import functools
import os
from ctypes import byref
from pathlib import Path
from types import SimpleNamespace, TracebackType
from typing import Any, Iterable, Mapping, Self

from . import _abi, errors
from ._abi import wrsim_status as Status


def _open(name: str) -> ctypes.CDLL:
    """Opens a library: of the build folder that contains the module, else of the installed folder."""
    file = f"lib{name}.so.{_abi.VERSION}"
    folders = (Path(__file__).resolve().parents[2], Path(_abi.LIBRARY_FOLDER))
    found = next((folder / file for folder in folders if (folder / file).exists()), None)
    try:
        library = ctypes.CDLL(str(found or file))
    except OSError as error:
        raise ImportError(f"{file} is neither in {folders[0]} nor in {folders[1]}: {error}. Build or install wrsim") from None
    library_version = getattr(library, "wrsim_version", None)
    if library_version is not None:
        library_version.restype = ctypes.c_char_p
        if library_version().decode() != _abi.VERSION:
            raise ImportError(f"{file} is of wrsim {library_version().decode()}, but the module of {_abi.VERSION}; install both again")
    try:
        interface_sum = (ctypes.c_char * len(_abi.INTERFACE_SUM)).in_dll(library, "wrsim_interface_sum").value.decode()
    except ValueError:
        interface_sum = "none"
    if interface_sum != _abi.INTERFACE_SUM:
        raise ImportError(f"{library._name} and the module in {Path(__file__).parent} are built from different headers (check sums "
                          f"{interface_sum} and {_abi.INTERFACE_SUM}); build both by 'ninja -C BUILD', or install both again")
    for function, (is_offline, result, parameters) in _abi.FUNCTIONS.items():
        if is_offline == (name != "wrsim"):
            bound = getattr(library, function)
            bound.restype, bound.argtypes = result, parameters
    return library


# A CDLL releases the interpreter lock during a call, so other Python threads go on during a run.
lib = _open("wrsim")
libc = ctypes.CDLL(None)
libc.free.argtypes = [ctypes.c_void_p]


@functools.cache
def offline() -> ctypes.CDLL:
    """Returns libwrsim-offline, which has the studies."""
    return _open("wrsim-offline")


def check(status: int, record: _abi.wrsim_error) -> Status:
    """Returns the status, or raises the exception of a negative status."""
    if status < 0:
        record.status, record.text = status, record.text or lib.wrsim_status_text(status)
        raise errors.from_record(record)
    return Status(status)


def check_plain(status: int, call: str) -> None:
    """Raises an exception for a negative status of a call without an error record."""
    if status < 0:
        text = lib.wrsim_status_text(status).decode()
        raise errors.family(status)(f"{call}: {text}", Status(status))


def encode(text: str | os.PathLike[str]) -> bytes:
    """Returns a text for C. Bytes of file names that are no UTF-8 stay."""
    if not isinstance(text, (str, os.PathLike)):
        raise errors.argument(f"expected a text, got {type(text).__name__} {text!r:.80}")
    try:
        coded = os.fsencode(text)
    except UnicodeEncodeError as error:
        raise errors.argument(f"{text!r:.80} is no text in UTF-8: {error.reason}") from None
    if b"\0" in coded:
        raise errors.argument(f"{text!r:.80} contains the character NUL; remove it")
    return coded


def decode(text: bytes | None) -> str:
    return os.fsdecode(text or b"")


def take_text(address: int | None) -> str:
    """Returns a text that the library has allocated, and frees the text."""
    if not address:
        raise errors.ResourceError("out of memory", Status.E_MEMORY)
    try:
        return decode(ctypes.string_at(address))
    finally:
        libc.free(address)


class Owner:
    """Owns an object of the library. close(), the end of a with block, or the last reference frees the object.

    _kind: the object in messages. _destroy: the function of the library that frees the object.
    """

    _kind: str
    _destroy: Any
    _handle: ctypes.c_void_p | None = None

    @property
    def handle(self) -> ctypes.c_void_p:
        """The object in C, for functions of the C interface. Raises StateError after close()."""
        if not self._handle:
            raise errors.state(f"the {self._kind} is closed; create another one")
        return self._handle

    def close(self) -> None:
        """Frees the object. Closing twice is allowed."""
        if self._handle:
            self._destroy(byref(self._handle))

    def __enter__(self) -> Self:
        return self

    def __exit__(self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None) -> None:
        self.close()

    def __del__(self) -> None:
        if self._handle:
            self.close()

    def __reduce__(self) -> Any:
        raise errors.argument(f"a {self._kind} cannot be copied or pickled; create another one, also in another process")


def text_array(texts: Iterable[str]) -> ctypes.Array[ctypes.c_char_p]:
    coded = [encode(text) for text in texts]
    return (ctypes.c_char_p * len(coded))(*coded)


def toml(value: Any) -> str:
    """Returns a Python value in TOML syntax."""
    value = value.tolist() if hasattr(value, "tolist") else value # NumPy scalars and arrays
    if isinstance(value, bool):
        return "true" if value else "false"
    if isinstance(value, (int, float)): # also a member of an IntEnum, whose repr() has its name
        return repr(int(value) if isinstance(value, int) else float(value))
    if isinstance(value, (str, os.PathLike)):
        special = {'"': '\\"', "\\": "\\\\"}
        return '"%s"' % "".join(special.get(c, c) if c >= " " and c != "\x7f" else f"\\u{ord(c):04x}" for c in os.fspath(value))
    if isinstance(value, (list, tuple)):
        return f"[{', '.join(map(toml, value))}]"
    if isinstance(value, Mapping):
        return "{%s}" % ", ".join(f"{toml(str(key))} = {toml(item)}" for key, item in value.items())
    raise errors.argument(f"a value of a key cannot be {type(value).__name__}; give a number, a text, a bool, a list or a dict")


class Record(SimpleNamespace):
    """Members of a struct of wrsim/*.h, with the names and units of the header."""

    def __getattr__(self, name: str) -> Any: # called for unknown names only; declares the type of the members
        raise AttributeError(f"the record has no member {name!r}; it has {', '.join(vars(self))}")

    def _repr_html_(self) -> str:
        from .table import Table # table.py needs this file

        return Table({"member": list(vars(self)), "value": list(vars(self).values())})._repr_html_()


def to_record(struct: ctypes.Structure) -> Record:
    """Copies a struct. Pointers to other data are left out."""
    members = ((name, getattr(struct, name)) for name, *_ in struct._fields_)
    return Record(**{name: to_python(member) for name, member in members
                     if name != "memory" and not isinstance(member, ctypes._Pointer) and not callable(member)})


def to_python(value: Any) -> Any:
    """Copies a member of a struct: texts become str, structs become Record, arrays become lists."""
    if value is None or isinstance(value, bytes):
        return decode(value)
    if isinstance(value, ctypes.Structure):
        return to_record(value)
    if isinstance(value, ctypes.Array):
        return [to_python(item) for item in value]
    return value
