"""Cases as rows of tables: a function of a robot with its options, and how it is checked against a truth that is kept.

Float recursion and Programs are compared with fifty digits, to a rule; compiled C with the evaluator of Programs, bit
by bit.
"""

from __future__ import annotations

import subprocess
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, field
from functools import cache, partial
from typing import Any
from zlib import crc32

import numpy as np
import pytest

import symdyn
from support.robots.of_cases import robot_of_case
from support.truths import Kept, kept_truth
from symdyn import api
from symdyn.algebra.scalars.floats import FloatAlgebra
from symdyn.compiler.tape.evaluate import evaluate_program
from symdyn.compiler.tape.program import Program
from symdyn.compiler.tape.verify import verify_program
from symdyn.functions import parameter_regrouping
from symdyn.functions.catalogue import CATALOGUE, requests
from symdyn.functions.entry import CatalogueEntry
from symdyn.functions.request import Request
from symdyn.generation import pipeline
from symdyn.generation.pipeline import traced
from symdyn.interface.options import GenerateOptions
from symdyn.interface.signature import Signature
from symdyn.model.model import Model
from symdyn.robot.robot import Robot
from symdyn.toolchain.find_compiler import find_compiler
from symdyn.toolchain.flags import function_flags
from symdyn.toolchain.module import Module
from symdyn.verify.base.compare import limit_in_u, output_blocks
from symdyn.verify.harness.report import EvaluatorResult
from symdyn.verify.harness.verify import FloatInputs, verify_states
from symdyn.verify.oracle.setting import make_setting

ALL = ("unrolled", "split", "rolled")
Outputs = Mapping[str, Sequence[float]]
Evaluators = Mapping[str, Callable[[FloatInputs], Sequence[float]]]


@dataclass(frozen=True, slots=True)
class Rule:
    """How much a result may differ from the truth: so many times what ``symdyn verify`` allows, and why."""

    factor: float
    reason: str


RULES = {
    "tree": Rule(
        1.0,
        "100 u and 10 u per body of the longest chain, relative to the largest term of each output and unit, as "
        "limit_in_u tells; terms of what is solved for have the condition of the solve in them",
    ),
    "slopes": Rule(
        10.0,
        "terms cancel in a block of one unit, and the oracle does not tell their size: STEEP in tables/table.py says "
        "why of each row; the largest loss measured is 5.4 times the limit",
    ),
    "stages": Rule(
        2.0,
        "an implicit stage begins at what the stage before solved for, so the condition of the solve counts twice; "
        "the largest loss measured is 1.5 times the limit of one solve",
    ),
    "world": Rule(50.0, "moments about the world's origin are small differences of large ones"),
}
"""All tolerances of cases, by name."""


@dataclass(frozen=True, slots=True)
class Case:
    """A row: a function of a robot of ``support/robots/of_cases.py``, and how it is asked for.

    ``layouts`` are those of its Programs, ``dtypes`` the formats of its compiled C, ``rule`` one of RULES.
    """

    robot: str
    function: str
    options: Mapping[str, Any] = field(default_factory=dict)
    layouts: Sequence[str] = ALL
    dtypes: Sequence[str] = ("float64",)
    rule: str = "tree"

    def __str__(self) -> str:
        return "-".join((self.file, *self.key.split()))

    @property
    def key(self) -> str:
        """Function and options, of which no robot has two."""
        return " ".join([self.function, *(f"{name}={_word(value)}" for name, value in sorted(self.options.items()))])

    @property
    def file(self) -> str:
        """Name of the file that holds the truths of the robot."""
        return self.robot.replace(" ", "_")

    @property
    def made(self) -> Robot:
        """The robot."""
        return robot_of_case(self.robot)

    @property
    def asked(self) -> dict[str, Any]:
        """The options as ``compile`` takes them: by default order 1, and every third row prescribed."""
        takes, found = CATALOGUE[self.function].takes, dict(self.options)
        if "order" in takes:
            found.setdefault("order", 1)
        if "prescribed" in takes and not self.function.startswith(("state_", "statics_")):
            names = self.made.velocity_names
            found.setdefault("prescribed", tuple(names[1::3] or names))
        return found

    @property
    def narrowest(self) -> str:
        """The format that holds all inputs of the case."""
        return "float32" if "float32" in self.dtypes else "float64"

    @property
    def signature(self) -> Signature:
        """Of the function with these options."""
        ((entry, request),) = requests(self.made.model, [self.function], **self.asked)
        return entry.signature(self.made.model, request)

    def truth(self, update: bool = False, signature: Signature | None = None) -> Kept:
        """The truth that is kept for it; ``signature`` is its own, where it is known."""
        own = self.signature if signature is None else signature
        return kept_truth(self.file, self.key, self.made, own, dtype=self.narrowest, update=update)


