"""Peer programs that take minutes to compile, built once and kept: templates of Pinocchio and CppADCodeGen, MuJoCo."""

from __future__ import annotations

import hashlib
import importlib.metadata
import importlib.util
import os
import shutil
import subprocess
from collections.abc import Sequence
from pathlib import Path

import pinocchio
from peers.measure import FLAGS, HERE, TIMING
from peers.missing import PeerMissingError
from platformdirs import user_cache_path

# as Pinocchio's own CMake target asks for
_LIMITS = ("BOOST_MPL_LIMIT_LIST_SIZE=30", "BOOST_MPL_LIMIT_VECTOR_SIZE=30", "BOOST_FUSION_INVOKE_MAX_ARITY=12")
_DEFINES = [f"-D{name}" for name in ("NDEBUG", "BOOST_MPL_CFG_NO_PREPROCESSED_HEADERS", *_LIMITS)]


def pinocchio_program() -> Path:
    """Times Pinocchio's algorithms for any model, their templates compiled with the benchmarks' flags.

    Eigen's headers are looked for where Debian's libeigen3-dev puts them, or in EIGEN_INCLUDE.

    Raises
    ------
    PeerMissingError
        Headers or compiler are not there.
    """
    return _pinocchio("pinocchio_program.cpp", "pinocchio_model.hpp", "pinocchio_algorithms.hpp")


def pinocchio_loops_program() -> Path:
    """Times Pinocchio's constrained dynamics and their derivatives, as :func:`pinocchio_program` does other algorithms.

    Raises
    ------
    PeerMissingError
        Headers or compiler are not there.
    """
    return _pinocchio("pinocchio_loops.cpp", "pinocchio_model.hpp")


def pinocchio_second_order_program() -> Path:
    """Times Pinocchio's second-order derivatives of RNEA, for robots of revolute joints alone.

    Raises
    ------
    PeerMissingError
        Headers or compiler are not there.
    """
    return _pinocchio("pinocchio_second_order.cpp", "pinocchio_model.hpp")


def _pinocchio(source: str, *headers: str) -> Path:
    include = _pinocchio_prefix() / "include"
    command = ["g++", "-std=c++17", "-w", *FLAGS, *_DEFINES, f"-isystem{include}", f"-isystem{_eigen()}"]
    return _built(source, headers, command, ["pin"], harness=True)


def cppadcg_program() -> Path:
    """Prints CppADCodeGen's C for Pinocchio's algorithms; the program itself is not timed, so it is built quickly.

    Raises
    ------
    PeerMissingError
        ``pip install cmeel-cppad cmeel-cppadcodegen`` has not been run, or Eigen or a compiler is not there.
    """
    prefixes = [
        _pinocchio_prefix(),
        _package_prefix("cmeel-cppad", "include/cppad/cppad.hpp"),
        _package_prefix("cmeel-cppadcodegen", "include/cppad/cg.hpp"),
    ]
    includes = [f"-isystem{include}" for include in dict.fromkeys(prefix / "include" for prefix in prefixes)]
    libraries = prefixes[1] / "lib"
    command = ["g++", "-std=c++17", "-w", "-O1", *_DEFINES, *includes, f"-isystem{_eigen()}"]
    linked = [f"-L{libraries}", f"-Wl,-rpath,{libraries}", "-lcppad_lib"]
    headers = ["pinocchio_model.hpp", "pinocchio_algorithms.hpp"]
    packages = ["pin", "cmeel-cppad", "cmeel-cppadcodegen"]
    return _built("cppadcg_program.cpp", headers, command, packages, linked)


def mujoco_program() -> Path:
    """Times MuJoCo's C functions for any model; the engine is the library of MuJoCo's wheel, as its makers built it.

    Raises
    ------
    PeerMissingError
        MuJoCo or a compiler is not installed.
    """
    found = importlib.util.find_spec("mujoco")
    if found is None or found.origin is None:
        raise PeerMissingError("needs the package mujoco")
    folder = Path(found.origin).resolve().parent
    library = next(iter(sorted(folder.glob("libmujoco.so*"))), None)
    if library is None or not (folder / "include" / "mujoco" / "mujoco.h").exists():
        raise PeerMissingError("the package mujoco brings no library or no headers")
    command = ["gcc", "-std=c99", *FLAGS, f"-isystem{folder / 'include'}"]
    return _built("mujoco_program.c", [], command, ["mujoco"], [str(library), f"-Wl,-rpath,{folder}"], harness=True)


def _built(
    source: str,
    headers: Sequence[str],
    command: Sequence[str],
    packages: Sequence[str],
    libraries: Sequence[str] = (),
    harness: bool = False,
) -> Path:
    """The program of a source beside this file, from the cache where nothing that it is made of has changed."""
    if shutil.which(command[0]) is None:
        raise PeerMissingError(f"needs {command[0]}")
    texts = [(HERE / file).read_text() for file in (source, *headers, *(["harness.c"] if harness else []))]
    version = subprocess.run([command[0], "--version"], check=True, capture_output=True, text=True).stdout
    made_of = [version, *command, *libraries, *(importlib.metadata.version(package) for package in packages)]
    made_of += [*texts, *([TIMING.text] if harness else [])]
    key = hashlib.sha256("\0".join(made_of).encode()).hexdigest()[:16]
    kept = Path(os.environ.get("SYMDYN_BENCHMARK_CACHE", user_cache_path("symdyn") / "benchmarks"))
    program = kept / f"{Path(source).stem}-{key}"
    if not program.exists():
        kept.mkdir(parents=True, exist_ok=True)
        print(f"building {source}; templates can take minutes", flush=True)
        objects = []
        timing = program.with_name(f"{program.name}-{TIMING.path}")
        timing.write_text(TIMING.text)
        ours = [(path, ["gcc", *FLAGS]) for path in (HERE / "harness.c", timing)] if harness else []
        for path, compiler in ((HERE / source, command), *ours):
            made = program.with_name(f"{program.name}-{path.stem}.o")
            subprocess.run([*compiler, "-c", str(path), "-o", str(made)], check=True)
            objects.append(made)
        linked = program.with_suffix(".linked")
        subprocess.run([command[0], *map(str, objects), *libraries, "-lm", "-o", str(linked)], check=True)
        linked.rename(program)
        for made in (*objects, timing):
            made.unlink()
    return program


def _pinocchio_prefix() -> Path:
    """Of the wheel: its headers lie in pin itself or in a package of their own, below one prefix."""
    prefix = Path(pinocchio.__file__).resolve().parents[4]
    if not (prefix / "include" / "pinocchio" / "multibody.hpp").exists():
        raise PeerMissingError("needs Pinocchio's headers, which the package pin or libpinocchio brings")
    return prefix


def _eigen() -> Path:
    folder = Path(os.environ.get("EIGEN_INCLUDE", "/usr/include/eigen3"))
    if not (folder / "Eigen" / "Core").exists():
        raise PeerMissingError("needs Eigen's headers (libeigen3-dev, or the folder named by EIGEN_INCLUDE)")
    return folder


def _package_prefix(package: str, inside: str) -> Path:
    """The folder below which a header-only package's file ``inside`` lies."""
    try:
        files = importlib.metadata.files(package) or []
    except importlib.metadata.PackageNotFoundError as absent:
        raise PeerMissingError(f"needs the package {package}") from absent
    found = next((file for file in files if str(file).endswith(f"/{inside}")), None)
    if found is None:
        raise PeerMissingError(f"the package {package} brings no {inside}")
    text = str(Path(str(found.locate())).resolve())
    return Path(text[: -len(inside) - 1])
