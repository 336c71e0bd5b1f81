"""Load the Python target: NumPy code that needs no compiler."""

from __future__ import annotations

import hashlib
import linecache
import sys
from collections.abc import Sequence
from pathlib import Path
from types import ModuleType

from symdyn.compiler.emit.extension import check_identifiers
from symdyn.compiler.emit.results import result_of
from symdyn.compiler.emit.source import SourceFile
from symdyn.errors import VerificationError
from symdyn.interface.manifest import Manifest
from symdyn.interface.targets import TARGETS
from symdyn.toolchain.module import Module
from symdyn.toolchain.origin import Origin
from symdyn.toolchain.results import classes_of


def python_file(manifest: Manifest) -> str:
    """The path of a module's Python in its folder."""
    check_identifiers(manifest)
    return f"python/{manifest.identifier}{TARGETS[manifest.target].python.suffix}.py"


def load_python(
    folder_or_sources: Path | Sequence[SourceFile], manifest: Manifest, origin: Origin | None = None
) -> Module:
    """Load ``python/<identifier>.py`` (``_jax.py`` for JAX) of a generated folder, or of sources not yet written.

    The module is entered into ``sys.modules`` under a private name that depends on its text, never under the
    robot's; loading the same text again gives the same functions. With an ``origin`` the sources are what lies in that
    folder.

    Raises
    ------
    VerificationError
        The file is absent, does not import, or lacks a function of the manifest.
    """
    relative = python_file(manifest)
    if isinstance(folder_or_sources, Path):
        path: Path | None = folder_or_sources / relative
        text = _read(folder_or_sources, relative)
    else:
        path = None if origin is None else Path(origin.folder) / relative
        found = [source.text for source in folder_or_sources if source.path == relative]
        if not found:
            raise VerificationError(f"the sources hold no {relative}; generate with target={manifest.target!r}")
        text = found[0]
    python = _import(text, relative, path)
    results = [own.name for own in (result_of(entry.signature) for entry in manifest.functions) if own is not None]
    names = [*(entry.python_name for entry in manifest.functions), *results]
    missing = [name for name in names if not callable(vars(python).get(name))]
    if missing:
        raise VerificationError(f"{relative} lacks {', '.join(missing)}, which its manifest lists; generate it anew")
    functions = {entry.python_name: vars(python)[entry.python_name] for entry in manifest.functions}
    return Module(manifest, {**functions, **classes_of(python, manifest)}, path, origin=origin)


def _read(folder: Path, relative: str) -> str:
    try:
        return (folder / relative).read_text(encoding="utf-8")
    except (OSError, UnicodeDecodeError) as failure:
        raise VerificationError(
            f"{folder} holds no readable {relative} ({failure}); generate with target='python'"
        ) from None


def _import(text: str, relative: str, path: Path | None) -> ModuleType:
    file = f"<symdyn {relative}>" if path is None else str(path)
    name = f"_symdyn_{Path(relative).stem}_{hashlib.sha256(f'{file}{text}'.encode()).hexdigest()[:16]}"
    if name in sys.modules:
        return sys.modules[name]
    module = ModuleType(name)
    module.__file__ = file
    sys.modules[name] = module
    try:
        exec(compile(text, file, "exec"), module.__dict__)  # noqa: S102  (the text is symdyn's own)
    except Exception as failure:
        del sys.modules[name]
        raise VerificationError(f"{file} does not import ({failure!r}); generate it anew") from None
    if path is None:
        # Tracebacks then show the generated lines although no file holds them.
        linecache.cache[file] = (len(text), None, text.splitlines(keepends=True), file)
    return module
