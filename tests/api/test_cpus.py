"""Processors that layouts are chosen for: recorded in the folder, the same on every machine unless asked otherwise."""

from __future__ import annotations

import platform
from collections.abc import Sequence
from pathlib import Path

import pytest

import symdyn
from symdyn import api
from symdyn.compiler.emit.source import SourceFile
from symdyn.errors import RequestError, ToolchainError
from symdyn.generation import pipeline
from symdyn.interface.cpus import CPUS, DEFAULT, NATIVE, find_cpu
from symdyn.interface.manifest import FILE_NAME, Manifest
from symdyn.interface.options import GenerateOptions
from symdyn.toolchain import native_cpu
from symdyn.toolchain.find_compiler import Compiler

FUNCTION = "inverse_dynamics"


@pytest.fixture(scope="module")
def tree() -> symdyn.Robot:
    """A base with five branches of three bodies."""
    return symdyn.load_example("aerial_tree", bodies_per_branch=3)


def manifest_of(files: Sequence[SourceFile]) -> Manifest:
    return Manifest.from_json(next(file.text for file in files if file.path == FILE_NAME))


def test_the_folder_records_the_processor_and_is_made_again_from_it(tree: symdyn.Robot) -> None:
    files = api.sources(tree, [FUNCTION], cpu="cortex-m7")
    manifest = manifest_of(files)
    assert manifest.asked["cpu"] == "cortex-m7" and manifest.function(FUNCTION).layout == "unrolled"
    again = GenerateOptions.from_record(manifest.asked, manifest.target)
    assert again.cpu == "cortex-m7" and pipeline.generated(tree, again) == files


def test_without_a_word_the_files_depend_on_no_machine(tree: symdyn.Robot, monkeypatch: pytest.MonkeyPatch) -> None:
    def asked() -> str:
        raise AssertionError("nobody asks for this machine")

    monkeypatch.setattr(native_cpu, "native_cpu", asked)
    manifest = manifest_of(api.sources(tree, [FUNCTION]))
    assert "cpu" not in manifest.asked and manifest.function(FUNCTION).layout == "split-lanes"
    named = manifest_of(api.sources(tree, [FUNCTION], cpu=DEFAULT.name))
    assert named.function(FUNCTION) == manifest.function(FUNCTION)


@pytest.mark.needs_cc
def test_native_is_recorded_by_its_name(tree: symdyn.Robot) -> None:
    found = native_cpu.native_cpu()
    manifest = manifest_of(api.sources(tree, [FUNCTION], layout="rolled", cpu=NATIVE))
    assert manifest.asked["cpu"] == found and found in CPUS
    if platform.machine() == "x86_64" and Path("/proc/cpuinfo").exists():
        features = Path("/proc/cpuinfo").read_text().split()
        levels = (("avx512f", "x86-64-v4"), ("avx2", "x86-64-v3"))
        assert found == next((name for feature, name in levels if feature in features), "x86-64-v2")


def test_a_compiler_that_does_not_tell_is_refused(tmp_path: Path) -> None:
    silent = tmp_path / "cc"
    silent.write_text("#!/bin/sh\necho '#define __riscv 1'\n")
    silent.chmod(0o755)
    with pytest.raises(ToolchainError, match=r"cpu 'native': .* does not say that this machine is one of x86-64-v4"):
        native_cpu._cpu_of(Compiler((str(silent),), "gcc", "1"))


def test_unknown_processors_are_refused() -> None:
    for name, said in (("x86-64-v5", "'x86-64-v5'.*x86-64-v4"), (4, "cpu is 'native' or .*, got 4")):
        with pytest.raises(RequestError, match=said):
            GenerateOptions.checked([FUNCTION], cpu=name)
    with pytest.raises(RequestError, match="cpu 'native' is not known"):
        find_cpu(NATIVE)


@pytest.mark.parametrize(
    ("name", "double", "single"),
    [("x86-64-v4", 8, 16), ("x86-64-v3", 4, 8), ("x86-64-v2", 2, 4), ("aarch64", 2, 4), ("cortex-m7", 1, 1)],
)
def test_lanes_of_a_vector(name: str, double: int, single: int) -> None:
    assert (CPUS[name].lanes(), CPUS[name].lanes("float32")) == (double, single)