def _word(value: Any) -> str:
    return ",".join(map(str, value)) if isinstance(value, list | tuple) else str(value)


def rows(robots: str | Iterable[str], functions: Iterable[str], rule: str = "tree", **options: Any) -> tuple[Case, ...]:
    """Each function of each robot, with the same options, of which each function has those that it takes."""
    names = [robots] if isinstance(robots, str) else list(robots)
    takes = {own: CATALOGUE[own].takes for own in functions}
    return tuple(
        Case(name, own, {key: value for key, value in options.items() if key in known}, rule=rule)
        for own, known in takes.items()
        for name in names
    )


def once(tables: Iterable[Iterable[Case]]) -> tuple[Case, ...]:
    """The rows of all tables; of those that two tables have, one."""
    return tuple({(row.robot, row.key): row for table in tables for row in table}.values())


def dealt(robots: Sequence[str], functions: Sequence[str], **options: Any) -> tuple[Case, ...]:
    """Each function of one of the robots, the same whatever other functions there are."""
    own = ((name, robots[crc32(name.encode()) % len(robots)]) for name in functions)
    return tuple(row for name, robot in own for row in rows(robot, (name,), **options))


def check_recursion(case: Case, update: bool = False) -> None:
    """The float recursion equals the truth, to the rule of the case; ``update`` computes a stale truth first."""
    signature = case.signature
    with _regrouping_dealt(case):
        recursion = api.float_recursion(case.made, case.function, **case.asked)
    _passed(case, signature, {"recursion": _flat(signature, recursion)}, update=update)


def check_program(case: Case, layout: str) -> None:
    """The Program in a layout equals the truth."""
    with _regrouping_dealt(case):
        program = program_of(case, layout)
    _program_passed(case, layout, program)


@contextmanager
def _regrouping_dealt(case: Case) -> Iterator[None]:
    """One of the ways to regroup inertia that rests on run-time parameters, by the case: all of them give the truth.

    To count which of them is cheapest takes as long as all else. What is compiled has the cheapest.
    """

    def dealt(model: Model, entry: CatalogueEntry, request: Request) -> Model:
        ways = parameter_regrouping.regroupings(model, entry, request)
        return ways[crc32(str(case).encode()) % len(ways)]

    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(parameter_regrouping, "with_cheapest_regrouping", dealt)
        yield


def _program_passed(case: Case, layout: str, program: Program) -> None:
    signature = case.signature
    _passed(case, signature, {layout: _flat(signature, _evaluated(program))})


def _passed(
    case: Case, signature: Signature, evaluators: Evaluators, dtype: str = "float64", update: bool = False
) -> None:
    """Nothing is more than a bound away, which grows with the robot's depth: what fits without any needs no depth.

    To count the steps of the oracle's rods takes longer than all else, because it integrates their sections.
    """
    if not all(own.passed for own in _errors(case, signature, evaluators, 0, dtype, update)):
        for result in _errors(case, signature, evaluators, _depth(case, signature), dtype, update):
            assert result.passed, (str(case), result)


def program_of(case: Case, layout: str) -> Program:
    """The Program of a case."""
    (program,) = api.programs(case.made, [case.function], layout=layout, **case.asked)
    return program


def errors(
    case: Case, evaluators: Evaluators, dtype: str = "float64", update: bool = False
) -> tuple[EvaluatorResult, ...]:
    """How far each evaluator is from the truth, in u, and how far it may be."""
    signature = case.signature
    return _errors(case, signature, evaluators, _depth(case, signature), dtype, update)


def _depth(case: Case, signature: Signature) -> int:
    return make_setting(case.made.description, signature, case.made.load_options()).tree.depth


