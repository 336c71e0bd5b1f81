"""The table of contestants: what each one is, what it takes part in, and how it is measured.

Our own C for a task: as ``symdyn generate`` writes it, or of a program that was made otherwise.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass

from symdyn.analysis.compare.casadi_rivals import (
    differentiated_code,
    graph_code,
    jacobian_code,
    plain_graph,
    recursion_graph,
    spatial_graph,
)
from symdyn.analysis.compare.finite_differences import measure_finite_differences
from symdyn.analysis.compare.jax_jet import is_installed as has_jax
from symdyn.analysis.compare.jax_jet import measure_jax_jet
from symdyn.analysis.compare.measurement import Code, Figures, generated_code, measure_code
from symdyn.analysis.compare.tape_time_derivatives import tape_time_derivatives
from symdyn.analysis.compare.task import Kind, Subject, Task
from symdyn.compiler.emit.module import emit_module
from symdyn.compiler.tape.program import Program
from symdyn.description.yaml.write import write_yaml
from symdyn.errors import RequestError
from symdyn.generation import pipeline
from symdyn.interface.distribution import installing
from symdyn.interface.options import RequestOptions
from symdyn.interface.version import VERSION


def symdyn_code(task: Task, layout: str = "auto") -> Code:
    """The function of the catalogue in a layout."""
    options = task.subject.options(task.order)
    return _catalogue_code(task, layout, options)


def spatial_code(task: Task) -> Code:
    """The paper's spatial recursion of all orders, through our passes and our C."""
    options: RequestOptions = {"order": task.order, "formulation": "spatial"}
    return _catalogue_code(task, "auto", options)


def program_code(task: Task, program: Program) -> Code:
    """The C of a program with the signature of the task."""
    files = emit_module(
        (program,),
        robot=task.robot.name,
        version=VERSION,
        target="c",
        load_options=task.robot.load_options(),
        robot_yaml=write_yaml(task.robot.description),
    )
    return generated_code(files, program.signature.function)


def _catalogue_code(task: Task, layout: str, options: RequestOptions) -> Code:
    files = pipeline.sources(task.robot, [task.subject.function], layout=layout, **options)
    return generated_code(files, task.subject.function)


OURS = "symdyn"
LAYOUTS = tuple(f"symdyn-{layout}" for layout in ("unrolled", "split", "rolled", "split-lanes", "rolled-lanes"))
"""symdyn's own layouts, which take part where they are asked for."""

_DERIVED = (Kind.VALUES, Kind.TIME)


@dataclass(frozen=True, slots=True)
class Contestant:
    """A way to compute a task.

    ``name`` is what users write, and ``title`` what figures call it. ``measure`` is called in a process of its own;
    ``kinds`` are what it takes part in; ``available`` tells whether the packages that it needs are installed, and
    ``extra`` how to install them. ``note`` is what a reader of its times has to know at once.
    """

    name: str
    title: str
    sentence: str
    kinds: tuple[Kind, ...]
    measure: Callable[[Task], Figures]
    available: Callable[[], bool] = lambda: True
    extra: str = ""
    note: str = ""


def _compiled(make: Callable[[Task], Code]) -> Callable[[Task], Figures]:
    return lambda task: measure_code(lambda: make(task), task.states)


def _layout(name: str) -> Callable[[Task], Code]:
    return lambda task: symdyn_code(task, name.removeprefix("symdyn-"))


def _autodiff(mode: str) -> Callable[[Task], Code]:
    from symdyn.analysis.compare.autodiff import autodiff_program
    from symdyn.compiler.passes.program.cut import in_pieces
    from symdyn.tracing.layout import PIECE_LENGTH

    return lambda task: program_code(
        task, in_pieces(autodiff_program(task.robot, task.subject.dynamics, mode), PIECE_LENGTH)
    )


