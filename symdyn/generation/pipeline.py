"""From a robot to programs, source files and built modules: the steps behind ``api.generate`` and ``api.compile``."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from dataclasses import replace
from typing import TYPE_CHECKING, Any, Unpack

from symdyn.errors import ModelError, RequestError
from symdyn.generation.called_functions import frames_shown, solving_of, state_space, stepping_of, with_called
from symdyn.interface.guesses import hint
from symdyn.interface.options import GenerateOptions, RequestOptions
from symdyn.interface.targets import DTYPES, find_target
from symdyn.interface.uncollected import uncollected
from symdyn.robot.robot import Robot
from symdyn.warning import heard, warn

if TYPE_CHECKING:
    from symdyn.compiler.emit.source import SourceFile
    from symdyn.compiler.tape.program import Program
    from symdyn.functions.entry import CatalogueEntry
    from symdyn.functions.request import Request
    from symdyn.interface.manifest import Manifest
    from symdyn.model.model import Model
    from symdyn.plan.plan import Plan
    from symdyn.toolchain.compile import Built
    from symdyn.toolchain.module import Module

_LONG = 2_000_000
"""Bytes of C with second derivatives from which on there is a warning: an arm of two joints has 0.1 MB."""


def programs(
    robot: Robot,
    functions: Sequence[str],
    layout: str = "auto",
    dtype: str = "float64",
    target: str = "c",
    cpu: str | None = None,
    **asked: Unpack[RequestOptions],
) -> tuple[Program, ...]:
    """The optimised and verified programs of some functions, before any back end.

    For a ``target`` without vectors the layout ``auto`` leaves limbs one after the other.

    Raises
    ------
    ModelError
        The robot has no such function, as forward dynamics where nothing resists a joint.
    RequestError
        A function, layout, dtype or option that the catalogue does not offer.
    """
    from symdyn.compiler.tape.verify import verify_program

    options = GenerateOptions.checked(functions, layout=layout, dtype=dtype, target=target, cpu=cpu, **asked)
    return tuple(map(verify_program, traced(robot, options)))


def traced(robot: Robot, options: GenerateOptions) -> Iterator[Program]:
    """Optimised programs that nobody has verified yet; back ends do it on their own account."""
    from symdyn.compiler.passes.pipeline import finish, optimise
    from symdyn.functions.catalogue import chosen
    from symdyn.interface.cpus import find_cpu
    from symdyn.tracing.layout import trace

    options = settled(options)
    if options.dtype not in DTYPES:
        raise RequestError(
            f"dtype '{options.dtype}' is unknown; choose one of {', '.join(DTYPES)}{hint(options.dtype, DTYPES)}"
        )
    if find_target(options.target).opened_by:
        from symdyn.generation.casadi_functions import with_derivatives

        with _named(robot):
            yield from with_derivatives(robot.model, options)
        return
    for entry, request in chosen(robot.model, with_called(robot, options)):
        model = chosen_model(robot, entry, request)
        plan, signature = planned(robot, model, entry, request), entry.signature(model, request)
        target, cpu = find_target(options.target), find_cpu(options.cpu)
        program = finish(trace(plan, signature, options.layout, optimise, target, cpu, options.dtype))
        yield program if options.dtype == "float64" else program.with_dtype(options.dtype)


def settled(options: GenerateOptions) -> GenerateOptions:
    """The options with the name of this machine's processor in place of ``native``, so that a folder records it."""
    from symdyn.interface.cpus import NATIVE

    if options.cpu != NATIVE:
        return options
    from symdyn.toolchain.native_cpu import native_cpu

    return replace(options, cpu=native_cpu())


def planned(robot: Robot, model: Model, entry: CatalogueEntry, request: Request) -> Plan:
    """The plan of a function for a model of the robot.

    Raises
    ------
    ModelError
        The robot has no such function; the message starts with its file.
    """
    with _named(robot):
        return entry.plan(model, request)


