"""What an extension module says about itself when it is imported as any module, with symdyn and without."""

from __future__ import annotations

import dataclasses
import json
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
from support.extension import imported

from symdyn.compiler.emit.extension import emit_extension
from symdyn.errors import RequestError
from symdyn.interface.manifest import Manifest
from symdyn.interface.signature import Argument
from symdyn.toolchain.compile import compile_folder, extension_includes
from symdyn.toolchain.load import load
from symdyn.toolchain.module import LoadedSignature, Module

pytestmark = pytest.mark.needs_cc


def test_it_gives_the_signatures_of_the_loaded_module(extension: Module) -> None:
    for entry in extension.manifest.functions:
        signature = imported(extension).signature(entry.python_name)
        assert type(signature) is LoadedSignature
        assert signature == extension.signature(entry.python_name)
        assert LoadedSignature.from_dict(signature.to_dict()) == signature


def test_without_symdyn_it_gives_plain_data(extension: Module) -> None:
    assert extension.path is not None
    script = (
        "import sys; sys.modules['symdyn'] = None\n"
        f"sys.path.insert(0, {str(extension.path.parent)!r})\n"
        f"import json, {extension.path.name.split('.')[0]} as module\n"
        "print(json.dumps(module.signature('products')))\n"
        "try:\n    module.signature('gravity')\n"
        "except ValueError as failure:\n    print(type(failure).__name__, failure)\n"
    )
    done = subprocess.run([sys.executable, "-c", script], capture_output=True, text=True, timeout=60, check=True)
    data, refusal = done.stdout.splitlines()
    assert json.loads(data) == extension.signature("products").to_dict()
    assert refusal.startswith("ValueError this module of 'toy ")
    assert "has no function 'gravity'; it has inverse_dynamics, scaled, shifted, products" in refusal


@pytest.mark.parametrize(
    ("name", "message"),
    [
        ("gravity", "has no function 'gravity'; it has inverse_dynamics, scaled, shifted"),
        ("gravit\u00e9%s", "has no function 'gravit\u00e9%s'; it has"),
        (3, r"signature: expected the name of a function \(inverse_dynamics, .*\), got a int"),
    ],
)
def test_other_names_are_refused(extension: Module, name: Any, message: str) -> None:
    with pytest.raises(RequestError, match=message):
        imported(extension).signature(name)


@pytest.fixture(scope="module")
def long_manifest(toy: Any) -> Manifest:
    """The first function with ten thousand rows whose names are not ASCII."""
    entry = toy.manifest.functions[1]
    rows = (tuple(f'r\u00e9gl\u00e9 "{index}"\\n' for index in range(10_000)),)
    long = Argument("q", (10_000,), rows, ("rad",), "a long vector")
    signature = dataclasses.replace(entry.signature, inputs=(long, *entry.signature.inputs[1:]))
    return dataclasses.replace(toy.manifest, functions=(dataclasses.replace(entry, signature=signature),))


def test_long_signatures_survive(toy: Any, long_manifest: Manifest) -> None:
    module = load(compile_folder(toy.sources, long_manifest), long_manifest)
    assert imported(module).signature("scaled") == module.signature("scaled")


def test_no_string_is_longer_than_c_promises_to_read(
    toy: Any, long_manifest: Manifest, tmp_path: Path, toy_maker: Callable[..., Any]
) -> None:
    source, _ = emit_extension(long_manifest)
    path = toy.write(tmp_path) / source.path
    path.parent.mkdir()
    path.write_text(source.text)
    includes = [f"-isystem{folder}" for folder in extension_includes()]
    command = ["gcc", "-std=c11", "-fsyntax-only", "-Woverlength-strings", "-Werror", *includes, str(path)]
    done = subprocess.run(command, capture_output=True, text=True, timeout=60, check=False)
    assert (done.returncode, done.stderr) == (0, "")


@pytest.mark.parametrize(
    ("name", "remedy"),
    [
        (
            "contact_step_partials",
            r"Compile the robot with functions=\['contact_slopes', \.\.\] and steppers=\['contacts",
        ),
        ("step_rk4", r"Compile the robot with steppers=\['rk4'\]$"),
        ("solve_statics", r"Compile the robot with solvers=\['statics'\]$"),
        ("rollout_gradient", r"Compile the robot with rollout=\.\., one of .*contacts$"),
    ],
)
def test_methods_that_are_no_functions_say_what_to_compile(extension: Module, name: str, remedy: str) -> None:
    with pytest.raises(AttributeError, match=remedy):
        getattr(extension, name)
