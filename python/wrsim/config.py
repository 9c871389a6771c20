"""Configs: a TOML file or text with overrides, checked and resolved (wrsim/config.h), and the studies of a config (wrsim/study.h)."""

from __future__ import annotations

import ctypes
import html
import os
import tomllib
from ctypes import byref
from typing import Any, Mapping, Union

from . import _abi, errors
from ._arguments import as_count, as_number
from ._interrupt import no_stop, stopped_by_signals
from ._library import Owner, Record, check, decode, encode, lib, offline, take_text, text_array, to_record, toml

Path = Union[str, "os.PathLike[str]"]
Overrides = Mapping[str, Any]


def override_texts(overrides: Overrides | None) -> list[str]:
    """Returns overrides as the texts "key=value" of the option -D."""
    if overrides is not None and not isinstance(overrides, Mapping):
        raise errors.argument(f"overrides: expected a dict of keys and values, got {type(overrides).__name__} {overrides!r:.80}")
    for key in overrides or {}:
        if not isinstance(key, str) or "=" in key:
            raise errors.argument(f"overrides: expected the name of a key, got {type(key).__name__} {key!r:.80}")
    return [f"{key}={toml(value)}" for key, value in (overrides or {}).items()]


class Reports:
    """Collects the errors that a call reports (wrsim_report_fn)."""

    def __init__(self) -> None:
        found: list[errors.WrsimError] = []
        self.errors = found
        self.function = _abi.wrsim_report_fn(lambda user, record: found.append(errors.from_record(record.contents)))

    def check(self, status: int, record: _abi.wrsim_error) -> None:
        """Raises the first error with the list of all errors, if status is negative."""
        try:
            check(status, record)
        except errors.WrsimError as error:
            error.errors = self.errors or [error]
            raise


class Config(Owner):
    """A checked and resolved config.

    source: name of a TOML file. A config may name FMUs in its components.
    overrides: keys and values that replace those of the file, such as {"simulation.stop": 0.1, "component.*.parameters.k12": 20}. A key
        addresses an entry of a list by its name.

    Simulations of a config go on after its close(). Raises ConfigError, with all errors in its member `errors`; FileError.
    Thread: one owner at a time.
    """

    _kind, _destroy = "config", lib.wrsim_config_destroy

    def __init__(self, source: Path, overrides: Overrides | None = None, *, _text: str | None = None) -> None:
        self._handle = ctypes.c_void_p()
        self.name = decode(encode(source))
        reports, record, texts = Reports(), _abi.wrsim_error(), text_array(override_texts(overrides))
        tail = (texts, len(texts), reports.function, None, byref(self._handle), byref(record))
        with stopped_by_signals(no_stop): # the library calls reports
            if _text is None:
                status = lib.wrsim_config_from_file(encode(source), *tail)
            else:
                coded = encode(_text)
                status = lib.wrsim_config_from_text(coded, len(coded), encode(source), *tail)
        reports.check(status, record)

    @classmethod
    def from_text(cls, text: str, overrides: Overrides | None = None, *, name: str = "config") -> Config:
        """Reads a config from a TOML text. Messages contain `name` in the place of a file name."""
        if not isinstance(text, str):
            raise errors.argument(f"Config.from_text: expected a text, got {type(text).__name__} {text!r:.80}")
        return cls(name, overrides, _text=text)

    @property
    def text(self) -> str:
        """The resolved config as TOML."""
        return take_text(lib.wrsim_config_dump(self.handle))

    def to_dict(self) -> dict[str, Any]:
        """Returns the resolved config as nested dicts and lists."""
        return tomllib.loads(self.text)

    @property
    def is_undecided(self) -> bool:
        """Whether simulation.monolithic is "auto". A simulation of such a config first calls decide()."""
        return bool(lib.wrsim_config_is_undecided(self.handle))

    def study_split(self, workers: int = 0) -> Record:
        """Compares the split into subsystems with one solver, for a number of workers (wrsim_study_split); 0: the workers of the config.

        Returns the members of wrsim_split_probe, such as is_monolithic, work_ratio and text. Takes up to two minutes; Ctrl-C acts afterwards.
        """
        return to_record(self._probe(workers))

    def _probe(self, workers: int) -> _abi.wrsim_split_probe:
        probe, record = _abi.wrsim_split_probe(), _abi.wrsim_error()
        check(offline().wrsim_study_split(self.handle, as_count(workers, "workers"), byref(probe), byref(record)), record)
        return probe

    def decide(self) -> Record:
        """Studies the split and stores the result in the config, so that simulation.monolithic is decided (wrsim_config_keep_split)."""
        probe, record = self._probe(0), _abi.wrsim_error()
        check(offline().wrsim_config_keep_split(self.handle, byref(probe), byref(record)), record)
        return to_record(probe)

    def study_realtime(self, limit: float = 0.0) -> Record:
        """Predicts whether a run meets its deadlines (wrsim_study_realtime).

        limit: wall time of the measurement in s; 0: 10 s. Ctrl-C acts after the measurement.
        Returns the members of wrsim_rtcheck; verdict is a number of Status. `workers` has the core of each worker, `subsystems` a record
        for each subsystem.
        """
        options, record = _abi.wrsim_rtcheck_options(as_number(limit, "limit")), _abi.wrsim_error()
        found = ctypes.POINTER(_abi.wrsim_rtcheck)()
        check(offline().wrsim_study_realtime(self.handle, byref(options), byref(found), byref(record)), record)
        try:
            own = found.contents
            result = to_record(own)
            result.workers = [own.cpu[i] for i in range(own.n_worker)]
            result.subsystems = [to_record(own.subsystem[i]) for i in range(own.n_subsystem)]
        finally:
            offline().wrsim_rtcheck_destroy(byref(found))
        return result

    def __repr__(self) -> str:
        return f"<wrsim.Config {self.name!r}{'' if self._handle else ', closed'}>"

    def _repr_html_(self) -> str:
        return f"<p>{html.escape(repr(self))}</p>" + (f"<pre>{html.escape(self.text)}</pre>" if self._handle else "")
