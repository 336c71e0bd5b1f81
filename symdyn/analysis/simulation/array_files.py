"""Files of NumPy's arrays, read without trust in who wrote them.

An ``.npz`` file is a zip file of arrays. Sizes are said in three places: the directory of the zip file, the header of
each array, and what is unpacked. The first two are compared with each other and with a limit before anything is
unpacked, and no more is unpacked than they say.
"""

from __future__ import annotations

import csv
import io
import math
import os
import struct
import tokenize
import warnings
import zipfile
import zlib
from collections.abc import Callable, Mapping, Sequence
from pathlib import Path
from typing import IO, Any, BinaryIO

import numpy as np
from numpy.typing import NDArray

from symdyn.errors import RequestError
from symdyn.interface.argument_words import given_path
from symdyn.interface.regular_files import open_regular

MOST_BYTES = 2**31
"""Of all arrays of a file together, unpacked."""
_MOST_LISTED = 2**20
"""Bytes of a zip file's directory: some ten thousand arrays."""
_METHODS = (zipfile.ZIP_STORED, zipfile.ZIP_DEFLATED)
_END = b"PK\5\6"
_HEADERS = {
    (1, 0): np.lib.format.read_array_header_1_0,
    (2, 0): np.lib.format.read_array_header_2_0,
}


def read_arrays(path: str | os.PathLike[str]) -> dict[str, NDArray[Any]]:
    """All arrays of an ``.npz`` file by name; arrays of objects, which could run code, are refused.

    Raises
    ------
    RequestError
        No such file, or one that holds no such arrays, that is encrypted or packed in a way that NumPy does not use,
        or whose arrays are larger than ``MOST_BYTES`` or not of the size that they claim.
    """
    file = given_path("a file of arrays", path)
    name = os.fspath(file)
    try:
        with open_regular(file) as stream:
            if not _few_listed(stream):
                raise RequestError(f"'{name}': expected an .npz file with arrays of numbers and text")
            with zipfile.ZipFile(stream) as archive:
                members = archive.infolist()
                _check_members(name, members)
                return {own.filename.removesuffix(".npy"): _array(archive, own, name) for own in members}
    except RequestError:
        raise
    except OSError as failure:
        raise RequestError(f"'{name}' cannot be read: {failure.strerror or 'not an .npz file'}") from None
    except (
        ValueError, TypeError, AttributeError, EOFError, MemoryError, NotImplementedError, RuntimeError,
        SyntaxError, tokenize.TokenError, struct.error, zlib.error, zipfile.BadZipFile,
    ):  # fmt: skip
        raise RequestError(f"'{name}': expected an .npz file with arrays of numbers and text") from None


def real_array(path: str | os.PathLike[str], name: str, array: NDArray[Any]) -> NDArray[np.float64]:
    """An array of a file as float64; a RequestError where it holds no real numbers."""
    if array.dtype.kind not in "biuf":
        raise RequestError(f"'{os.fspath(path)}': expected real numbers in '{name}', got an array of {array.dtype}")
    return np.asarray(array, dtype=np.float64)


def _few_listed(stream: BinaryIO) -> bool:
    """Whether the directory at the end of a zip file is of a size that a file of arrays may have."""
    length = stream.seek(0, os.SEEK_END)
    stream.seek(max(0, length - 2**16 - 22))
    tail = stream.read()
    at = tail.rfind(_END)
    stream.seek(0)
    return 0 <= at <= len(tail) - 22 and struct.unpack_from("<I", tail, at + 12)[0] <= _MOST_LISTED


def _check_members(name: str, members: list[zipfile.ZipInfo]) -> None:
    """Refuse by the directory what would not be unpacked."""
    for own in members:
        if own.flag_bits & 1:
            raise RequestError(f"'{name}': '{own.filename}' in it is encrypted; save the arrays without a password")
        if own.compress_type not in _METHODS:
            raise RequestError(
                f"'{name}': '{own.filename}' in it is compressed by method {own.compress_type}, which NumPy does not "
                "use; write it with numpy.savez_compressed"
            )
    total = sum(own.file_size for own in members)
    if total > MOST_BYTES:
        raise RequestError(
            f"'{name}': its arrays are {total / 2**30:.3g} GiB unpacked, and at most {MOST_BYTES // 2**30} are read; "
            "save fewer times, or several files"
        )


def _array(archive: zipfile.ZipFile, member: zipfile.ZipInfo, name: str) -> NDArray[Any]:
    """An array, of exactly the size that its header and the directory say."""
    with archive.open(member) as stream:
        shape, fortran, dtype, header = _header(stream)
        if dtype.hasobject or any(count < 0 for count in shape):
            raise ValueError("objects")
        size = math.prod(shape) * dtype.itemsize
        if size != member.file_size - header:
            raise RequestError(
                f"'{name}': '{member.filename}' in it claims {_shown(size)} bytes and holds "
                f"{member.file_size - header}; the file is damaged"
            )
        found: NDArray[Any] = np.frombuffer(bytearray(stream.read(size)), dtype=dtype) if size else np.empty(0, dtype)
        return found.reshape(shape, order="F" if fortran else "C")


def _shown(size: int) -> str:
    return str(size) if size < 10**12 else f"more than {10**12:g}"


def _header(stream: IO[bytes]) -> tuple[tuple[int, ...], bool, np.dtype[Any], int]:
    """Shape, order and type of an array, and the bytes before its numbers."""
    version = np.lib.format.read_magic(stream)
    if version not in _HEADERS:
        raise ValueError("version")
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")  # of headers that Python 2 wrote
        shape, fortran, dtype = _HEADERS[version](stream)
    return shape, fortran, dtype, stream.tell()


def write_arrays(path: str | os.PathLike[str], arrays: Mapping[str, Any]) -> None:
    """An ``.npz`` file of arrays by name; a RequestError where it cannot be written, or would not be read again."""
    file = given_path("a file of arrays", path)
    total = sum(np.asarray(own).nbytes for own in arrays.values())
    if total > MOST_BYTES - 2**20:
        raise RequestError(
            f"'{file}' is not written: its arrays are {total / 2**30:.3g} GiB, and files of at most "
            f"{MOST_BYTES // 2**30} are read; save fewer times, or several files"
        )
    _write(file, lambda stream: np.savez_compressed(stream, **arrays))


def write_table(path: str | os.PathLike[str], names: Sequence[str], rows: NDArray[np.float64]) -> None:
    """A file of comma-separated values: a line of names, then rows of as many digits as tell doubles apart."""

    def table(stream: IO[bytes]) -> None:
        text = io.TextIOWrapper(stream, encoding="utf-8", newline="")
        lines = csv.writer(text, lineterminator="\n")
        lines.writerow(names)
        lines.writerows(map(repr, row) for row in rows.tolist())
        text.flush()
        text.detach()

    _write(given_path("a table", path), table)


def _write(file: Path, fill: Callable[[IO[bytes]], object]) -> None:
    try:
        with file.open("wb") as stream:
            fill(stream)
    except (OSError, ValueError) as failure:
        reason = failure.strerror if isinstance(failure, OSError) else failure
        raise RequestError(f"'{file}' cannot be written: {reason}") from None
