"""Load what was compiled."""

from __future__ import annotations

import importlib.machinery
import importlib.util

from symdyn.emit.extension import module_name
from symdyn.errors import ToolchainError
from symdyn.manifest import Manifest
from symdyn.toolchain.compile import Built
from symdyn.toolchain.ctypes_module import load_library
from symdyn.toolchain.module import Module
from symdyn.toolchain.python_module import load_python
from symdyn.toolchain.shares import Threads

__all__ = ["load", "load_python"]


def load(built: Built, manifest: Manifest) -> Module:
    """Load a compiled module.

    Nothing enters ``sys.modules``: any number of modules, also of one robot, live side by side.

    Parameters
    ----------
    built
        What :func:`symdyn.toolchain.compile.compile_folder` returned.
    manifest
        The manifest it was compiled with.

    Raises
    ------
    ToolchainError
        The file cannot be loaded here, or is not the module of this manifest.
    """
    if built.kind == "ctypes":
        threads = Threads()
        return Module(manifest, load_library(built.path, manifest, threads), built.path, threads.set)
    name = module_name(manifest)
    loader = importlib.machinery.ExtensionFileLoader(name, str(built.path))
    spec = importlib.machinery.ModuleSpec(name, loader, origin=str(built.path))
    try:
        extension = importlib.util.module_from_spec(spec)
        loader.exec_module(extension)
        functions = {entry.python_name: getattr(extension, entry.python_name) for entry in manifest.functions}
        set_threads = extension.set_threads
    except (ImportError, AttributeError) as failure:
        raise ToolchainError(
            f"{built.path} cannot be loaded as the module of robot {manifest.robot!r} ({failure}); compile it anew"
        ) from failure
    return Module(manifest, functions, built.path, set_threads)
