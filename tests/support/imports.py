"""Python files as modules of their own, read anew each time."""

from __future__ import annotations

import sys
from importlib.machinery import SourceFileLoader
from importlib.util import module_from_spec, spec_from_file_location
from pathlib import Path
from types import CodeType, ModuleType


class _Anew(SourceFileLoader):
    """Bytecode of a file of the same second and size is never taken for that of this one."""

    def get_code(self, fullname: str) -> CodeType:
        return self.source_to_code(self.get_data(self.path), self.path)


def import_file(path: Path, name: str, beside: bool = False) -> ModuleType:
    """A Python file as a module of its own, without bytecode; it may import what lies ``beside`` it."""
    spec = spec_from_file_location(name, path, loader=_Anew(name, str(path)))
    assert spec is not None and spec.loader is not None
    module = module_from_spec(spec)
    sys.path += [str(path.parent)] * beside
    try:
        spec.loader.exec_module(module)
    finally:
        if beside:
            sys.path.remove(str(path.parent))
    return module
