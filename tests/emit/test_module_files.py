"""The files of a generated module: which there are, that they repeat byte for byte, what they say, what is refused."""

from __future__ import annotations

import hashlib
import json
import re
from collections.abc import Callable
from dataclasses import replace
from pathlib import Path
from types import ModuleType
from typing import Any

import pytest
from support.compilers import each_of

from symdyn.compiler.emit.module import emit_module
from symdyn.compiler.tape.program import Affine, BufferKind, Call, Loop, Program
from symdyn.compiler.tape.tape import Op, Port
from symdyn.errors import InternalError, RequestError
from symdyn.interface.manifest import Manifest
from symdyn.interface.targets import TARGETS

SOURCES = ("toy_looped.c", "toy_every_operation.c")
LANE_SOURCES = ("toy_looped_lanes.c", "toy_every_operation_lanes.c")


def emit(*programs: Program, target: str = "c", robot: str = "toy") -> dict[str, str]:
    files = emit_module(
        programs,
        robot=robot,
        version="0.1.0",
        target=target,
        load_options={"gravity": [0, 0, -9.81]},
        robot_yaml="a: 1\n",
    )
    assert [file.path for file in files] == sorted(file.path for file in files)
    return {file.path: file.text for file in files}


@pytest.mark.parametrize(
    ("target", "own"),
    [
        ("c", {"toy.h", *SOURCES, *LANE_SOURCES, "CMakeLists.txt", "python/toy.py", "python/toy.pyi"}),
        ("python", {"python/toy.py", "python/toy.pyi"}),
        ("jax", {"python/toy_jax.py", "python/toy_jax.pyi"}),
    ],
)
def test_files_and_manifest(samples: ModuleType, target: str, own: set[str]) -> None:
    files = emit(samples.looped(), samples.every_operation(), target=target)
    assert files.keys() == own | {"README.md", "robot.yaml", "manifest.json"}
    assert files["robot.yaml"] == "a: 1\n"
    manifest = Manifest.from_json(files["manifest.json"])
    assert (manifest.robot, manifest.identifier, manifest.target, manifest.dtype) == ("toy", "toy", target, "float64")
    assert manifest.sources == (SOURCES if target == "c" else ())
    assert manifest.lane_sources == (LANE_SOURCES if target == "c" else ())
    assert manifest.header == ("toy.h" if target == "c" else "")
    assert manifest.load_options == {"gravity": [0, 0, -9.81]}
    entry = manifest.function("looped")
    assert (entry.c_name, entry.work_size, entry.layout, entry.operations) == ("toy_looped", 24, "rolled", 90)
    assert entry.counts == {"add": 42, "fma": 6, "mul": 24, "sincos": 6}
    assert entry.signature == samples.looped().signature
    del files["manifest.json"]
    assert manifest.files == {path: hashlib.sha256(text.encode()).hexdigest() for path, text in files.items()}
    changed = replace(manifest, files={**manifest.files, "README.md": "0" * 64})
    assert changed.content_hash != manifest.content_hash


def test_output_repeats_byte_for_byte(samples: ModuleType) -> None:
    for target in ("c", "jax"):
        first = emit(*(make() for make in samples.ALL), target=target, robot=samples.ODD_ROBOT)
        assert first == emit(*(make() for make in samples.ALL), target=target, robot=samples.ODD_ROBOT)


def test_the_users_names_stand_in_comments_and_data_only(samples: ModuleType) -> None:
    files = emit(samples.looped(robot="toy"), samples.every_operation(), robot=samples.ODD_ROBOT)
    identifier = Manifest.from_json(files["manifest.json"]).identifier
    assert re.fullmatch(r"[A-Za-z][A-Za-z0-9_]*", identifier)
    for path, text in files.items():
        assert re.fullmatch(r"(python/)?[A-Za-z0-9_]+\.(c|h|pyi?|md|txt|yaml|json)", path)
        assert text.isascii() and not any(line != line.rstrip() for line in text.splitlines()), path
        if path.endswith((".c", ".h")):
            code = re.sub(r"/\*.*?\*/", "", text, flags=re.DOTALL)
            for word in ("elbow", "#include <x>", "a-b", '"x"', "??", "%"):
                assert word not in code, (path, word)
    source = files[f"{identifier}_every_operation.c"]
    assert "const double v0 = x[0]; /* a-b [rad] */" in source
    assert "const double v1 = x[1]; /* %2A/ [rad] */" in source
    assert "const double v4 = x[1];\n" in source  # told once
    assert "v51" not in source  # reaches no result


def test_header_states_sizes_units_and_cost(samples: ModuleType) -> None:
    header = emit(samples.looped())["toy.h"]
    for line in (
        "#define TOY_LOOPED_WORK 24 /* scalars of work */",
        "#define TOY_LOOPED_M_SIZE 12 /* [3][4] */",
        "#define TOY_LOOPED_TOTAL_SIZE 1",
        " * in  p[1] [kg]: the p",
        " *     0 forearm.mass",
        " *     axis 1: 0 c0, 1 c1, 2 c2, 3 c3",
        " *   90 (add 42, fma 6, mul 24, sincos 6)",
        "    const double *q, const double *p, double *tau, double *m, double *total, double *work);",
    ):
        assert f"{line}\n" in header
    assert "const float *q" in emit(samples.looped("float32"))["toy.h"]


