"""Files of arrays that somebody else wrote: read where they are what they claim, refused before they are unpacked."""

from __future__ import annotations

import io
import os
import struct
import time
import tracemalloc
import zipfile
from pathlib import Path
from typing import Any

import numpy as np
import pytest

import symdyn
from symdyn.analysis.simulation.array_files import MOST_BYTES, read_arrays, write_arrays
from symdyn.errors import RequestError


def array_file(shape: str, data: bytes = b"\0" * 64, descr: str = "'<f8'") -> bytes:
    header = f"{{'descr': {descr}, 'fortran_order': False, 'shape': {shape}, }}".encode()
    header += b" " * (117 - len(header)) + b"\n"
    return b"\x93NUMPY\1\0" + struct.pack("<H", len(header)) + header + data


def packed(members: dict[str, bytes], method: int = zipfile.ZIP_STORED) -> bytearray:
    into = io.BytesIO()
    with zipfile.ZipFile(into, "w", method) as archive:
        for name, data in members.items():
            archive.writestr(name, data)
    return bytearray(into.getvalue())


def marked(local: int, listed: int, value: int) -> bytes:
    """A whole file with one byte of the header and of the directory set."""
    data = packed({"t.npy": array_file("(8,)")})
    data[local] = value
    data[data.find(b"PK\1\2") + listed] = value
    return bytes(data)


def listed_size(size: int) -> bytes:
    """The directory says that the array is so large unpacked, as its own header does."""
    data = packed({"t.npy": array_file(f"({(size - 128) // 8},)")})
    struct.pack_into("<I", data, data.find(b"PK\1\2") + 24, size)
    return bytes(data)


BAD = {
    "encrypted": (marked(6, 8, 1), "'t.npy' in it is encrypted"),
    "method": (marked(8, 10, 99), "compressed by method 99"),
    "terabytes": (
        bytes(packed({"t.npy": array_file("(1000000000000,)")})),
        "claims more than 1e+12 bytes and holds 64",
    ),
    "1e30": (bytes(packed({"t.npy": array_file(f"({10**30},)")})), "claims more than 1e+12 bytes and holds 64"),
    "beyond floats": (bytes(packed({"t.npy": array_file("(" + "9" * 60 + ",)")})), "claims more than"),
    "too short": (bytes(packed({"t.npy": array_file("(9,)")})), "claims 72 bytes and holds 64; the file is damaged"),
    "too long": (bytes(packed({"t.npy": array_file("(7,)")})), "claims 56 bytes and holds 64; the file is damaged"),
    "3 GB": (listed_size(3_000_000_000), "its arrays are 2.79 GiB unpacked, and at most 2 are read"),
    "1 GB of nothing": (listed_size(1_000_000_000), "expected an .npz file"),
    "objects": (bytes(packed({"t.npy": array_file("(8,)", descr="'|O'")})), "expected an .npz file"),
    "no array": (bytes(packed({"t.txt": b"hello"})), "expected an .npz file"),
    "negative": (bytes(packed({"t.npy": array_file("(-8,)")})), "expected an .npz file"),
    "nested": (bytes(packed({"t.npy": array_file("(" * 90)})), "expected an .npz file"),
    "cut": (bytes(packed({"t.npy": array_file("(8,)")})[:150]), "expected an .npz file"),
    "many": (bytes(packed({f"{k:09d}": b"" for k in range(20_000)})), "expected an .npz file"),
    "empty": (b"", "expected an .npz file"),
}


@pytest.mark.parametrize("name", BAD)
def test_bad_files_are_refused_at_once_and_in_little_memory(tmp_path: Path, name: str) -> None:
    data, words = BAD[name]
    file = tmp_path / "x.npz"
    file.write_bytes(data)
    tracemalloc.start()
    begun = time.thread_time()
    try:
        with pytest.raises(RequestError) as refusal:
            symdyn.Trajectory.load(file)
        peak = tracemalloc.get_traced_memory()[1]
    finally:
        tracemalloc.stop()
    assert words in str(refusal.value) and "\n" not in str(refusal.value) and "x.npz" in str(refusal.value)
    assert time.thread_time() - begun < 1.0
    assert peak < 200e6


@pytest.mark.parametrize("open_file", [read_arrays, symdyn.Trajectory.load])
def test_a_pipe_does_not_wait(tmp_path: Path, open_file: Any) -> None:
    os.mkfifo(tmp_path / "pipe")
    for path in (tmp_path / "pipe", "/dev/zero"):
        with pytest.raises(RequestError, match="cannot be read: not a regular file"):
            open_file(path)


@pytest.mark.parametrize("write", [np.savez, np.savez_compressed])
def test_what_numpy_writes_is_read(tmp_path: Path, write: Any) -> None:
    arrays = {
        "a": np.arange(12.0).reshape(3, 4),
        "fortran": np.asfortranarray(np.arange(12, dtype=np.int32).reshape(3, 4)),
        "none": np.zeros((0, 3)),
        "one": np.array(7.5),
        "words": np.array(["alpha", "be"]),
        "big": np.arange(3, dtype=">f8"),
    }
    write(tmp_path / "x.npz", **arrays)
    found = read_arrays(tmp_path / "x.npz")
    assert list(found) == list(arrays)
    for name, array in arrays.items():
        assert found[name].dtype == array.dtype and found[name].shape == array.shape
        np.testing.assert_array_equal(found[name], array)
    found["a"][0, 0] = 5.0  # it may be changed


def test_what_would_not_be_read_again_is_not_written(tmp_path: Path) -> None:
    huge = np.lib.stride_tricks.as_strided(np.zeros(1), (MOST_BYTES // 8,), (0,))
    with pytest.raises(RequestError, match="is not written: its arrays are 2 GiB"):
        write_arrays(tmp_path / "x.npz", {"t": huge})
    assert not (tmp_path / "x.npz").exists()
