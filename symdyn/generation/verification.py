"""Verify a generated folder: every way of evaluating its functions, against arithmetic that shares nothing with it.

Evaluating them runs code of the folder: its C, compiled here, and its Python. So its files are first compared with what
symdyn generates now from its ``robot.yaml`` and from what its manifest says was asked.
"""

from __future__ import annotations

import importlib
import importlib.util
import warnings
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import replace
from pathlib import Path
from typing import Any

from symdyn.algebra.scalars.floats import FloatAlgebra
from symdyn.compiler.emit.source import SourceFile
from symdyn.compiler.tape.evaluate import evaluate_program
from symdyn.compiler.tape.program import Program
from symdyn.errors import SymdynWarning, ToolchainError, VerificationError
from symdyn.functions.catalogue import CATALOGUE, requests
from symdyn.generation import pipeline
from symdyn.generation.regeneration import generated_anew
from symdyn.interface.distribution import installing
from symdyn.interface.manifest import FunctionEntry, Manifest
from symdyn.interface.signature import Option, Signature
from symdyn.interface.targets import OVER_JAX, TARGETS
from symdyn.plan.plan import FieldKind
from symdyn.plan.run import run_plan
from symdyn.robot.loading import robot_of
from symdyn.robot.robot import Robot
from symdyn.toolchain.load import compile_and_load, load_python
from symdyn.toolchain.module import Module
from symdyn.verify.base.complex_numbers import ComplexAlgebra
from symdyn.verify.harness.folder import read_folder
from symdyn.verify.harness.report import VerificationReport
from symdyn.verify.harness.verify import Evaluator, Progress, verify_functions
from symdyn.verify.identities.bench import Bench, FlatFunction
from symdyn.verify.identities.identities import check_identities
from symdyn.verify.oracle.setting import Setting, make_setting


def verify_folder(
    folder: Path, states: int = 50, seed: int = 0, progress: Progress | None = None, trust: bool = False
) -> VerificationReport:
    """Compare a generated folder with an independent evaluator at special and random states.

    The compiled C (where there is a compiler), the Python target, the Program in the folder's layout, and the recursion
    on floats are each compared with the truth; then the functions of the fastest of them with each other, by identities
    that hold between them.

    Parameters
    ----------
    trust
        Whether code of a folder that differs from what is generated now is run all the same.

    Raises
    ------
    VerificationError
        The folder is not a generated one, or differs from what is generated now from its ``robot.yaml``.
    """
    generated = read_folder(folder)
    manifest, robot = generated.manifest, robot_of(generated.description)
    tool = TARGETS[manifest.target].opened_by
    if tool:
        raise VerificationError(
            f"{folder.name}: its functions are called by {tool} alone; verify the same functions in a folder of "
            "target 'c'"
        )
    options = robot.load_options()
    if options != manifest.load_options:
        raise VerificationError(
            f"{folder.name}: manifest.json and robot.yaml tell different load options; generate the folder anew"
        )
    programs = generated_anew(folder.name, generated, robot, trust)
    modules = _modules(manifest, [SourceFile(path, text) for path, text in generated.texts.items()])
    evaluators = {
        entry.python_name: _evaluators(robot, entry, programs[entry.python_name], manifest, modules)
        for entry in manifest.functions
    }
    defaults = zip(robot.model.slots.names, robot.model.slots.defaults, strict=True)
    nominal = {name: value for name, value in defaults if value is not None}
    report = verify_functions(
        generated.description,
        [entry.signature for entry in manifest.functions],
        evaluators,
        options,
        nominal=nominal,
        states=states,
        seed=seed,
        dtype=manifest.dtype,
        progress=progress,
    )
    fastest = next(iter(modules))
    bench = _bench(robot, manifest, {name: found[fastest] for name, found in evaluators.items()}, options)
    return replace(report, identities=check_identities(bench, fastest, nominal, states, seed))


def _bench(robot: Robot, manifest: Manifest, calls: Mapping[str, Evaluator], load_options: Mapping[str, Any]) -> Bench:
    signatures = {entry.python_name: entry.signature for entry in manifest.functions}
    return Bench(
        _combined_setting(robot, signatures.values(), load_options),
        signatures,
        calls,
        {
            name: _complex_recursion(robot, name, signatures[f"{name}_partials"].options)
            for name in ("inverse_dynamics", "forward_dynamics", "hybrid_dynamics")
            if f"{name}_partials" in signatures
        },
        robot.integrate,
        manifest.dtype,
    )


