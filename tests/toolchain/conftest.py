"""A hand-written module of six functions, laid out as the C target lays out its folder, and a cache of its own."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import dataclass
from math import prod
from pathlib import Path

import pytest

from symdyn.compiler.emit.source import SourceFile
from symdyn.errors import SymdynWarning
from symdyn.interface.manifest import FunctionEntry, Manifest
from symdyn.interface.signature import Argument, Signature
from symdyn.toolchain.compile import compile_folder
from symdyn.toolchain.load import load
from symdyn.toolchain.module import Module

# Quotes, a backslash, a trigraph, a percent sign and a line break must all stay data.
ROBOT = 'toy "arm" \\ ??/ %s\n"); exit(1);'
WORK = {"reverse_sums": 4, "large_workspace": 5000}


@dataclass(frozen=True)
class Toy:
    """Sources and manifest of the hand-written module."""

    sources: tuple[SourceFile, ...]
    manifest: Manifest

    def write(self, folder: Path) -> Path:
        for source in self.sources:
            (folder / source.path).write_text(source.text)
        (folder / "manifest.json").write_text(self.manifest.to_json())
        return folder


# Name of each function: inputs, outputs, operations, C statements of one state.
FUNCTIONS: dict[str, tuple[dict[str, tuple[int, ...]], dict[str, tuple[int, ...]], int, str]] = {
    "inverse_dynamics": (
        {"q": (7,), "v": (7,), "a": (7,)},
        {"tau": (7,)},
        42,
        "for (int i = 0; i < 7; i++) tau[i] = (T)(i + 1) * a[i] + v[i] * q[6 - i];",
    ),
    "scaled": ({"q": (3,), "p": (2,)}, {"y": (3,)}, 6, "for (int i = 0; i < 3; i++) y[i] = q[i] * p[0] + p[1];"),
    "shifted": (
        {"q": (3,), "v": (3,), "p": (2,)},
        {"y": (3,)},
        9,
        "for (int i = 0; i < 3; i++) y[i] = q[i] * p[0] + v[i] - p[1];",
    ),
    "products": (
        {"q": (3,), "v": (2,)},
        {"table": (3, 2), "total": ()},
        12,
        "T s = 0; for (int k = 0; k < 6; k++) s += table[k] = q[k / 2] * v[k % 2]; total[0] = s;",
    ),
    "reverse_sums": (
        {"x": (4,)},
        {"y": (4,)},
        30000,
        "T s = 0; for (int i = 3; i >= 0; i--) { s += x[i]; work[i] = s; } for (int i = 0; i < 4; i++) y[i] = work[i];",
    ),
    "large_workspace": (
        {"x": (2,)},
        {"y": (2,)},
        5000,
        "for (int i = 0; i < 5000; i++) work[i] = x[0]; T s = 0; for (int i = 0; i < 5000; i++) s += work[i];"
        " y[0] = s; y[1] = x[1] / work[4999];",
    ),
}


def make_toy(dtype: str = "float64", identifier: str = "toy_arm", version: str = "1.0", extra: str = "") -> Toy:
    scalar = {"float64": "double", "float32": "float"}[dtype]
    entries, texts, declarations = [], [], []
    for name, (inputs, outputs, operations, body) in FUNCTIONS.items():
        c_name = f"{identifier}_{name}"
        arguments = [_argument(key, shape) for key, shape in inputs.items()]
        results = [_argument(key, shape) for key, shape in outputs.items()]
        signature = Signature(ROBOT, name, tuple(arguments), tuple(results), f"The {name} of a toy.")
        entries.append(
            FunctionEntry(signature, c_name, name, WORK.get(name, 0), "unrolled", {"mul": operations}, operations)
        )
        shown = [f"const {scalar} *{key}" for key in inputs] + [f"{scalar} *{key}" for key in outputs]
        heads = f"void {c_name}({', '.join(shown)}, {scalar} *work)"
        batch = f"void {c_name}_batch(size_t n, {', '.join(shown)}, {scalar} *work)"
        steps = {key: prod(shape) for key, shape in (inputs | outputs).items() if key != "p"}
        places = [f"{key} + k * {steps[key]}" if key in steps else key for key in inputs | outputs]
        loop = f"for (size_t k = 0; k < n; k++) {c_name}({', '.join(places)}, work);"
        declarations.append(f"{heads};\n{batch};")
        texts.append(
            f'#include "{identifier}.h"\ntypedef {scalar} T;\n'
            f"{heads}\n{{ (void)work; {body} }}\n{batch}\n{{ {loop} }}\n{extra}"
        )
    names = tuple(f"{entry.c_name}.c" for entry in entries)
    manifest = Manifest(ROBOT, identifier, version, "c", dtype, tuple(entries), names, f"{identifier}.h")
    header = f"#include <stddef.h>\n{chr(10).join(declarations)}\n"
    sources = [SourceFile(f"{identifier}.h", header), SourceFile("README.md", "A toy.")]
    sources += [SourceFile(name, text) for name, text in zip(names, texts, strict=True)]
    return Toy(tuple(sources), manifest)


def _argument(name: str, shape: tuple[int, ...]) -> Argument:
    rows = tuple(tuple(f'{name} "{index}"%s' for index in range(length)) for length in shape)
    return Argument(name, shape, rows, ("rad",), f"{name} of the toy")


@pytest.fixture(scope="session")
def toy_maker() -> Callable[..., Toy]:
    return make_toy


@pytest.fixture(scope="session")
def toy() -> Toy:
    return make_toy()


@pytest.fixture(scope="session", autouse=True)
def session_cache(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Path]:
    with pytest.MonkeyPatch.context() as patch:
        folder = tmp_path_factory.mktemp("toolchain-cache")
        patch.setenv("SYMDYN_CACHE_DIR", str(folder))
        patch.delenv("SYMDYN_NO_HEADERS", raising=False)
        yield folder


@pytest.fixture
def empty_cache(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    folder = tmp_path / "cache"
    monkeypatch.setenv("SYMDYN_CACHE_DIR", str(folder))
    return folder


def load_toy(kind: str, dtype: str) -> Module:
    made = make_toy(dtype)
    if kind == "extension":
        return load(compile_folder(made.sources, made.manifest), made.manifest)
    with pytest.MonkeyPatch.context() as patch:
        patch.setenv("SYMDYN_NO_HEADERS", "1")
        with pytest.warns(SymdynWarning, match="ctypes"):
            built = compile_folder(made.sources, made.manifest)
    return load(built, made.manifest)


@pytest.fixture(scope="session", params=["extension", "ctypes"])
def module(request: pytest.FixtureRequest) -> Module:
    """The float64 module through both doors; what a test asks of it holds for both."""
    return load_toy(request.param, "float64")


@pytest.fixture(scope="session", params=["extension", "ctypes"])
def single_module(request: pytest.FixtureRequest) -> Module:
    """The float32 module through both doors."""
    return load_toy(request.param, "float32")


@pytest.fixture(scope="session")
def extension() -> Module:
    return load_toy("extension", "float64")


@pytest.fixture(scope="session")
def library() -> Module:
    return load_toy("ctypes", "float64")