def chosen_model(robot: Robot, entry: CatalogueEntry, request: Request) -> Model:
    """The robot's model as a function has it: with inertia from run-time parameters regrouped where that pays.

    Raises
    ------
    ModelError
        The robot has no such function; the message starts with its file.
    """
    from symdyn.functions.parameter_regrouping import with_cheapest_regrouping

    with _named(robot):
        return with_cheapest_regrouping(robot.model, entry, request)


@contextmanager
def _named(robot: Robot) -> Iterator[None]:
    """Puts the robot's file before what does not fit the robot."""
    try:
        yield
    except ModelError as failure:
        raise ModelError(f"{robot.description.source or robot.name}: {failure}") from None


def sources(
    robot: Robot,
    functions: Sequence[str],
    target: str = "c",
    layout: str = "auto",
    dtype: str = "float64",
    cpu: str | None = None,
    **asked: Unpack[RequestOptions],
) -> tuple[SourceFile, ...]:
    """All files of a generated module, without writing them."""
    options = GenerateOptions.checked(functions, target=target, layout=layout, dtype=dtype, cpu=cpu, **asked)
    return generated(robot, options)


def generated(robot: Robot, options: GenerateOptions) -> tuple[SourceFile, ...]:
    """As :func:`sources`, for what was asked in one record."""
    refuse_name(options)
    options = settled(options)
    with uncollected():
        return emitted(robot, tuple(traced(robot, options)), options)


def emitted(robot: Robot, programs: Sequence[Program], options: GenerateOptions) -> tuple[SourceFile, ...]:
    """All files of a generated module, from the programs of its functions and the record of what was asked."""
    from symdyn.compiler.emit.module import emit_module
    from symdyn.interface.version import VERSION

    return emit_module(
        tuple(programs),
        robot=robot.name,
        version=VERSION,
        target=options.target,
        load_options=robot.load_options(),
        robot_yaml=robot.to_yaml(),
        asked=options.record(),
        stepping=stepping_of(robot, options),
        solving=solving_of(robot, options),
        name=options.name,
        frames=frames_shown(robot, programs),
        state=state_space(robot) if find_target(options.target).tells_start else None,
        rows=(robot.nq, robot.nv),
    )


def refuse_name(options: GenerateOptions) -> None:
    """Raise a RequestError for a name that is no identifier, before any work."""
    from symdyn.compiler.emit.names import chosen_identifier

    if options.name is not None:
        chosen_identifier(options.name)


def build(
    robot: Robot,
    functions: Sequence[str],
    target: str = "c",
    layout: str = "auto",
    dtype: str = "float64",
    lanes: bool = True,
    cpu: str | None = None,
    **asked: Unpack[RequestOptions],
) -> tuple[Built | None, Module]:
    """As ``symdyn.compile``, with the record of the build (None for the targets that need no compiler)."""
    options = GenerateOptions.checked(functions, target=target, layout=layout, dtype=dtype, cpu=cpu, **asked)
    return built(robot, options, lanes)


def built(robot: Robot, options: GenerateOptions, lanes: bool = True) -> tuple[Built | None, Module]:
    """As :func:`build`, for what was asked in one record; what was built before is not generated again."""
    with uncollected():
        return _built(robot, options, lanes)


def _built(robot: Robot, options: GenerateOptions, lanes: bool) -> tuple[Built | None, Module]:
    from symdyn.toolchain import cache
    from symdyn.toolchain.compile_and_load import compile_and_load
    from symdyn.toolchain.opened import keep_and_open

    options = settled(options)
    if not find_target(options.target).is_compiled:
        files = _to_build(robot, options, lanes)
        return None, keep_and_open(files, _manifest(files))
    cache.root()  # where none can be used, this is said before anything takes time
    files = _to_build(robot, options, lanes)
    manifest = _manifest(files)
    if not find_target(options.target).has_c:
        return compile_and_load(files, manifest)
    manifest = manifest if lanes else replace(manifest, lane_sources=())
    return compile_and_load(files, manifest, glue=files[-2:], later=lanes)


