"""What a build runs: the files to write, one compiler call per object, one call to link."""

from __future__ import annotations

import sysconfig
from collections.abc import Mapping
from dataclasses import dataclass

from symdyn.compiler.emit.extension import emit_extension, module_name
from symdyn.compiler.emit.source import SourceFile
from symdyn.interface.manifest import Manifest
from symdyn.toolchain.find_compiler import Compiler
from symdyn.toolchain.flags import extension_flags, function_flags, link_flags


@dataclass(frozen=True, slots=True)
class BuildPlan:
    """Texts by path, complete command lines that run in the folder holding them, and the name of what they make."""

    texts: Mapping[str, str]
    steps: tuple[tuple[str, ...], ...]
    link: tuple[str, ...]
    product: str


def plan_build(
    texts: Mapping[str, str],
    manifest: Manifest,
    compiler: Compiler,
    includes: tuple[str, ...],
    glue: SourceFile | None = None,
) -> BuildPlan:
    """Plan the build of a manifest's C files.

    Parameters
    ----------
    texts
        C files and headers by path.
    includes
        Include folders of Python and NumPy for an extension module; none makes a plain library.
    glue
        The extension's C, where it was written before from this manifest.
    """
    texts = dict(texts)
    jobs: list[tuple[str, tuple[str, ...]]] = []
    if includes:
        glue = glue or emit_extension(manifest)
        texts[glue.path] = glue.text
        jobs.append((glue.path, extension_flags(compiler, includes)))
        suffix = sysconfig.get_config_var("EXT_SUFFIX") or ".so"
    else:
        suffix = sysconfig.get_config_var("SHLIB_SUFFIX") or ".so"
    # Longest first: the last object to finish decides when linking starts.
    in_lanes = ("-DSYMDYN_LANES",) if manifest.lane_sources else ()
    names = (*manifest.sources, *manifest.lane_sources, *manifest.calling_sources)
    for name in sorted(names, key=lambda name: (-len(texts[name]), name)):
        flags = function_flags(
            compiler,
            text_bytes=len(texts[name]),
            exported=not includes or name in manifest.calling_sources,
            lanes=name in manifest.lane_sources,
        )
        jobs.append((name, (*flags, *in_lanes)))
    objects = [f"{number}.o" for number in range(len(jobs))]
    steps = tuple(
        (*compiler.command, *flags, "-c", name, "-o", target)
        for (name, flags), target in zip(jobs, objects, strict=True)
    )
    product = module_name(manifest) + suffix
    link = (*compiler.command, "-o", product, *objects, *link_flags(compiler, extension=bool(includes)))
    return BuildPlan(texts, steps, link, product)
