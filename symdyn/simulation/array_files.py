"""Files of NumPy's arrays, read without trust in who wrote them."""

from __future__ import annotations

import os
import zipfile
import zlib
from collections.abc import Mapping
from typing import Any

import numpy as np
from numpy.typing import NDArray

from symdyn.errors import RequestError
from symdyn.given_words import given_path


def read_arrays(path: str | os.PathLike[str]) -> dict[str, NDArray[Any]]:
    """All arrays of an ``.npz`` file by name; arrays of objects, which could run code, are refused.

    Raises
    ------
    RequestError
        No such file, or one that holds no such arrays.
    """
    file = given_path("a file of arrays", path)
    name = os.fspath(file)
    try:
        with file.open("rb") as stream, np.load(stream, allow_pickle=False) as held:
            return {key: held[key] for key in held.files}
    except OSError as failure:
        raise RequestError(f"'{name}' cannot be read: {failure.strerror or 'not an .npz file'}") from None
    except (ValueError, TypeError, AttributeError, EOFError, zlib.error, zipfile.BadZipFile):
        raise RequestError(f"'{name}': expected an .npz file with arrays of numbers and text") from None


def write_arrays(path: str | os.PathLike[str], arrays: Mapping[str, Any]) -> None:
    """An ``.npz`` file of arrays by name; a RequestError where it cannot be written."""
    file = given_path("a file of arrays", path)
    try:
        with file.open("wb") as stream:
            np.savez_compressed(stream, **arrays)
    except (OSError, ValueError) as failure:
        reason = failure.strerror if isinstance(failure, OSError) else failure
        raise RequestError(f"'{file}' cannot be written: {reason}") from failure
