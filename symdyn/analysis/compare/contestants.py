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
    solved_graph,
    spatial_graph,
    weighted_code,
)
from symdyn.analysis.compare.finite_differences import measure_finite_differences
from symdyn.analysis.compare.heyoka_jets import is_installed as has_heyoka
from symdyn.analysis.compare.heyoka_jets import measure_heyoka
from symdyn.analysis.compare.jax_jet import is_installed as has_jax
from symdyn.analysis.compare.jax_jet import measure_jax_jet
from symdyn.analysis.compare.measurement import Code, Figures, generated_code, measure_code
from symdyn.analysis.compare.tape_time_derivatives import tape_time_derivatives
from symdyn.analysis.compare.task import DYNAMICS, MATRICES, Kind, Subject, Task
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
    """A way to compute a task: the one declaration of a rival, for ``compare`` and for the benchmarks.

    ``name`` is what users write, and ``title`` what figures call it. ``kinds`` and ``functions`` are what it takes part
    in. ``code`` makes its C; one without C has ``timed`` instead, which measures it. ``available`` tells whether the
    packages that it needs are installed, and ``extra`` how to install them. ``note`` is what a reader of its times has
    to know at once.
    """

    name: str
    title: str
    sentence: str
    kinds: tuple[Kind, ...]
    code: Callable[[Task], Code] | None = None
    functions: tuple[str, ...] = DYNAMICS
    timed: Callable[[Task], Figures] | None = None
    available: Callable[[], bool] = lambda: True
    extra: str = ""
    note: str = ""

    def fits(self, subject: Subject) -> bool:
        """Whether it computes a subject."""
        return subject.kind in self.kinds and subject.dynamics in self.functions

    def measure(self, task: Task) -> Figures:
        """Its figures at a task."""
        code, timed = self.code, self.timed
        if code is not None:
            return measure_code(lambda: code(task), task.states)
        assert timed is not None, self.name
        return timed(task)


def _layout(name: str) -> Callable[[Task], Code]:
    return lambda task: symdyn_code(task, name.removeprefix("symdyn-"))


def _autodiff(mode: str) -> Callable[[Task], Code]:
    from symdyn.analysis.compare.autodiff import autodiff_program
    from symdyn.compiler.passes.program.cut import in_pieces
    from symdyn.tracing.layout import PIECE_LENGTH

    return lambda task: program_code(
        task, in_pieces(autodiff_program(task.robot, task.subject.dynamics, mode), PIECE_LENGTH)
    )


_ALL = (*DYNAMICS, *MATRICES)

