"""Arguments of the user: numbers, arrays and lists of names, with an exception for all others."""

from __future__ import annotations

import operator
from collections.abc import Set
from typing import Any

import numpy as np
import numpy.typing as npt

from . import errors

Array = npt.NDArray[np.float64]


def _shown(value: Any) -> str:
    """Returns a value and its type for a message."""
    return f"{type(value).__name__} {' '.join(repr(value).split()):.80}"


def _to_array(values: Any) -> Array:
    """Returns real numbers as an array. Raises TypeError, ValueError or OverflowError for texts, dates, complex numbers, masked values."""
    if np.ma.is_masked(values): # type: ignore[no-untyped-call]
        raise TypeError("masked values")
    array = np.asarray(values)
    if array.dtype.kind not in "biufO" or (array.dtype.kind == "O" and not all(hasattr(value, "__float__") for value in array.flat)):
        raise TypeError(f"values of type {array.dtype}")
    return array.astype(np.float64, order="C")


def as_number(value: Any, of: str) -> float:
    """Returns a finite number. Raises ArgumentError, also for a text such as "1.5" and for an array that is not of shape ()."""
    try:
        array = _to_array(value)
    except (TypeError, ValueError, OverflowError):
        array = np.empty(0)
    if array.shape != ():
        raise errors.argument(f"{of}: expected a number, got {_shown(value)}")
    if not np.isfinite(array):
        raise errors.argument(f"{of}: expected a finite number, got {float(array)}")
    return float(array)


def as_count(value: Any, of: str) -> int:
    """Returns an integer from 0 to 2^31 - 1. Raises ArgumentError for another value."""
    try:
        number = operator.index(value)
    except TypeError:
        number = -1
    if not 0 <= number < 2**31:
        raise errors.argument(f"{of}: expected an integer from 0 on, got {_shown(value)}")
    return number


def as_values(values: Any, n: int, of: str) -> Array:
    """Returns n finite numbers as an array. Raises ArgumentError for another shape, no numbers, NaN or infinity."""
    try:
        array = _to_array(values)
    except (TypeError, ValueError, OverflowError) as error:
        raise errors.argument(f"{of}: expected an array of shape ({n},) with real numbers, got {_shown(values)}: {error}") from None
    if array.shape != (n,):
        raise errors.argument(f"{of}: expected an array of shape ({n},), got {array.shape}")
    if not np.isfinite(array).all():
        raise errors.argument(f"{of}: value {int(np.argmin(np.isfinite(array)))} is {array[~np.isfinite(array)][0]}; give finite values")
    return array


def as_names(names: Any, of: str) -> list[str]:
    """Returns names as a list. Raises ArgumentError for one text, a set, which has no order, and entries that are no texts."""
    if isinstance(names, (str, bytes, Set)) or not hasattr(names, "__iter__"):
        raise errors.argument(f"{of}: expected a list of names, got {_shown(names)}")
    found = list(names)
    for name in found:
        if not isinstance(name, str):
            raise errors.argument(f"{of}: expected names, got {_shown(name)}")
    return found
