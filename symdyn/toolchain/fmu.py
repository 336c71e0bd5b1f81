"""Pack a generated folder of target ``fmu`` as a unit for simulation tools, with or without a binary."""

from __future__ import annotations

import io
import os
import platform
import sys
import tempfile
import zipfile
from collections.abc import Callable
from dataclasses import replace
from pathlib import Path

from symdyn.compiler.emit.fmu.files import BUILD, DESCRIPTION, interface_file
from symdyn.errors import RequestError, ToolchainError, VerificationError
from symdyn.interface.manifest import Manifest
from symdyn.interface.regular_files import read_regular
from symdyn.interface.targets import FMU
from symdyn.toolchain.build import built
from symdyn.toolchain.build_plan import BuildPlan
from symdyn.toolchain.find_compiler import Compiler, find_compiler
from symdyn.toolchain.flags import compile_command, function_flags, link_command, object_name
from symdyn.toolchain.folder import read_manifest
from symdyn.toolchain.products import is_own_unit

_SYSTEMS = {"linux": ("linux", ".so"), "darwin": ("darwin", ".dylib"), "win32": ("windows", ".dll")}
_MACHINES = {"x86_64": "x86_64", "amd64": "x86_64", "arm64": "aarch64", "aarch64": "aarch64"}
_VARIANTS = {
    "avx2": ("-mavx2", "-mfma"),
    "avx512": ("-mavx512f", "-mavx512dq", "-mavx512bw", "-mavx512vl", "-mfma"),
}
"""Code for newer x86 processors, among which a unit chooses when it runs: units travel from machine to machine."""
_EPOCH = (1980, 1, 1, 0, 0, 0)


def pack(folder: Path, binary: bool, progress: Callable[[int, int], None] | None = None) -> Path:
    """Write ``<identifier>.fmu`` into a generated folder.

    Parameters
    ----------
    folder
        From ``generate`` with target ``fmu``.
    binary
        Whether the unit holds a shared object for this system beside its sources. Without it a tool compiles these.
    progress
        Called with (files compiled, files in all) as they are done.

    Raises
    ------
    RequestError
        A folder of another target, or one that cannot be written.
    VerificationError
        A folder that lacks files.
    ToolchainError
        No working compiler, or a system that the standard has no name for here.
    """
    manifest = read_manifest(folder)
    if manifest.target != FMU.name:
        raise RequestError(f"{folder} is of target '{manifest.target}'; generate it with target '{FMU.name}'")
    texts = _texts(folder, manifest)
    description = texts.pop(DESCRIPTION)
    members = {DESCRIPTION: description.encode(), **{f"sources/{name}": text.encode() for name, text in texts.items()}}
    if binary:
        system, machine, suffix = _platform()
        product = _compiled(texts, manifest, suffix, progress)
        members[f"binaries/{machine}-{system}/{manifest.identifier}{suffix}"] = product
    target = folder / f"{manifest.identifier}.fmu"
    if target.exists() and not is_own_unit(target):
        raise RequestError(f"'{target}' is a file of somebody else; choose another folder with out, or remove it")
    packed = io.BytesIO()
    with zipfile.ZipFile(packed, "w", zipfile.ZIP_DEFLATED) as archive:
        for path, data in members.items():
            archive.writestr(zipfile.ZipInfo(path, _EPOCH), data, zipfile.ZIP_DEFLATED)
    place_file(target, packed.getvalue())
    return target


def place_file(target: Path, data: bytes) -> None:
    """Write a file beside its place, and rename it.

    Raises
    ------
    RequestError
        It cannot be written.
    """
    made = None
    try:
        handle, name = tempfile.mkstemp(dir=target.parent, prefix=".packing-")
        made = Path(name)
        with os.fdopen(handle, "wb") as file:
            file.write(data)
        made.chmod(0o644)
        made.replace(target)
    except (OSError, ValueError) as failure:  # a name with a zero byte among them
        if made is not None:
            made.unlink(missing_ok=True)
        raise RequestError(f"cannot write '{target}' ({failure}); choose another place with out") from None


def _texts(folder: Path, manifest: Manifest) -> dict[str, str]:
    """Description, sources and how to build them, by name."""
    steppers = [stepper.source for stepper in manifest.steppers]
    own = interface_file(manifest.identifier)
    names = [DESCRIPTION, BUILD, manifest.header, *manifest.sources, *steppers, own]
    for name in names:
        if name not in manifest.files or "/" in name or "\\" in name:
            raise VerificationError(f"the manifest of {folder} does not list {name!r}; generate the folder anew")
    try:
        return {name: read_regular(folder / name).decode("utf-8") for name in names}
    except (OSError, UnicodeDecodeError) as failure:
        raise VerificationError(f"{folder} is not a complete generated folder ({failure}); generate it anew") from None


def _compiled(
    texts: dict[str, str], manifest: Manifest, suffix: str, progress: Callable[[int, int], None] | None
) -> bytes:
    compiler = find_compiler()
    files = {name: text for name, text in texts.items() if name.endswith((".c", ".h"))}
    plan = _plan(files, manifest, compiler, suffix)
    entry, _ = built(plan, compiler, (), "fmu", manifest, progress)
    try:
        return entry.path.read_bytes()
    except OSError as failure:
        raise ToolchainError(f"{entry.path.parent} was removed while it was read; pack the unit again") from failure


def _plan(texts: dict[str, str], manifest: Manifest, compiler: Compiler, suffix: str) -> BuildPlan:
    portable = replace(compiler, native=())
    chooses = compiler.kind in ("gcc", "clang", "zig") and _machine() == "x86_64"
    jobs: list[tuple[str, tuple[str, ...]]] = []
    for name in sorted((name for name in texts if name.endswith(".c")), key=lambda name: (-len(texts[name]), name)):
        flags = function_flags(portable, text_bytes=len(texts[name]), exported=False)
        if chooses and name in manifest.sources:
            jobs += [(name, (*flags, *more, f"-DSYMDYN_VARIANT={kind}")) for kind, more in _VARIANTS.items()]
            flags = (*flags, "-DSYMDYN_DISPATCH")
        jobs.append((name, flags))
    objects = [object_name(compiler, at) for at in range(len(jobs))]
    steps = [compile_command(compiler, flags, name, made) for (name, flags), made in zip(jobs, objects, strict=True)]
    product = f"{manifest.identifier}{suffix}"
    link = link_command(compiler, product, objects, extension=False)
    return BuildPlan(texts, tuple(steps), link, product)


def _machine() -> str:
    return _MACHINES.get(platform.machine().lower(), "")


def _platform() -> tuple[str, str, str]:
    """The standard's words for this system and machine, and the ending of its shared objects."""
    system, suffix = _SYSTEMS.get(sys.platform, ("", ""))
    if not system or not _machine():
        raise ToolchainError(
            f"FMI has no name for binaries of {sys.platform} on {platform.machine()} here; pack the sources alone, and "
            "let the importing tool compile them"
        )
    return system, _machine(), suffix