def _to_build(robot: Robot, options: GenerateOptions, lanes: bool) -> tuple[SourceFile, ...]:
    """All files of a module, from the cache where they were made before; of one in C its extension is the last two.

    Those that came with a warning are made again, so that it is told again.
    """
    from symdyn.toolchain import remembered

    address = remembered.address(_asked(robot, options, lanes))
    files = remembered.recall(address)
    if files is None:
        import logging  # what was made before is found without it

        logging.getLogger("symdyn").info("generating %s of %s", ", ".join(options.functions), robot.name)
        with heard() as warned:
            files = generated(robot, options)
        if find_target(options.target).has_c:
            files = (*files, *_extension(files, lanes))
        if not warned:
            remembered.remember(address, files)
        _warn_if_long(files, options)
    return files


def _warn_if_long(files: Sequence[SourceFile], options: GenerateOptions) -> None:
    """Tell of second derivatives that take a compiler a minute and more, before it begins, and what is cheaper."""
    size = sum(len(file.text) for file in files if file.path.endswith(".c"))
    if not options.hessian or size < _LONG:
        return
    partials = "_partials"
    of = ", ".join(f"'{name.removesuffix(partials)}'" for name in options.functions if name.endswith(partials))
    cheaper = f"ask for {of} with hessian=True, of which these partials are the Jacobian, or " if of else ""
    warn(
        f"{', '.join(options.functions)} with hessian=True is {size / 1e6:.1f} MB of C, which takes a compiler a "
        f"minute and more; {cheaper}leave hessian out, and let IPOPT approximate it by limited-memory"
    )


def _asked(robot: Robot, options: GenerateOptions, lanes: bool) -> tuple[str, ...]:
    """All that decides the files of a module, but symdyn itself and what it rests on."""
    return robot.name, robot.to_yaml(), repr(robot.load_options()), repr(options), repr(lanes)


def _extension(files: Sequence[SourceFile], lanes: bool) -> tuple[SourceFile, SourceFile]:
    from symdyn.compiler.emit.extension import emit_extension

    manifest = _manifest(files)
    return emit_extension(manifest if lanes else replace(manifest, lane_sources=()), later=lanes)


def _manifest(files: Sequence[SourceFile]) -> Manifest:
    from symdyn.interface.manifest import FILE_NAME, Manifest

    return Manifest.from_json(next(file.text for file in files if file.path == FILE_NAME))


def float_recursion(robot: Robot, function: str, **asked: Unpack[RequestOptions]) -> Any:
    """The recursion run on Python floats, slow and obvious: ``call(inputs by name) -> outputs by name``, flat."""
    from symdyn.algebra.scalars.floats import FloatAlgebra
    from symdyn.functions.catalogue import requests
    from symdyn.plan.run import run_plan

    ((entry, request),) = requests(robot.model, [function], **asked)
    plan = planned(robot, robot.model, entry, request)
    return lambda inputs: run_plan(plan, FloatAlgebra(), inputs)


def array_recursion(robot: Robot, function: str, **asked: Unpack[RequestOptions]) -> Any:
    """The recursion run once for many states: ``call(inputs by name) -> outputs by name``, arrays (n, size).

    An input with one row is that of all states.
    """
    from symdyn.algebra.scalars.array_floats import ArrayAlgebra
    from symdyn.functions.catalogue import requests
    from symdyn.plan.many import run_many

    ((entry, request),) = requests(robot.model, [function], **asked)
    plan = planned(robot, robot.model, entry, request)
    return lambda inputs: run_many(plan, ArrayAlgebra(), inputs)


def cost(robot: Robot, functions: Sequence[str], **options: Any) -> dict[str, dict[str, int]]:
    """Operations of each function by kind, and their ``total`` in the project's counting."""
    from symdyn.compiler.tape.tape import operation_total

    return {
        program.signature.function: {
            **dict(sorted(program.counts().items())),
            "total": operation_total(program.counts()),
        }
        for program in programs(robot, functions, **options)
    }


def with_options(robot: Robot, **changes: Any) -> Robot:
    """The same robot with some load options changed, without warning again."""
    from symdyn.dynamics.loops.redundancy import without_redundant_rows
    from symdyn.model.build import build_model

    options = replace(robot.options, **changes)
    model = without_redundant_rows(build_model(robot.description, options))
    return Robot(robot.description, options, model, robot.mesh_folders)