def _errors(
    case: Case, signature: Signature, evaluators: Evaluators, depth: int, dtype: str, update: bool
) -> tuple[EvaluatorResult, ...]:
    kept = case.truth(update, signature)
    limit = RULES[case.rule].factor * limit_in_u(depth)
    blocks = output_blocks(signature.outputs)
    return verify_states(case.function, kept.at, evaluators, kept.states, blocks, limit=limit, dtype=dtype)


def check_code(cases: Sequence[Case], layout: str) -> None:
    """Programs equal the truth, and compiled C gives their bits, for functions of one robot with the same options."""
    made, asked = cases[0].made, _asked_together(cases)
    options = GenerateOptions.checked([case.function for case in cases], layout=layout, **asked)
    programs = tuple(map(verify_program, traced(made, options)))
    with pytest.MonkeyPatch.context() as patch:  # tracing is most of the work, so the module is made of these programs
        patch.setattr(pipeline, "traced", lambda *_: iter(programs))
        compiled = symdyn.compile(made, options.functions, layout=layout, lanes=False, **asked)  # lanes: other tests
    by_name = {program.signature.function: program for program in programs}
    algebra = FloatAlgebra(fused=fused_here())
    for case in cases:
        program, signature = by_name[case.function], case.signature
        _program_passed(case, layout, program)
        for state in case.truth(signature=signature).states:
            found = evaluate_program(program, algebra, {name: list(own) for name, own in state.inputs.items()})
            wanted = [row for output in signature.outputs for row in found[output.name]]
            _same_bits(_called(compiled, case, state.inputs), wanted, (str(case), layout, state.label))


def check_python(cases: Sequence[Case], layout: str) -> None:
    """Emitted Python, of which no bits are promised, equals the truth, to the rules."""
    functions, asked = [case.function for case in cases], _asked_together(cases)
    python = symdyn.compile(cases[0].made, functions, layout=layout, target="python", **asked)
    for case in cases:
        _passed(case, case.signature, {"python": partial(_called, python, case)})


def _asked_together(cases: Sequence[Case]) -> dict[str, Any]:
    return {name: value for case in cases for name, value in case.asked.items()}


def check_narrow(case: Case, dtype: str) -> None:
    """Compiled C in another format equals the truth, to what this format can hold."""
    module = symdyn.compile(case.made, [case.function], dtype=dtype, lanes=False, **case.asked)
    _passed(case, case.signature, {dtype: partial(_called, module, case)}, dtype)


@cache
def fused_here() -> bool:
    """Whether compiled C rounds a fused multiply-add once on this machine."""
    compiler = find_compiler()
    flags = function_flags(compiler, text_bytes=0, exported=True)
    known = subprocess.run(
        [*compiler.command, *flags, "-dM", "-E", "-"], input="", capture_output=True, text=True, check=True
    )
    return "__FMA__" in known.stdout or "__aarch64__" in known.stdout


def _called(module: Module, case: Case, inputs: FloatInputs) -> list[float]:
    signature = case.signature
    given = (np.reshape(np.asarray(inputs[own.name], module.manifest.dtype), own.shape) for own in signature.inputs)
    found = getattr(module, case.function)(*given)
    return [float(row) for own in (found if isinstance(found, tuple) else (found,)) for row in np.ravel(own)]


def _same_bits(found: Sequence[float], wanted: Sequence[float], where: object) -> None:
    """Equal bits, signs of zeros included; numbers that are none are all alike."""
    own, other = np.asarray(found, np.float64), np.asarray(wanted, np.float64)
    differ = (own.view(np.int64) != other.view(np.int64)) & ~(np.isnan(own) & np.isnan(other))
    assert not differ.any(), (where, own[differ], other[differ])


def _evaluated(program: Program) -> Callable[[FloatInputs], Outputs]:
    return lambda inputs: evaluate_program(program, FloatAlgebra(), {name: list(own) for name, own in inputs.items()})


def _flat(
    signature: Signature, function: Callable[[dict[str, list[float]]], Outputs]
) -> Callable[[FloatInputs], Sequence[float]]:
    """A function whose outputs are rows one after another."""

    def evaluated(inputs: FloatInputs) -> list[float]:
        found = function({name: list(own) for name, own in inputs.items()})
        return [row for output in signature.outputs for row in found[output.name]]

    return evaluated
