"""What is loaded: a module with callables, signatures and helpful refusals, from C or from Python text."""

from __future__ import annotations

import copy
import dataclasses
import inspect
import pydoc
import sys
import traceback
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np
import pytest

import symdyn
from symdyn.compiler.emit.extension import c_string, emit_extension, module_name
from symdyn.compiler.emit.source import SourceFile
from symdyn.errors import RequestError, SymdynWarning, ToolchainError, VerificationError
from symdyn.functions.catalogue import CATALOGUE
from symdyn.functions.request import Request
from symdyn.toolchain.compile import compile_folder
from symdyn.toolchain.load import load
from symdyn.toolchain.module import LoadedSignature, Module
from symdyn.toolchain.python_module import load_python

FUNCTIONS_OF_THE_TOY = ("inverse_dynamics", "scaled", "shifted", "products", "reverse_sums", "large_workspace")
PYTHON = "\n".join(f"def {name}(*inputs, out=None):\n    return '{name}', inputs" for name in FUNCTIONS_OF_THE_TOY)
PYTHON += "\nimport collections\nProducts = collections.namedtuple('Products', 'table total')\n"


@pytest.mark.needs_cc
def test_a_module_knows_its_functions(module: Module, toy: Any) -> None:
    assert module.path is not None
    assert module.path.is_file()
    assert module.manifest == toy.manifest
    assert {"inverse_dynamics", "scaled", "signature", "path"} <= set(dir(module))
    assert "inverse_dynamics(q, v, a)" in repr(module)
    assert "\n" not in repr(module)
    assert hasattr(module, "products")
    assert not hasattr(module, "mass_matrix")
    assert not hasattr(module, "__array__")
    with pytest.raises(
        RequestError, match=r"no function 'mass_matrix'; it has inverse_dynamics, scaled, shifted, products"
    ):
        module.mass_matrix()
    assert copy.copy(module).scaled is module.scaled


@pytest.mark.needs_cc
def test_a_session_completes_and_explains_functions(module: Module) -> None:
    offered = dir(module)
    assert len(offered) == len(set(offered))
    assert set(FUNCTIONS_OF_THE_TOY) <= set(offered)
    assert list(inspect.signature(module.inverse_dynamics).parameters) == ["q", "v", "a", "out"]
    told = inspect.getdoc(module.inverse_dynamics)
    assert told is not None
    assert told.startswith("The inverse_dynamics of a toy.")
    assert "q: (..., 7). q of the toy" in told
    assert "returns tau: (..., 7)" in told
    assert "The inverse_dynamics of a toy." in pydoc.plain(pydoc.render_doc(module.inverse_dynamics))


@pytest.mark.needs_cc
def test_the_signature_survives(module: Module, toy: Any) -> None:
    signature = module.signature("products")
    entry = toy.manifest.function("products")
    assert (signature.inputs, signature.outputs) == (entry.signature.inputs, entry.signature.outputs)
    assert signature.input("q").rows == (('q "0"%s', 'q "1"%s', 'q "2"%s'),)
    assert signature.input("v").units == ("rad",)
    assert (signature.operations, signature.counts) == (12, {"mul": 12})
    text = str(signature)
    assert "out table (3, 2) [rad]" in text
    assert "12 operations (mul 12)" in text
    with pytest.raises(RequestError, match="no function 'gravity'"):
        module.signature("gravity")


@pytest.mark.needs_cc
def test_two_versions_live_side_by_side(toy: Any, toy_maker: Callable[..., Any], extension: Module) -> None:
    newer = toy_maker(version="2.0")
    changed = [dataclasses.replace(s, text=s.text.replace("q[i] * p[0]", "q[i] / p[0]")) for s in newer.sources]
    assert module_name(newer.manifest) != module_name(toy.manifest)
    other = load(compile_folder(changed, newer.manifest), newer.manifest)
    q, p = np.full(3, 8.0), np.array([2.0, 1.0])
    assert extension.scaled(q, p)[0] == 17
    assert other.scaled(q, p)[0] == 5
    assert not any(name.startswith("toy_arm") for name in sys.modules)