def _combined_setting(robot: Robot, signatures: Iterable[Signature], load_options: Mapping[str, Any]) -> Setting:
    """The options of all functions of a folder; they were asked for at once, so they do not contradict each other."""
    settings = [make_setting(robot.description, signature, load_options) for signature in signatures]
    return replace(
        settings[0],
        external=next((item.external for item in settings if item.external), ""),
        prescribed=next((item.prescribed for item in settings if item.prescribed), ()),
        parameter_names=robot.model.slots.names,
    )


def _complex_recursion(robot: Robot, function: str, recorded: Mapping[str, Option]) -> FlatFunction:
    """The recursion behind a function over complex numbers, with the options that its derivatives were asked with."""
    asked = CATALOGUE[function].recorded(recorded)
    ((entry, request),) = requests(robot.model, [function], **asked)
    plan = entry.plan(robot.model, request)
    names = [item.name for item in entry.signature(robot.model, request).outputs]
    inputs = [field.name for field in plan.fields_of(FieldKind.INPUT)]

    def evaluate(values: Mapping[str, Sequence[Any]]) -> list[Any]:
        return _flat(run_plan(plan, ComplexAlgebra(), {name: values[name] for name in inputs}), names)

    return evaluate


def _modules(manifest: Manifest, files: Sequence[SourceFile]) -> dict[str, Module]:
    """Loaded modules by what they are called in the report."""
    found: dict[str, Module] = {}
    if manifest.sources:
        try:
            _, found["compiled C"] = compile_and_load(files, manifest)
        except ToolchainError as failure:
            warnings.warn(f"the compiled C is not checked: {failure}", SymdynWarning, stacklevel=2)
    python = TARGETS[manifest.target].python
    if python.package and importlib.util.find_spec(python.package) is None:
        raise VerificationError(
            f"this folder holds the {python.title} target; install it with: {installing(python.package)}"
        )
    found[python.title] = load_python(files, manifest)
    return found


def _evaluators(
    robot: Robot, entry: FunctionEntry, program: Program, manifest: Manifest, modules: Mapping[str, Module]
) -> dict[str, Evaluator]:
    signature = entry.signature
    asked = CATALOGUE[entry.python_name].recorded(signature.options)
    recursion = pipeline.float_recursion(robot, entry.python_name, **asked)
    names = [output.name for output in signature.outputs]
    found: dict[str, Evaluator] = {}
    for name, module in modules.items():
        evaluate = _from_module(getattr(module, entry.python_name), signature, manifest.dtype)
        found[name] = _in_double_precision(evaluate) if name == OVER_JAX.title else evaluate
    found["Program"] = lambda inputs: _flat(evaluate_program(program, FloatAlgebra(), inputs), names)
    found["recursion"] = lambda inputs: _flat(recursion(inputs), names)
    return found


def _in_double_precision(evaluate: Evaluator) -> Evaluator:
    """JAX computes in single precision unless told otherwise; told here for these calls alone."""
    settings: Any = importlib.import_module("jax").config

    def wrapped(inputs: Mapping[str, Sequence[float]]) -> Sequence[float]:
        before = settings.jax_enable_x64
        settings.update("jax_enable_x64", True)
        try:
            return evaluate(inputs)
        finally:
            settings.update("jax_enable_x64", before)

    return wrapped


def _flat(outputs: Mapping[str, Sequence[Any]], names: Sequence[str]) -> list[Any]:
    return [value for name in names for value in outputs[name]]


def _from_module(function: Callable[..., Any], signature: Signature, dtype: str) -> Evaluator:
    import numpy as np

    def evaluate(inputs: Mapping[str, Sequence[float]]) -> list[float]:
        arrays = [np.asarray(inputs[item.name], dtype=dtype).reshape(item.shape) for item in signature.inputs]
        result = function(*arrays)
        parts = result if isinstance(result, tuple) else (result,)
        return [float(value) for part in parts for value in np.ravel(part)]

    return evaluate
