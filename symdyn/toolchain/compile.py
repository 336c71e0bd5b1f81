"""Compile a generated folder into a shared object: the extension module, or a plain library for ctypes."""

from __future__ import annotations

import sysconfig
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from pathlib import Path, PurePosixPath
from typing import Literal

import numpy as np

from symdyn.compiler.emit.extension import check_names
from symdyn.compiler.emit.source import SourceFile
from symdyn.errors import VerificationError
from symdyn.interface.manifest import Manifest
from symdyn.interface.targets import TARGETS
from symdyn.toolchain import cache
from symdyn.toolchain.build import built
from symdyn.toolchain.build_plan import plan_build
from symdyn.toolchain.find_compiler import find_compiler
from symdyn.toolchain.python_development import extension_includes
from symdyn.warning import warn

_COMPILED_SUFFIXES = (".c", ".h", ".inc")

Kind = Literal["extension", "ctypes", "casadi"]


@dataclass(frozen=True, slots=True)
class Built:
    """A compiled module on disk.

    ``seconds`` is what compiling took when it took place, ``from_cache`` whether that was earlier; ``text_bytes`` its
    machine code and constants, ``sha256`` the hash of the file. An ``extension`` is imported, a ``ctypes`` library is
    called through ctypes, and one for ``casadi`` through CasADi.
    """

    path: Path
    seconds: float
    from_cache: bool
    kind: Kind
    text_bytes: int
    sha256: str


def compile_folder(
    sources: Sequence[SourceFile],
    manifest: Manifest,
    progress: Callable[[int, int], None] | None = None,
    glue: Sequence[SourceFile] = (),
    later: bool = False,
) -> Built:
    """Compile generated sources for this machine, or take the result of the same build from the cache.

    Parameters
    ----------
    sources
        Files of a generated folder; those that are neither C nor headers are left alone, as is everything in
        ``python/`` (the extension's glue is written from the manifest).
    manifest
        The folder's manifest, with C sources.
    progress
        Called with (files compiled, files in all) as they are done; not at all where the cache has the module.
    glue
        The C files of the extension, where symdyn wrote them before from this manifest.
    later
        Whether lanes are compiled when they are first needed.

    Returns
    -------
    Built
        The shared object in the cache. Without the headers of Python or NumPy it is a plain library, with a warning
        that says what to install.

    Raises
    ------
    ToolchainError
        No working compiler, one that makes nothing, no usable cache folder, or no end of compiling within the time
        limit.
    VerificationError
        The manifest is not one of symdyn's, or a file that it lists is absent.
    InternalError
        The compiler refuses the generated C; the sources are kept where the message says.
    """
    check_names(manifest)
    texts = _compiled_texts(sources, manifest)
    cache.sweep()
    opened_by = TARGETS[manifest.target].opened_by
    includes = "" if opened_by else extension_includes()
    compiler = find_compiler()
    kind: Kind = "extension"
    if isinstance(includes, str):
        kind = "casadi" if opened_by else "ctypes"
    if kind == "ctypes":
        warn(f"calls go through ctypes and are tens of times slower: {includes}")
    plan = plan_build(texts, manifest, compiler, () if isinstance(includes, str) else includes, glue, later)
    shaped_by = (sysconfig.get_config_var("EXT_SUFFIX") or "", np.__version__) if kind == "extension" else ()
    entry, from_cache = built(plan, compiler, shaped_by, kind, manifest, progress)
    return Built(entry.path, entry.seconds, from_cache, kind, entry.text_bytes, entry.sha256)


def inside(name: str) -> str:
    """A path of a generated folder, refused where it leads out of it."""
    path = PurePosixPath(name)
    if path.is_absolute() or ".." in path.parts or "\\" in name or ":" in name or name.startswith("-"):
        raise VerificationError(
            f"the manifest lists file {name!r}, expected a path inside the folder; generate it anew"
        )
    return name


def _compiled_texts(sources: Sequence[SourceFile], manifest: Manifest) -> dict[str, str]:
    texts = {
        inside(source.path): source.text
        for source in sources
        if source.path.endswith(_COMPILED_SUFFIXES) and not source.path.startswith("python/")
    }
    for name in (*manifest.sources, *manifest.lane_sources, *manifest.calling_sources, manifest.header):
        if inside(name) not in texts:
            raise VerificationError(f"the manifest lists {name!r}, which is not among the sources; generate them anew")
    return texts