@pytest.mark.needs_cc
@pytest.mark.parametrize("headers", ["0", "1"])
def test_a_file_that_is_not_the_module(toy: Any, tmp_path: Path, headers: str, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("SYMDYN_NO_HEADERS", headers)
    if headers == "1":
        with pytest.warns(SymdynWarning):
            built = compile_folder(toy.sources, toy.manifest)
    else:
        built = compile_folder(toy.sources, toy.manifest)
    entry = dataclasses.replace(toy.manifest.functions[0], python_name="gravity", c_name="toy_arm_gravity")
    more = dataclasses.replace(toy.manifest, functions=(*toy.manifest.functions, entry))
    with pytest.raises(ToolchainError, match=r"cannot be loaded as the (module|library) of robot"):
        load(built, more)
    (tmp_path / built.path.name).write_bytes(b"no shared object")
    with pytest.raises(ToolchainError, match=r"cannot be loaded.*compile it anew"):
        load(dataclasses.replace(built, path=tmp_path / built.path.name), toy.manifest)


@pytest.mark.needs_cc
def test_a_robot_without_functions_loads(toy_maker: Callable[..., Any]) -> None:
    made = toy_maker()
    empty = dataclasses.replace(made.manifest, functions=())
    with pytest.raises(RequestError, match="no function 'scaled'"):
        _ = load(compile_folder(made.sources, empty), empty).scaled


def test_python_from_sources(toy: Any) -> None:
    sources = [SourceFile("README.md", ""), SourceFile("python/toy_arm.py", PYTHON)]
    module = load_python(sources, toy.manifest)
    assert module.path is None
    assert module.scaled(1, 2) == ("scaled", (1, 2))
    assert load_python(sources, toy.manifest).scaled is module.scaled
    assert "toy_arm" not in sys.modules
    assert module.signature("scaled").operations == 6


def test_python_for_jax_has_a_file_of_its_own(toy: Any) -> None:
    manifest = dataclasses.replace(toy.manifest, target="jax")
    sources = [SourceFile("python/toy_arm.py", "1 / 0"), SourceFile("python/toy_arm_jax.py", PYTHON)]
    assert load_python(sources, manifest).scaled(5) == ("scaled", (5,))
    with pytest.raises(VerificationError, match=r"hold no python/toy_arm_jax\.py; generate with target='jax'"):
        load_python(sources[:1], manifest)


def test_python_from_a_folder(toy: Any, tmp_path: Path) -> None:
    with pytest.raises(VerificationError, match=r"holds no readable python/toy_arm\.py.*target='python'"):
        load_python(tmp_path, toy.manifest)
    (tmp_path / "python").mkdir()
    (tmp_path / "python" / "toy_arm.py").write_text(PYTHON)
    module = load_python(tmp_path, toy.manifest)
    assert module.path == tmp_path / "python" / "toy_arm.py"
    assert module.products(3) == ("products", (3,))


def test_python_that_is_not_there_or_not_whole(toy: Any) -> None:
    with pytest.raises(VerificationError, match=r"the sources hold no python/toy_arm\.py"):
        load_python([], toy.manifest)
    short = SourceFile("python/toy_arm.py", PYTHON.replace("def scaled", "def other") + "\nproducts = 3\n")
    with pytest.raises(VerificationError, match="lacks scaled, products"):
        load_python([short], toy.manifest)
    for text in ("def", "import no_such_module_anywhere", "1 / 0"):
        before = set(sys.modules)
        with pytest.raises(VerificationError, match="does not import"):
            load_python([SourceFile("python/toy_arm.py", text)], toy.manifest)
        assert {name for name in set(sys.modules) - before if name.startswith("_symdyn")} == set()
    with pytest.raises(VerificationError, match="expected a C identifier"):
        load_python([], dataclasses.replace(toy.manifest, identifier="../toy"))


def test_tracebacks_show_python_that_no_file_holds(toy: Any) -> None:
    text = PYTHON.replace("return 'scaled', inputs", "return inputs[0] / inputs[1]")
    module = load_python([SourceFile("python/toy_arm.py", text)], toy.manifest)
    with pytest.raises(ZeroDivisionError) as caught:
        module.scaled(1, 0)
    assert "return inputs[0] / inputs[1]" in "".join(traceback.format_exception(caught.value))


def test_the_extension_text_is_reproducible_and_safe(toy: Any) -> None:
    source, caller = emit_extension(toy.manifest)
    assert (source, caller) == emit_extension(toy.manifest)
    assert "toy" not in caller.text
    assert source.path == "python/toy_arm_extension.c"
    assert f"PyInit_{module_name(toy.manifest)}(void)" in source.text
    assert '#include "../toy_arm.h"' in source.text
    assert "??/" not in source.text
    assert 'toy "arm"' not in source.text


def test_c_strings_hold_any_text() -> None:
    assert c_string('a"b\\c?\n\x00%s') == r'"a\042b\134c\077\012\000%s"'
    assert c_string("é") == r'"\303\251"'
    assert c_string("\udc80").startswith('"\\134')


def test_long_vectors_are_abbreviated_in_messages(toy: Any, toy_maker: Callable[..., Any]) -> None:
    entry = toy.manifest.functions[0]
    argument = entry.signature.inputs[0]
    rows = tuple(f"joint\u2028{index}" for index in range(40))
    long = dataclasses.replace(argument, shape=(40,), rows=(rows,))
    signature = dataclasses.replace(entry.signature, inputs=(long,))
    manifest = dataclasses.replace(toy.manifest, functions=(dataclasses.replace(entry, signature=signature),))
    text = emit_extension(manifest)[0].text
    assert r"\134u20285, .., joint\134u202839" in text
    assert "u20286," not in text


def test_a_signature_shows_units_by_group() -> None:
    robot = symdyn.load_example("quadruped")
    shown = {
        name: str(LoadedSignature.of(CATALOGUE[name].signature(robot.model, Request()), 0, {}))
        for name in ("mass_matrix", "forward_kinematics")
    }
    assert f"in  q ({robot.nq},) [m x3, 1 x4, rad x{robot.nq - 7}]:" in shown["mass_matrix"]
    count = len(robot.frame_names)
    assert f"out X ({count}, 4, 4) [1 x{13 * count}, m x{3 * count}]:" in shown["forward_kinematics"]
