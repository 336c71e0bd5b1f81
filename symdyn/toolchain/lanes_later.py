"""Batches in lanes, compiled when a function is first called for more states than are fastest one by one.

The module has a slot per function for the C that computes blocks of states. A slot is empty until then. The sources lie
beside the module in the cache, and are compared with the manifest before they are compiled. What comes of them is an
entry of the cache of its own, so that the next process finds it.
"""

from __future__ import annotations

import ctypes
import os
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path
from threading import Lock

from symdyn.errors import ToolchainError
from symdyn.interface.manifest import FunctionEntry, Manifest, text_digest
from symdyn.interface.regular_files import read_regular
from symdyn.toolchain import cache, claims
from symdyn.toolchain.build import built
from symdyn.toolchain.build_plan import LANES_FOLDER, plan_lanes
from symdyn.toolchain.compile import inside
from symdyn.toolchain.find_compiler import Compiler, find_compiler
from symdyn.toolchain.record import Entry
from symdyn.toolchain.whole_object import defect

SLOTS = "symdyn_lanes_later"
"""The C array of slots that a module offers."""
KIND = "lanes"
"""The kind of an entry of the cache that holds lanes of one function."""
WAIT_S = 600.0
"""How long a process waits for another one that compiles the same."""


def lanes_later(module: Path, place: str, manifest: Manifest) -> LanesLater | None:
    """The lanes of a module that are compiled later; None where it has all it needs.

    ``place`` is how the loader knows the module.

    Raises
    ------
    ToolchainError
        The module lacks the slots for them.
    """
    if not (module.parent / LANES_FOLDER).is_dir():
        return None
    try:
        library = ctypes.CDLL(place)
        slots = (ctypes.c_void_p * len(manifest.functions)).in_dll(library, SLOTS)
    except (OSError, ValueError) as failure:
        raise ToolchainError(f"{module} has no place for lanes ({failure}); compile it anew") from None
    return LanesLater(module.parent / LANES_FOLDER, manifest, slots)


class LanesLater:
    """Fills the slots of a module, one function at a time; threads wait for each other, and processes too.

    Parameters
    ----------
    folder
        Where the sources are.
    slots
        The module's: a pointer to a C function for each function of the manifest, NULL where nothing is there yet.
    """

    def __init__(self, folder: Path, manifest: Manifest, slots: ctypes.Array[ctypes.c_void_p]) -> None:
        self._folder = folder
        self._manifest = manifest
        self._slots = slots
        self._places = {entry.python_name: number for number, entry in enumerate(manifest.functions)}
        self._locks = [Lock() for _ in manifest.functions]
        self._kept: list[ctypes.CDLL] = []

    def need(self, name: str) -> None:
        """Compile the lanes of a function if they are not there yet.

        Raises
        ------
        ToolchainError
            No working compiler any more, or sources that were changed.
        InternalError
            The compiler refuses the generated C.
        """
        number = self._places[name]
        if self._slots[number] is None:
            with self._locks[number]:
                if self._slots[number] is None:
                    self._slots[number] = self._address(self._manifest.functions[number])

    def need_all(self) -> None:
        """As :meth:`need` for every function, side by side."""
        from concurrent.futures import ThreadPoolExecutor  # takes longer to load than a module does

        missing = [name for name, number in self._places.items() if self._slots[number] is None]
        with ThreadPoolExecutor(max(1, min(len(missing), os.cpu_count() or 1))) as pool:
            list(pool.map(self.need, missing))

    def _address(self, entry: FunctionEntry) -> int:
        for _ in range(2):  # what cannot be loaded is built once more
            place = self._built(entry)
            flaw = defect(place.path)
            try:
                if not flaw:
                    library = ctypes.CDLL(str(place.path))
                    self._kept.append(library)
                    return ctypes.cast(library[f"{entry.c_name}_batch_lanes"], ctypes.c_void_p).value or 0
            except (OSError, AttributeError) as failure:
                flaw = str(failure)
            cache.discard(place.path.parent)
        raise ToolchainError(
            f"{place.path} cannot be loaded as lanes of {entry.python_name} ({flaw}), and a second build gave the "
            f"same: point $CC to another compiler, or ${cache.VARIABLE} to a folder from which code may be loaded"
        )

    def _built(self, entry: FunctionEntry) -> Entry:
        manifest = self._manifest
        source = manifest.lane_sources[self._places[entry.python_name]]
        texts = {name: self._text(name) for name in (manifest.header, source)}
        with self._alone():
            compiler = self._compiler(entry)
            plan = plan_lanes(texts, manifest, compiler, source)
            return built(plan, compiler, (), KIND, manifest, progress=_told(entry, len(texts[source])))[0]

    def _compiler(self, entry: FunctionEntry) -> Compiler:
        try:
            return find_compiler()
        except ToolchainError as failure:
            raise ToolchainError(
                f"{entry.python_name}: batches are compiled when they are first called, and that cannot be done here: "
                f"{failure}. Call it for a batch once where there is a compiler, or compile with lanes=False"
            ) from None

    def _text(self, name: str) -> str:
        place = self._folder / inside(name)
        try:
            text = read_regular(place).decode("utf-8")
        except (OSError, UnicodeDecodeError) as failure:
            raise ToolchainError(f"{place} cannot be read ({failure}); {self._remedy}") from None
        if text_digest(text) != self._manifest.files.get(name):
            raise ToolchainError(f"{place} was changed since it was generated; {self._remedy}")
        return text

    @property
    def _remedy(self) -> str:
        return f"remove {self._folder.parent}, and compile the robot again"

    @contextmanager
    def _alone(self) -> Iterator[None]:
        """One process compiles, and others wait; where there are no locks, or one waits too long, each does it."""
        try:
            lock = claims.locked(self._folder, WAIT_S)
            lock.__enter__()
        except OSError:
            yield
            return
        try:
            yield
        finally:
            lock.__exit__(None, None, None)


def _told(entry: FunctionEntry, size: int) -> Callable[[int, int], None]:
    """What tells, once compiling begins, why the first batch waits."""
    import logging

    def tell(done: int, files: int) -> None:
        if done == 0:
            logging.getLogger("symdyn").info(
                "compiling the lanes of %s (%d kB of C), once: its first batch waits for them",
                entry.c_name,
                size // 1000,
            )

    return tell
