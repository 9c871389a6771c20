"""Tables with named columns, which a notebook shows."""

from __future__ import annotations

import html
from collections.abc import Set
from typing import Any, Iterable, Iterator, Mapping, Sequence

import numpy as np

from . import errors

N_SHOWN = 60  # rows that a notebook shows


def cell(value: Any) -> str:
    """Returns a value as text, numbers with six digits."""
    if isinstance(value, (float, np.floating)):
        return f"{value:.6g}"
    return str(value)


def as_column(values: Any) -> np.ndarray[Any, Any]:
    """Returns values as an array: texts, or numbers, or objects if the types differ."""
    if isinstance(values, np.ndarray) and values.ndim == 1:
        return values
    if isinstance(values, (str, bytes, Set)) or not hasattr(values, "__iter__"):
        raise errors.argument(f"a column of a table is a list or an array, not {type(values).__name__} {values!r:.80}")
    values = list(values)
    kinds: tuple[Any, ...] = (str, (int, float, np.number, np.bool_))
    if any(all(isinstance(value, kind) for value in values) for kind in kinds):
        return np.array(values)
    column = np.empty(len(values), dtype=object)
    for i, value in enumerate(values):
        column[i] = value
    return column


class Table:
    """Rows with named columns of equal length.

    table["name"] is a column as an array. Iteration yields rows as dicts. to_pandas() makes a pandas.DataFrame, if pandas is installed.
    """

    def __init__(self, columns: Mapping[str, Iterable[Any]]) -> None:
        if not isinstance(columns, Mapping):
            raise errors.argument(f"Table: expected a dict of names and columns, got {type(columns).__name__} {columns!r:.80}")
        self._columns = {name: as_column(column) for name, column in columns.items()}
        lengths = {len(column) for column in self._columns.values()}
        if len(lengths) > 1:
            raise errors.argument(f"the columns of a table have different lengths: {sorted(lengths)}")
        self._n_row = lengths.pop() if lengths else 0

    @classmethod
    def from_rows(cls, rows: Sequence[Mapping[str, Any]]) -> Table:
        return cls({name: [row[name] for row in rows] for name in (rows[0] if rows else ())})

    @property
    def names(self) -> list[str]:
        """Names of the columns."""
        return list(self._columns)

    def __getitem__(self, name: str) -> np.ndarray[Any, Any]:
        if name not in self._columns:
            raise errors.argument(f"no column has the name {name!r}; choose one of: {', '.join(self._columns)}")
        return self._columns[name]

    def __len__(self) -> int:
        return self._n_row

    def __iter__(self) -> Iterator[dict[str, Any]]:
        return ({name: column[i] for name, column in self._columns.items()} for i in range(self._n_row))

    def to_pandas(self) -> Any:
        """Returns a pandas.DataFrame. Raises ImportError without pandas."""
        import pandas # type: ignore[import] # optional

        return pandas.DataFrame(self._columns)

    def __repr__(self) -> str:
        cells = [self.names] + [[cell(value) for value in row.values()] for row, _ in zip(self, range(N_SHOWN))]
        widths = [max(map(len, column)) for column in zip(*cells)]
        lines = ["  ".join(text.rjust(width) for text, width in zip(row, widths)) for row in cells]
        return "\n".join(lines + ([f"... {self._n_row} rows"] if self._n_row > N_SHOWN else []))

    def _repr_html_(self) -> str:
        def line(tag: str, cells: Sequence[Any]) -> str:
            return "<tr>%s</tr>" % "".join(f"<{tag}>{html.escape(cell(value))}</{tag}>" for value in cells)

        body = "".join(line("td", list(row.values())) for row, _ in zip(self, range(N_SHOWN)))
        more = f"<p>{self._n_row} rows</p>" if self._n_row > N_SHOWN else ""
        return f"<table><thead>{line('th', self.names)}</thead><tbody>{body}</tbody></table>{more}"