CONTESTANTS = {
    entry.name: entry
    for entry in (
        Contestant(OURS, "symdyn", "symdyn, layout auto", tuple(Kind), symdyn_code, _ALL),
        *(
            Contestant(name, *2 * (f"symdyn, layout {name.removeprefix('symdyn-')}",), tuple(Kind), _layout(name), _ALL)
            for name in LAYOUTS
        ),
        Contestant(
            "symdyn-spatial",
            "symdyn, spatial formulation",
            'symdyn with formulation="spatial", layout auto',
            (Kind.TIME,),
            spatial_code,
        ),
        Contestant(
            "casadi-recursion-cse",
            "CasADi, the paper's recursion of all orders, with cse",
            "the paper's spatial recursion of all orders as CasADi SX with cse, CasADi's C",
            (Kind.TIME,),
            lambda task: graph_code(task, recursion_graph(task), share=True),
        ),
        Contestant(
            "casadi-spatial",
            "CasADi, spatial recursion, differentiated",
            "the paper's spatial recursion of order 0 in CasADi SX, jtimes once per order, CasADi's C",
            _DERIVED,
            lambda task: differentiated_code(task, spatial_graph(task), share=False),
        ),
        Contestant(
            "casadi-spatial-cse",
            "CasADi, spatial recursion, differentiated with cse",
            "the paper's spatial recursion of order 0 in CasADi SX, jtimes and cse once per order, CasADi's C",
            _DERIVED,
            lambda task: differentiated_code(task, spatial_graph(task), share=True),
        ),
        Contestant(
            "casadi-plain",
            "CasADi, body-frame recursion, differentiated",
            "Featherstone's recursion in body frames in CasADi SX, jtimes once per order, CasADi's C",
            _DERIVED,
            lambda task: differentiated_code(task, plain_graph(task), share=False),
        ),
        Contestant(
            "casadi-plain-cse",
            "CasADi, body-frame recursion, differentiated with cse",
            "Featherstone's recursion in body frames in CasADi SX, jtimes and cse once per order, CasADi's C",
            _DERIVED,
            lambda task: differentiated_code(task, plain_graph(task), share=True),
        ),
        Contestant(
            "casadi-matrix",
            "CasADi, composite or articulated bodies",
            "the mass matrix by composite bodies, its inverse by articulated bodies, CasADi SX with cse, CasADi's C",
            (Kind.VALUES,),
            lambda task: graph_code(task, plain_graph(task), share=True),
            MATRICES,
        ),
        Contestant(
            "casadi-solved",
            "CasADi, mass matrix factored along branches, differentiated with cse",
            "M a = tau - bias by the sparse L^T D L of M in CasADi SX, jtimes and cse once per order, CasADi's C",
            _DERIVED,
            lambda task: differentiated_code(task, solved_graph(task), share=True),
            DYNAMICS[1:],
        ),
        Contestant(
            "tape-ad",
            "symdyn's program, differentiated automatically",
            "forward-mode differentiation of symdyn's own program, once per order, symdyn's passes and C",
            (Kind.TIME,),
            lambda task: program_code(task, tape_time_derivatives(task)),
        ),
        Contestant(
            "jax-jet",
            "JAX, jet",
            "jax.experimental.jet of Featherstone's recursion in arrays, jitted for the CPU; timed warm, from Python",
            (Kind.TIME,),
            timed=measure_jax_jet,
            available=has_jax,
            extra="jax",
            note="timed from Python",
        ),
        Contestant(
            "jax-nested-jet",
            "JAX, nested jets",
            "jets of order one nested in each other, of the same recursion in JAX; timed warm, from Python",
            (Kind.TIME,),
            timed=lambda task: measure_jax_jet(task, nested=True),
            available=has_jax,
            extra="jax",
            note="timed from Python",
        ),
        Contestant(
            "heyoka",
            "heyoka, Taylor jets",
            "Taylor jets of Featherstone's recursion by heyoka's compiler; time of a step of its integrator",
            (Kind.TIME,),
            timed=measure_heyoka,
            available=has_heyoka,
            extra="heyoka",
            note="time of a step",
        ),
        Contestant(
            "finite-differences",
            "finite differences of symdyn's code",
            "central differences of symdyn's C of order 0; time of all its evaluations",
            (Kind.TIME,),
            timed=measure_finite_differences,
        ),
        Contestant(
            "tape-forward",
            "symdyn's program, differentiated forward",
            "forward-mode differentiation of symdyn's own program, symdyn's passes and C",
            (Kind.PARTIALS,),
            _autodiff("forward"),
        ),
        Contestant(
            "tape-reverse",
            "symdyn's program, differentiated in reverse",
            "reverse-mode differentiation of symdyn's own program, symdyn's passes and C",
            (Kind.PARTIALS,),
            _autodiff("reverse"),
        ),
        Contestant(
            "casadi-jacobian",
            "CasADi, jacobian of the body-frame recursion",
            "CasADi's jacobian of Featherstone's recursion in body frames, with cse, CasADi's C",
            (Kind.PARTIALS,),
            lambda task: jacobian_code(task, plain_graph(task)),
        ),
        Contestant(
            "casadi-weighted",
            "CasADi, gradient or Hessian of the weighted recursion",
            "CasADi's gradient or Hessian of weighted results of the shortest plain recursion, with cse, CasADi's C",
            (Kind.ADJOINT, Kind.HESSIAN),
            weighted_code,
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
    fitting = {name: entry for name, entry in CONTESTANTS.items() if entry.fits(subject)}
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
