"""The extension module behind a loaded one."""

from __future__ import annotations

import importlib.util
from functools import cache
from types import ModuleType

from symdyn.toolchain.module import Module


@cache
def imported(module: Module) -> ModuleType:
    """The extension itself, as ``import`` gives it."""
    assert module.path is not None
    spec = importlib.util.spec_from_file_location(module.path.name.split(".")[0], module.path)
    assert spec is not None and spec.loader is not None
    extension = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(extension)
    return extension