def test_units_that_differ_stand_beside_each_row(samples: ModuleType) -> None:
    program = samples.awkward_constants()
    x, (y, z) = program.signature.inputs[0], program.signature.outputs
    mixed = replace(x, units=("m", "rad"))
    grid = replace(y, shape=(2, 12), rows=(("r", "s"), tuple("abcdefghijkl")), units=("kg", "m") * 12)
    program = replace(program, signature=replace(program.signature, inputs=(mixed,), outputs=(grid, z)))
    files = emit(program)
    assert " *     0 x0 [m], 1 x1 [rad]\n" in files["toy.h"]
    assert " * out y[2][12] [kg; m; each in the manifest]: the y\n" in files["toy.h"]
    assert "| in | `x[2]` | `see elements` | the x | `0 x0 [m]; 1 x1 [rad]` |" in files["README.md"]


def test_readme_shows_both_calls(samples: ModuleType) -> None:
    readme = emit(samples.looped())["README.md"]
    for line in (
        "toy_looped(q, p, tau, m, total, work);",
        "static double work[TOY_LOOPED_WORK];",
        "tau, m, total = toy.looped(q, p)",
        "- Operations: 90 (add 42, fma 6, mul 24, sincos 6). Layout: rolled. Scalars of `work` in C: 24.",
        "| out | `m[3][4]` | `kg` | a grid | `0 r0; 1 r1; 2 r2` / `0 c0; 1 c1; 2 c2; 3 c3` |",
    ):
        assert f"{line}\n" in readme
    assert "The generated code is yours" in readme
    still = emit(samples.nothing_moves())["README.md"]
    assert "\ntoy_nothing_moves(NULL, NULL, energy, NULL);\n" in still  # C has no array of no elements
    assert re.findall(r"^static .*;$", still, re.MULTILINE) == ["static double energy[TOY_NOTHING_MOVES_ENERGY_SIZE];"]
    assert "jax_enable_x64" in emit(samples.looped(), target="jax")["README.md"]


def test_compilers_are_told_to_fuse_nothing_of_their_own(samples: ModuleType) -> None:
    files = emit(samples.looped())
    for name in ("CMakeLists.txt", "README.md"):
        assert "-ffp-contract=off" in files[name]
    strict = replace(samples.looped(), fp_contract=False)
    assert json.loads(emit(strict, samples.every_operation())["manifest.json"])["fp_contract"] is False


def test_requests_that_are_refused(samples: ModuleType) -> None:
    with pytest.raises(RequestError, match=f"target 'rust' is not known; expected one of {', '.join(sorted(TARGETS))}"):
        emit(samples.looped(), target="rust")
    with pytest.raises(RequestError, match="expected at least one function"):
        emit()
    with pytest.raises(RequestError, match="'looped' is asked for twice"):
        emit(samples.looped(), samples.looped())
    with pytest.raises(RequestError, match="dtype 'float16' is not known"):
        emit(replace(samples.looped(), dtype="float16"))
    with pytest.raises(RequestError, match="does not fit float32"):
        emit(samples.awkward_constants().with_dtype("float32"))
    with pytest.raises(InternalError, match="programs of one dtype, got float32, float64"):
        emit(samples.looped(), samples.every_operation("float32"))


def _broken(samples: ModuleType) -> dict[str, tuple[Program, str]]:
    looped, straight = samples.looped(), samples.every_operation()
    tape = straight.tapes[0]

    def with_buffer(name: str, **changes: Any) -> Program:
        buffers = tuple(replace(item, **changes) if item.name == name else item for item in looped.buffers)
        return replace(looped, buffers=buffers)

    def with_ops(*ops: Op) -> Program:
        return replace(straight, tapes=(replace(tape, ops=(*tape.ops, *ops), results=((len(tape.ops),) * 37,)),))

    renamed = replace(looped.signature, function="for")
    return {
        "keyword": (replace(looped, signature=renamed), "function 'for' cannot be the name"),
        "lanes of a loop": (
            replace(looped, body=(*looped.body, Loop(2, (Loop(1, (), lanes=8),)))),
            "a loop over 8 lanes is no single call that runs as often",
        ),
        "index": (with_buffer("far", values=(-1,)), "'far' holds -1, expected a small integer"),
        "fraction": (with_buffer("far", values=(0.5,)), "'far' holds 0.5"),
        "beyond the end": (with_buffer("state", rows=5), "lies outside 'state'"),
        "size": (with_buffer("p", width=2), r"buffer 'p' has 2 scalars, the signature says \[1\]"),
        "parameters": (with_buffer("q", kind=BufferKind.PARAM), "run-time parameters, and only they, are called 'p'"),
        "no output": (
            replace(straight, signature=replace(straight.signature, outputs=(samples.argument("z", 1),) * 2)),
            "buffer 'y' has",
        ),
        "code": (with_ops(Op("add", (0,))), "add"),
        "read-only": (
            replace(looped, body=(*looped.body, Call("set up", (), (Affine("numbers", 0), Affine("total", 0))))),
            "read-only",
        ),
    }


