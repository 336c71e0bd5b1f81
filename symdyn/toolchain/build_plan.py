"""What a build runs: the files to write, one compiler call per object, one call to link."""

from __future__ import annotations

import sys
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import PurePosixPath

import numpy as np

from symdyn.compiler.emit.extension import emit_extension, emit_header_of_one, emit_later, module_name
from symdyn.compiler.emit.source import SourceFile
from symdyn.interface.manifest import Manifest, text_digest
from symdyn.interface.stepping import REMEMBERING
from symdyn.interface.targets import TARGETS
from symdyn.toolchain.dialects import shared_suffix
from symdyn.toolchain.find_compiler import Compiler
from symdyn.toolchain.flags import (
    EXPORTS,
    compile_command,
    exports_text,
    extension_flags,
    function_flags,
    link_command,
    object_name,
)
from symdyn.toolchain.python_development import python_libraries


@dataclass(frozen=True, slots=True)
class BuildPlan:
    """Texts by path, complete command lines that run in the folder holding them, and the name of what they make.

    ``beside`` are texts that are kept with the product. ``shaped_by`` says of some objects all that shapes them beside
    their command, the compiler and the processor; these are found again where another build made them.
    """

    texts: Mapping[str, str]
    steps: tuple[tuple[str, ...], ...]
    link: tuple[str, ...]
    product: str
    beside: Mapping[str, str] = field(default_factory=dict)
    shaped_by: Mapping[str, tuple[str, ...]] = field(default_factory=dict)


LANES_FOLDER = "lanes"
"""Where the sources lie, beside a module, of lanes that are compiled when they are first needed."""


def plan_build(
    texts: Mapping[str, str],
    manifest: Manifest,
    compiler: Compiler,
    includes: tuple[str, ...],
    glue: Sequence[SourceFile] = (),
    later: bool = False,
) -> BuildPlan:
    """Plan the build of a manifest's C files.

    Parameters
    ----------
    texts
        C files and headers by path.
    includes
        Include folders of Python and NumPy for an extension module; none makes a plain library.
    glue
        The C files of the extension, where they were written before from this manifest.
    later
        Whether lanes are left for later, with slots for them.
    """
    texts = dict(texts)
    later = later and bool(manifest.lane_sources)
    lanes = () if later else manifest.lane_sources
    beside = {f"{LANES_FOLDER}/{name}": texts[name] for name in (manifest.header, *manifest.lane_sources) if later}
    for name in manifest.lane_sources if later else ():
        del texts[name]
    jobs: list[tuple[str, tuple[str, ...]]] = []
    shaping: dict[str, tuple[str, ...]] = {}
    moved = _apart(texts, manifest)
    if includes:
        table, caller = glue or emit_extension(manifest, later)
        texts |= {table.path: table.text, caller.path: caller.text}
        jobs.append((caller.path, extension_flags(compiler, includes)))
        shaping[caller.path] = (caller.text, sys.version, np.__version__)
        jobs.append((table.path, extension_flags(compiler, ())))
    elif later:
        slots = emit_later(manifest)
        texts[slots.path] = slots.text
        jobs.append((slots.path, function_flags(compiler, text_bytes=len(slots.text), exported=True)))
    offered = _offered(manifest, extension=bool(includes)) if compiler.system == "win32" else []
    if offered:
        texts[EXPORTS] = exports_text(offered)
    # Longest first: the last object to finish decides when linking starts.
    in_lanes = ("-DSYMDYN_LANES",) if manifest.lane_sources else ()
    names = (*manifest.sources, *lanes, *manifest.calling_sources)
    for name in sorted(names, key=lambda name: (-len(texts[name]), name)):
        flags = function_flags(
            compiler,
            text_bytes=len(texts[name]),
            exported=not includes or name in manifest.calling_sources,
            lanes=name in lanes,
        )
        place, header = moved.get(name, (name, ""))
        if header:
            texts[place] = texts.pop(name)
            texts[str(PurePosixPath(place).parent / manifest.header)] = header
            shaping[place] = (texts[place], header)
        jobs.append((place, (*flags, *in_lanes)))
    objects = [object_name(compiler, number) for number in range(len(jobs))]
    steps = tuple(
        compile_command(compiler, flags, name, target) for (name, flags), target in zip(jobs, objects, strict=True)
    )
    product = module_name(manifest) + shared_suffix(compiler.system, extension=bool(includes))
    libraries = python_libraries(compiler.system) if includes else ()
    link = link_command(
        compiler, product, objects, extension=bool(includes), libraries=libraries, exports=bool(offered)
    )
    found = {made: shaping[name] for (name, _), made in zip(jobs, objects, strict=True) if name in shaping}
    return BuildPlan(texts, steps, link, product, beside, found)


def _apart(texts: Mapping[str, str], manifest: Manifest) -> dict[str, tuple[str, str]]:
    """Where the files of each function are compiled beside a header of it alone, and that header.

    A header that was edited, or that is not symdyn's, stays one for all.
    """
    header = texts[manifest.header] if manifest.header else ""
    if not TARGETS[manifest.target].has_c or manifest.files.get(manifest.header) != text_digest(header):
        return {}
    found = {}
    for number, entry in enumerate(manifest.functions):
        for names in (manifest.sources, manifest.lane_sources):
            if names:
                own = emit_header_of_one(manifest, entry, header)
                found[names[number]] = (f"{entry.c_name}/{names[number]}", own)
    return found


def plan_lanes(texts: Mapping[str, str], manifest: Manifest, compiler: Compiler, source: str) -> BuildPlan:
    """Plan the build of the lanes of one function apart: ``source`` and the header, among ``texts``."""
    entry = manifest.functions[manifest.lane_sources.index(source)]
    own = {
        manifest.header: emit_header_of_one(manifest, entry, texts[manifest.header]),
        source: texts[source],
    }
    flags = function_flags(compiler, text_bytes=len(texts[source]), exported=True, lanes=True)
    made = object_name(compiler, 0)
    product = f"{entry.c_name}_lanes{shared_suffix(compiler.system, extension=False)}"
    offered = compiler.system == "win32"
    return BuildPlan(
        {**own, **({EXPORTS: exports_text([f"{entry.c_name}_batch_lanes"])} if offered else {})},
        (compile_command(compiler, (*flags, "-DSYMDYN_LANES"), source, made),),
        link_command(compiler, product, [made], extension=False, exports=offered),
        product,
    )


def _offered(manifest: Manifest, *, extension: bool) -> list[str]:
    """C functions that are called through ctypes, which linkers on Windows must be told; CasADi's mark themselves."""
    names: list[str] = []
    if not extension and not TARGETS[manifest.target].opened_by:
        names += [f"{entry.c_name}{way}" for entry in manifest.functions for way in ("", "_batch")]
    for stepper in manifest.steppers:
        names += [stepper.c_name, f"{stepper.c_name}_advance"]
        names += [f"{stepper.c_name}_start"] if stepper.method in REMEMBERING else []
        names += [stepper.partials] if stepper.partials else []
    return names + [name for solver in manifest.solvers for name in solver.calls]
