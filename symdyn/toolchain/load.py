"""Load what was compiled."""

from __future__ import annotations

import importlib.machinery
import importlib.util
from collections import Counter
from collections.abc import Callable, Mapping
from pathlib import Path
from typing import TYPE_CHECKING

from symdyn.compiler.emit.extension import module_name
from symdyn.errors import ToolchainError
from symdyn.interface.manifest import Manifest
from symdyn.interface.optimal_control import IN_LANES
from symdyn.toolchain.casadi_module import CasadiModule
from symdyn.toolchain.ctypes_module import LibraryFunction, load_library
from symdyn.toolchain.lanes_later import LanesLater, lanes_later
from symdyn.toolchain.module import Module
from symdyn.toolchain.origin import Origin
from symdyn.toolchain.record import Entry
from symdyn.toolchain.results import classes_of
from symdyn.toolchain.shares import Threads
from symdyn.toolchain.solvers import load_solvers
from symdyn.toolchain.steppers import load_steppers
from symdyn.toolchain.whole_object import defect

if TYPE_CHECKING:
    from symdyn.toolchain.compile import Built

REPLACED: Counter[Path] = Counter()
"""How often a file was found unfit here, and taken out of the cache. The loader knows what it has mapped by its path:
spelt otherwise, a new file of the same path is mapped anew."""


def load(built: Built | Entry, manifest: Manifest, folder: Path | None = None) -> Module:
    """Load a compiled module.

    Nothing enters ``sys.modules``: any number of modules, also of one robot, live side by side.

    Parameters
    ----------
    built
        What :func:`symdyn.toolchain.compile.compile_folder` returned, or the record of a module in a folder.
    manifest
        The manifest it was compiled with.
    folder
        The folder that the module is one of; that of its file by default.

    Raises
    ------
    ToolchainError
        The file cannot be loaded here, or is not the module of this manifest.
    """
    flaw = defect(built.path)
    if flaw:
        raise ToolchainError(f"{built.path} cannot be loaded: {flaw}")
    origin = Origin(str(folder or built.path.parent), built.kind, manifest.content_hash, built.sha256)
    if built.kind == "casadi":
        return CasadiModule(manifest, {}, built.path, None, origin)
    place = f"{built.path.parent}/{'./' * REPLACED[built.path]}{built.path.name}"
    calling = {**load_steppers(place, manifest), **load_solvers(place, manifest)}
    later = lanes_later(built.path, place, manifest)
    if later is not None and any(entry.lanes for entry in manifest.solvers):
        for name in {entry.python_name for entry in manifest.functions} & set(IN_LANES):
            later.need(name)
    if built.kind == "ctypes":
        threads = Threads()
        library = load_library(place, manifest, threads, later.need if later else None)
        found = {name: own.addresses for name, own in library.items() if isinstance(own, LibraryFunction)}
        return Module(manifest, {**library, **calling}, built.path, threads.set, origin, _complete(found, later))
    name = module_name(manifest)
    loader = importlib.machinery.ExtensionFileLoader(name, place)
    spec = importlib.machinery.ModuleSpec(name, loader, origin=place)
    try:
        extension = importlib.util.module_from_spec(spec)
        loader.exec_module(extension)
        if later:
            extension.lanes_later(later.need)
        module = Module(manifest, calling, built.path, extension.set_threads, origin, extension.addresses)
        functions = extension.owned(module)
        module.__dict__.update({entry.python_name: functions[entry.python_name] for entry in manifest.functions})
        module.__dict__.update(classes_of(extension, manifest))
    except (ImportError, AttributeError, LookupError, SystemError, ValueError) as failure:
        raise ToolchainError(
            f"{built.path} cannot be loaded as the module of robot {manifest.robot!r} ({failure}); compile it anew"
        ) from None
    return module


def _complete(
    found: Mapping[str, tuple[int, int]], later: LanesLater | None
) -> Callable[[], Mapping[str, tuple[int, int]]]:
    """Addresses of functions, whose lanes are there before anybody calls them by these."""

    def addresses() -> Mapping[str, tuple[int, int]]:
        if later is not None:
            later.need_all()
        return found

    return addresses