CONTESTANTS = {
    entry.name: entry
    for entry in (
        Contestant(OURS, "symdyn", "symdyn, layout auto", tuple(Kind), _compiled(symdyn_code)),
        *(
            Contestant(
                name, *2 * (f"symdyn, layout {name.removeprefix('symdyn-')}",), tuple(Kind), _compiled(_layout(name))
            )
            for name in LAYOUTS
        ),
        Contestant(
            "symdyn-spatial",
            "symdyn, spatial formulation",
            'symdyn with formulation="spatial", layout auto',
            (Kind.TIME,),
            _compiled(spatial_code),
        ),
        Contestant(
            "casadi-recursion-cse",
            "CasADi, the paper's recursion of all orders, with cse",
            "the paper's spatial recursion of all orders as CasADi SX with cse, CasADi's C",
            (Kind.TIME,),
            _compiled(lambda task: graph_code(task, recursion_graph(task), share=True)),
        ),
        Contestant(
            "casadi-spatial",
            "CasADi, spatial recursion, differentiated",
            "the paper's spatial recursion of order 0 in CasADi SX, jtimes once per order, CasADi's C",
            _DERIVED,
            _compiled(lambda task: differentiated_code(task, spatial_graph(task), share=False)),
        ),
        Contestant(
            "casadi-spatial-cse",
            "CasADi, spatial recursion, differentiated with cse",
            "the paper's spatial recursion of order 0 in CasADi SX, jtimes and cse once per order, CasADi's C",
            _DERIVED,
            _compiled(lambda task: differentiated_code(task, spatial_graph(task), share=True)),
        ),
        Contestant(
            "casadi-plain",
            "CasADi, body-frame recursion, differentiated",
            "Featherstone's recursion in body frames in CasADi SX, jtimes once per order, CasADi's C",
            _DERIVED,
            _compiled(lambda task: differentiated_code(task, plain_graph(task), share=False)),
        ),
        Contestant(
            "casadi-plain-cse",
            "CasADi, body-frame recursion, differentiated with cse",
            "Featherstone's recursion in body frames in CasADi SX, jtimes and cse once per order, CasADi's C",
            _DERIVED,
            _compiled(lambda task: differentiated_code(task, plain_graph(task), share=True)),
        ),
        Contestant(
            "tape-ad",
            "symdyn's program, differentiated automatically",
            "forward-mode differentiation of symdyn's own program, once per order, symdyn's passes and C",
            (Kind.TIME,),
            _compiled(lambda task: program_code(task, tape_time_derivatives(task))),
        ),
        Contestant(
            "jax-jet",
            "JAX, jet",
            "jax.experimental.jet of Featherstone's recursion in arrays, jitted for the CPU; timed warm, from Python",
            (Kind.TIME,),
            measure_jax_jet,
            has_jax,
            "jax",
            "timed from Python",
        ),
        Contestant(
            "finite-differences",
            "finite differences of symdyn's code",
            "central differences of symdyn's C of order 0; time of all its evaluations",
            (Kind.TIME,),
            measure_finite_differences,
        ),
        Contestant(
            "tape-forward",
            "symdyn's program, differentiated forward",
            "forward-mode differentiation of symdyn's own program, symdyn's passes and C",
            (Kind.PARTIALS,),
            _compiled(_autodiff("forward")),
        ),
        Contestant(
            "tape-reverse",
            "symdyn's program, differentiated in reverse",
            "reverse-mode differentiation of symdyn's own program, symdyn's passes and C",
            (Kind.PARTIALS,),
            _compiled(_autodiff("reverse")),
        ),
        Contestant(
            "casadi-jacobian",
            "CasADi, jacobian of the body-frame recursion",
            "CasADi's jacobian of Featherstone's recursion in body frames, with cse, CasADi's C",
            (Kind.PARTIALS,),
            _compiled(lambda task: jacobian_code(task, plain_graph(task))),
        ),
    )
}
"""By name; symdyn itself first."""


def find_contestants(subject: Subject, against: Sequence[str] | None) -> tuple[list[Contestant], list[str]]:
    """Who takes part: symdyn, and those asked for or else all rivals.

    Returns
    -------
    The contestants in the order of the table, and a line on each one that is left out.

    Raises
    ------
    RequestError
        An unknown name, one that does not take part, or one whose package is missing.
    """
    fitting = {name: entry for name, entry in CONTESTANTS.items() if subject.kind in entry.kinds}
    rivals = [name for name in fitting if name != OURS]
    for name in against or ():
        if name not in fitting:
            does = "does not compute" if name in CONTESTANTS else "is unknown; there are rivals of"
            raise RequestError(f"rival '{name}' {does} '{subject.function}': {', '.join(rivals)}")
        if not fitting[name].available():
            raise RequestError(f"rival '{name}' is not installed; {installing(fitting[name].extra)}")
    asked = [name for name in rivals if name not in LAYOUTS] if against is None else against
    wanted = [OURS, *(name for name in rivals if name in asked)]
    left_out = [
        f"{name}: not installed; {installing(fitting[name].extra)}" for name in wanted if not fitting[name].available()
    ]
    return [fitting[name] for name in wanted if fitting[name].available()], left_out


def measure(name: str, task: Task) -> Figures:
    """Figures of a contestant at a task: what runs in a process of its own."""
    return CONTESTANTS[name].measure(task)
