"""Stubs read back: each function with its inputs, each named tuple with its fields."""

from __future__ import annotations

import ast
import os
from dataclasses import replace
from functools import cache
from pathlib import Path

import pytest

import symdyn
from symdyn import api
from symdyn.compiler.emit.extension import emit_extension_stub, module_name
from symdyn.compiler.emit.source import SourceFile
from symdyn.interface.manifest import Manifest

pytestmark = pytest.mark.filterwarnings("ignore:.*follow from others")

FUNCTIONS = ["inverse_dynamics", "constrained_forward_dynamics", "kinetic_energy", "statics_jacobian"]


@cache
def stubs(target: str) -> tuple[Manifest, dict[str, str]]:
    """The manifest and the stubs of a module, by path; of NumPy that of the extension too, of which C is a part."""
    files: tuple[SourceFile, ...] = api.sources(symdyn.load_example("four_bar"), FUNCTIONS, target=target)
    manifest = Manifest.from_json(next(file.text for file in files if file.path == "manifest.json"))
    made = [file for file in files if file.path.endswith(".pyi")]
    assert [file.path in manifest.files for file in made] == [True]
    if target == "python":
        manifest = replace(manifest, header="four_bar.h")
        made.append(emit_extension_stub(manifest))
    return manifest, {file.path: file.text for file in made}


@pytest.mark.parametrize("target", ["python", "jax"])
def test_a_stub_says_what_the_signature_says(target: str) -> None:
    manifest, made = stubs(target)
    extension = f"python/{module_name(manifest)}.pyi"
    assert made.keys() == ({"python/four_bar.pyi", extension} if target == "python" else {"python/four_bar_jax.pyi"})
    for path, text in made.items():
        tree = ast.parse(text)
        functions = {item.name: item for item in tree.body if isinstance(item, ast.FunctionDef)}
        classes = {item.name: item for item in tree.body if isinstance(item, ast.ClassDef)}
        own = {"signature", "set_threads"} if path == extension else {"signature"}
        assert functions.keys() == {*FUNCTIONS, *own}
        assert classes.keys() == {"ConstrainedForwardDynamics", "StaticsJacobian"}
        for entry in manifest.functions:
            function, signature = functions[entry.python_name], entry.signature
            named = [argument.arg for argument in (*function.args.posonlyargs, *function.args.args)]
            assert [name.strip("_").removeprefix("id_") for name in named] == [own.name for own in signature.inputs]
            assert [argument.arg for argument in function.args.kwonlyargs] == ([] if target == "jax" else ["out"])
            documentation = ast.get_docstring(function) or ""
            assert documentation.startswith(signature.description)
            for argument in (*signature.inputs, *signature.outputs):
                assert argument.description in documentation
            assert isinstance(function.returns, ast.Name)
            if len(signature.outputs) > 1:
                fields = [item for item in classes[function.returns.id].body if isinstance(item, ast.AnnAssign)]
                names = [item.target.id.removeprefix("id_") for item in fields if isinstance(item.target, ast.Name)]
                assert names == [output.name for output in signature.outputs]
            else:
                assert function.returns.id == ("_Array" if signature.outputs[0].shape else "_Number")


def test_an_input_named_by_a_word_of_python_is_given_by_place() -> None:
    manifest, made = stubs("python")
    text = made[f"python/{module_name(manifest)}.pyi"]
    assert "def statics_jacobian(q: _Given, lambda_: _Given, /, *, out:" in text
    assert "def statics_jacobian(q: _Given, id_lambda: _Given, *, out:" in made["python/four_bar.pyi"]


SCRIPT = """
import numpy as np
import symdyn
import bar
from numpy.typing import NDArray

robot = symdyn.load_example("four_bar")
module = symdyn.compile(robot, ["inverse_dynamics"])
q = np.zeros(3)
tau = module.inverse_dynamics(q, q, q)
module.set_threads(1)
forces: NDArray[np.float64] = bar.inverse_dynamics(q, [0.0, 0.0, 0.0], a=q)
found = bar.constrained_forward_dynamics(q, q, q)
a, multipliers = found
total: NDArray[np.float64] = found.a + found.id_lambda.sum()
energy = float(bar.kinetic_energy(q, q))
"""
WRONG = """
import bar

bar.inverse_dynamics([0.0], [0.0])
bar.forward_dynamics
bar.constrained_forward_dynamics([0.0], [0.0], [0.0]).b
"""


@pytest.mark.slow
def test_a_type_checker_reads_the_stub(tmp_path: Path) -> None:
    checker = pytest.importorskip("mypy.api")
    made = symdyn.generate(
        symdyn.load_example("four_bar"), FUNCTIONS, target="python", name="bar", out=tmp_path / "made"
    )
    with pytest.MonkeyPatch.context() as patch:
        own = Path(symdyn.__file__).parents[1]  # mypy refuses site-packages, and finds what is installed there itself
        paths = [made / "python", *([own] if own.name != "site-packages" else [])]
        patch.setenv("MYPYPATH", os.pathsep.join(map(str, paths)))
        patch.chdir(tmp_path)
        for name, text in (("script", SCRIPT), ("wrong", WRONG)):
            (tmp_path / f"{name}.py").write_text(text)
        said, _, code = checker.run(["--strict", "--follow-imports=silent", "script.py", "wrong.py"])
    assert code == 1
    assert "script.py" not in said, said
    assert 'Missing positional argument "a" in call to "inverse_dynamics"' in said
    assert 'Module has no attribute "forward_dynamics"' in said
    assert '"ConstrainedForwardDynamics" has no attribute "b"' in said