@pytest.mark.parametrize(
    "case",
    [
        *(
            "keyword",
            "lanes of a loop",
            "index",
            "fraction",
            "beyond the end",
            "size",
            "parameters",
        ),
        *("no output", "code", "read-only"),
    ],
)
def test_broken_programs_are_refused(samples: ModuleType, case: str) -> None:
    program, message = _broken(samples)[case]
    with pytest.raises(InternalError, match=message):
        emit(program)


def test_an_output_without_a_buffer_is_refused(samples: ModuleType) -> None:
    program = samples.every_operation()
    outputs = (*program.signature.outputs, samples.argument("z", 1))
    with pytest.raises(InternalError, match="no buffer for the output 'z'"):
        emit(replace(program, signature=replace(program.signature, outputs=outputs)))


@pytest.mark.needs_cc
@pytest.mark.parametrize("compiler", each_of("gcc", "clang"))
def test_symbols_are_own_or_of_the_mathematical_library(
    samples: ModuleType, write_module: Callable[..., Path], compile_quietly: Callable[..., str], compiler: str
) -> None:
    folder = write_module([make() for make in samples.ALL])
    library = {f"{name}{half}" for name in ("sin", "cos", "tan") for half in ("", "h")} | {
        f"a{n}" for n in ("sin", "cos")
    }
    library |= {"atan", "atan2", "exp", "log", "pow", "sqrt", "fma", "fabs", "sincos", "memcpy", "memset"}
    for source in sorted(folder.glob("*.c")):
        compile_quietly([compiler, "-std=c99", "-O3", "-fno-math-errno", "-c", source.name, "-o", "one.o"], folder)
        symbols = [line.split() for line in compile_quietly(["nm", "one.o"], folder).splitlines()]
        assert {name for *_, kind, name in symbols if kind == "U"} <= library
        function = source.stem.removesuffix("_lanes")
        own = {f"{function}_batch_lanes"} if source.stem.endswith("_lanes") else {function, f"{function}_batch"}
        assert {name for *_, kind, name in symbols if kind == "T"} == own
        assert not {name for *_, kind, name in symbols if kind in "dDbBC"}, "static mutable data"


@pytest.mark.needs_cc
@pytest.mark.parametrize("compiler", each_of("g++", "clang++"))
def test_header_serves_c_plus_plus(
    samples: ModuleType, write_module: Callable[..., Path], compile_quietly: Callable[..., str], compiler: str
) -> None:
    folder = write_module([make() for make in samples.ALL])
    (folder / "user.cpp").write_text('#include "toy.h"\n#include "toy.h"\nint size() { return TOY_LOOPED_WORK; }\n')
    compile_quietly([compiler, "-std=c++17", "-Wall", "-Wextra", "-Werror", "-fsyntax-only", "user.cpp"], folder)


def test_options_stand_in_alphabetical_order(samples: ModuleType) -> None:
    options = {"wrenches": "in the world", "convention": "pinocchio", "joint losses": "left out"}
    program = samples.looped()
    files = emit(replace(program, signature=replace(program.signature, options=options)))
    for path in ("toy.h", "python/toy.py", "README.md"):
        found = re.findall(r"(?<![\w'\"])(convention|joint losses|wrenches): ", files[path])
        assert found == sorted(options), path


def test_parameters_fill_their_lines(samples: ModuleType) -> None:
    """A hundred columns are filled to the last and never passed, however long a name is."""
    widths = []
    for length in range(36, 44):
        build = samples.TapeBuilder("sum", [Port("q", 1), Port("a" * length, 1)], [Port("torques_of_all", 1)])
        tape = build.tape([build.op("add", build.input(0, 0), build.input(1, 0))])
        header = emit(samples.straight(tape, "f"))["toy.h"]
        widths += map(len, re.findall(r"^    (?:const )?double .*,$", header, re.MULTILINE))
    assert max(widths) == 100


@pytest.mark.parametrize("target", ["c", "jax"])
def test_every_text_ends_with_one_line_end(samples: ModuleType, target: str) -> None:
    for path, text in emit(samples.looped(), target=target).items():
        assert text.endswith("\n") and not text.endswith("\n\n"), path


def test_workspace_is_described_where_it_is_taken(samples: ModuleType) -> None:
    files = emit(samples.looped())
    for path in ("toy_looped.c", "toy_looped_lanes.c"):
        (taken,) = re.findall(r"^.* = work.*one row per body.*$", files[path], re.MULTILINE)
        assert taken.endswith("; /* one row per body */")
