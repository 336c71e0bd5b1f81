"""A unit of FMI 3.0 driven through ctypes, so that its C is tested where no importer is installed."""

from __future__ import annotations

import ctypes
import zipfile
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any
from xml.etree import ElementTree

import numpy as np
from numpy.typing import NDArray

Array = NDArray[Any]
OK, DISCARD, ERROR = 0, 2, 3
_LOG = ctypes.CFUNCTYPE(None, ctypes.c_void_p, ctypes.c_int, ctypes.c_char_p, ctypes.c_char_p)


@dataclass(frozen=True)
class Description:
    """What a test asks of a ``modelDescription.xml``: its token, and references by name."""

    identifier: str
    token: str
    references: dict[str, int]
    text: str

    @classmethod
    def read(cls, path: Path) -> Description:
        """Of a packed unit."""
        with zipfile.ZipFile(path) as archive:
            text = archive.read("modelDescription.xml").decode()
        root = ElementTree.fromstring(text)
        kind = next(iter(root))
        variables = root.find("ModelVariables")
        assert variables is not None
        references = {item.attrib["name"]: int(item.attrib["valueReference"]) for item in variables}
        return cls(kind.attrib["modelIdentifier"], root.attrib["instantiationToken"], references, text)


class Instance:
    """One instance; every method returns the status, or raises where the status is not ``expected``."""

    def __init__(self, library: ctypes.CDLL, token: str, steps: bool) -> None:
        self.library = library
        self.messages: list[str] = []
        self._log = _LOG(lambda _environment, _status, _category, message: self.messages.append(message.decode()))
        name = "fmi3InstantiateCoSimulation" if steps else "fmi3InstantiateModelExchange"
        make = library[name]
        make.restype = ctypes.c_void_p
        words = [b"unit", token.encode(), b"", False, True]
        within: list[Any] = [False, False, None, ctypes.c_size_t(0)] if steps else []
        after: list[Any] = [None] if steps else []
        self.pointer = make(*words, *within, None, self._log, *after)

    def call(self, name: str, *arguments: Any) -> int:
        """The status of a function."""
        return int(self.library[f"fmi3{name}"](ctypes.c_void_p(self.pointer), *arguments))

    def initialise(self, tolerance: float | None = None) -> None:
        """From set-up to what follows it."""
        given = (tolerance is not None, ctypes.c_double(tolerance or 0.0))
        assert self.call("EnterInitializationMode", *given, ctypes.c_double(0.0), False, ctypes.c_double(0.0)) == OK
        assert self.call("ExitInitializationMode") == OK

    def get(self, references: Sequence[int]) -> Array:
        """Values of variables."""
        values = np.empty(len(references))
        assert self.call("GetFloat64", *_referenced(references), *_array(values)) == OK
        return values

    def set(self, references: Sequence[int], values: Array) -> int:
        """The status of setting variables."""
        return self.call("SetFloat64", *_referenced(references), *_array(np.array(values, dtype=float)))

    def derivative(self, name: str, unknowns: Sequence[int], knowns: Sequence[int], seed: Array, size: int) -> Array:
        """A directional or adjoint derivative."""
        found = np.empty(size)
        words = (*_referenced(unknowns), *_referenced(knowns), *_array(np.array(seed, dtype=float)), *_array(found))
        assert self.call(name, *words) == OK, self.messages
        return found

    def step(self, time: float, length: float) -> tuple[int, float]:
        """The status of a step, and the time that it reached."""
        flags, reached = [ctypes.c_bool() for _ in range(3)], ctypes.c_double()
        numbers = ctypes.c_double(time), ctypes.c_double(length)
        status = self.call("DoStep", *numbers, True, *map(ctypes.byref, flags), ctypes.byref(reached))
        return status, reached.value


def _referenced(references: Sequence[int]) -> tuple[Any, ...]:
    return (ctypes.c_uint32 * len(references))(*references), ctypes.c_size_t(len(references))


def _array(values: Array) -> tuple[Any, ...]:
    return ctypes.c_void_p(values.ctypes.data), ctypes.c_size_t(len(values))


def unpacked(path: Path, folder: Path) -> ctypes.CDLL:
    """The binary of a packed unit, loaded."""
    with zipfile.ZipFile(path) as archive:
        archive.extractall(folder)
    return ctypes.CDLL(str(next((folder / "binaries").glob("*/*"))))
