"""Functions with their derivatives, as programs that CasADi differentiates with: from plans to programs.

Of a function F there are F, ``jac_F`` and, with second derivatives, ``adj1_F`` and ``jac_adj1_F``. Their arguments are
those that CasADi asks for, in its order. Derivatives are in closed form, or else made from the function's tape.

Arguments as CasADi names and orders them, and where the scalars of row-major arrays lie there.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from typing import TYPE_CHECKING

from symdyn.compiler.tape.pattern import Stored, matrix_shape
from symdyn.errors import RequestError
from symdyn.interface.cpus import find_cpu
from symdyn.interface.signature import HELD_INPUTS, Argument, Option, Signature
from symdyn.interface.targets import CASADI
from symdyn.warning import warn

if TYPE_CHECKING:
    from symdyn.compiler.tape.pattern import Stored
    from symdyn.compiler.tape.program import Program
    from symdyn.compiler.tape.tape import Tape
    from symdyn.functions.differentiated import ByRows
    from symdyn.functions.entry import CatalogueEntry
    from symdyn.functions.request import Request
    from symdyn.interface.cpus import Cpu
    from symdyn.interface.options import GenerateOptions
    from symdyn.model.model import Model


def flat(name: str, size: int) -> Argument:
    """An argument of which the size alone is told."""
    return Argument(name, (size,), (tuple(map(str, range(size))),), ("",), "")


def named(prefix: str, argument: Argument) -> Argument:
    """The argument with something before its name."""
    return replace(argument, name=f"{prefix}{argument.name}")


def given_out(argument: Argument) -> Argument:
    """The input by which CasADi gives what the function gave; nobody reads it."""
    return named("out_", argument)


def seeded(argument: Argument) -> Argument:
    """The input that weighs an output."""
    return named("adj_", argument)


def block(role: str, of: Argument, by: Argument) -> Argument:
    """The derivatives of the scalars of one argument by those of another, each in the order of columns."""
    names = _in_columns(of), _in_columns(by)
    described = f"derivatives of {of.name} by {by.name}"
    return Argument(f"{role}_{of.name}_{by.name}", (of.size, by.size), names, ("",), described)


def _in_columns(argument: Argument) -> tuple[str, ...]:
    order = whole("", argument).to
    names = argument.element_names
    return tuple(names[element] for element in sorted(range(len(order)), key=order.__getitem__))


def whole(buffer: str, argument: Argument) -> Stored:
    """A row-major argument as one matrix by columns."""
    return Stored.matrix(buffer, *matrix_shape(argument.shape))


def derivatives(buffer: str, of: Argument, by: Argument, transposed: bool) -> Stored:
    """A row-major matrix (of, by), or its transpose, whose rows and columns are put in the order of columns."""
    rows, columns = whole("", of).to, whole("", by).to
    if transposed:
        to = [column * of.size + row for column in columns for row in rows]
    else:
        to = [column * of.size + row for row in rows for column in columns]
    return Stored(buffer, of.size, by.size, tuple(to))


TAPE_UP_TO = 4000
"""Instructions up to which derivatives that are not known in closed form are made from the function's tape."""

_DESCRIBED = {
    "jac": "Jacobians",
    "adj1": "Gradient of the weighed outputs",
    "jac_adj1": "Jacobians of the gradient of the weighed outputs",
}
_WEIGHED = "weighed"


@dataclass(frozen=True, slots=True)
class _Found:
    """A program before its arguments are stored by columns.

    ``blocks`` holds per pair (of, by) the output that has these derivatives, and whether it is transposed; ``named``
    what inputs are called in the program where that is otherwise.
    """

    program: Program
    blocks: Mapping[tuple[str, str], tuple[str, bool]]
    named: Mapping[str, str] = field(default_factory=dict)


def with_derivatives(model: Model, options: GenerateOptions) -> Iterator[Program]:
    """The programs of what was asked for, each function followed by its derivatives.

    Raises
    ------
    RequestError
        Numbers of another type than float64.
    """
    from symdyn.functions.catalogue import chosen

    if options.dtype not in CASADI.dtypes:
        raise RequestError(f"CasADi computes with float64, got dtype '{options.dtype}'; leave dtype out")
    cpu = find_cpu(options.cpu)
    for entry, request in chosen(model, options):
        yield from _Differentiated(model, entry, request, options.layout, cpu).programs(bool(options.hessian))


class _Differentiated:
    """One function and what is made of it."""

    def __init__(self, model: Model, entry: CatalogueEntry, request: Request, layout: str, cpu: Cpu) -> None:
        from symdyn.functions.differentiated import value_by_rows

        self.asked = model, entry, request
        self.layout, self.cpu = layout, cpu
        made = value_by_rows(*self.asked)
        self.signature = made.signature
        self.value = self._traced(made)

    def programs(self, hessian: bool) -> Iterator[Program]:
        """F, then those of its derivatives that there are."""
        first = self._first()
        gradient, second = self._second() if hessian and first is not None else (None, None)
        held = self._held(first, second)
        options: dict[str, Option] = {**self.signature.options, **({HELD_INPUTS: held} if held else {})}
        outs = {own.name: whole(own.name, own) for own in self.signature.outputs}
        yield self._stored(_Found(self.value, {}), replace(self.signature, options=options), outs, dense=True)
        if first is not None:
            yield self._jacobian(first)
        if first is not None and gradient is not None and second is not None:
            yield self._gradient(gradient)
            yield self._jacobian_of_gradient(second)

    def _first(self) -> _Found | None:
        from symdyn.functions.differentiated import jacobian_by_rows

        made = jacobian_by_rows(*self.asked)
        tape = self._tape("first derivatives", made)
        if tape is None:
            return None if made is None else self._closed(made)
        ins, outs = self.signature.inputs, self.signature.outputs
        return self._differentiated(tape, [own.name for own in outs], [own.name for own in ins], {})

    def _second(self) -> tuple[_Found | None, _Found | None]:
        from symdyn.compiler.autodiff.jacobian import jacobian
        from symdyn.compiler.autodiff.weighted import weighted_sum
        from symdyn.compiler.passes.pipeline import simplify_tape
        from symdyn.functions.differentiated import gradient_by_rows, second_by_rows

        gradient, second = gradient_by_rows(*self.asked), second_by_rows(*self.asked)
        tape = self._tape("second derivatives", gradient)
        if tape is None:
            return (self._closed(gradient), self._closed(second)) if gradient and second else (None, None)
        seeds = {own.name: f"adj_{own.name}" for own in self.signature.outputs}
        names = [own.name for own in self.signature.inputs]
        weighed = weighted_sum(tape, seeds, _WEIGHED)
        slopes = simplify_tape(jacobian(weighed, [_WEIGHED], names, "reverse"))
        given = {f"d{_WEIGHED}_d{name}": name for name in names}
        found = _Found(self._of_tape(slopes), {("", name): (port, False) for port, name in given.items()})
        return found, self._differentiated(slopes, list(given), [*names, *seeds.values()], given)

    def _closed(self, made: ByRows) -> _Found:
        """Derivatives in closed form, which have names of their own for weights."""
        seeds = {weights: f"adj_{of}" for weights, of in made.weighed.items()}
        blocks = {(of, seeds.get(by, by)): found for (of, by), found in made.blocks.items()}
        return _Found(self._traced(made), blocks, {seed: weights for weights, seed in seeds.items()})

    def _tape(self, what: str, closed: ByRows | None) -> Tape | None:
        """The function as one line that is to be differentiated; None where the closed form is by all inputs.

        None also where it is too long, with a warning if there is no closed form.
        """
        from symdyn.compiler.passes.pipeline import simplify_tape
        from symdyn.compiler.passes.program.flatten import flatten

        name = self.signature.function
        if closed is not None and {by for _, by in closed.blocks} >= {own.name for own in self.signature.inputs}:
            return None
        tape = simplify_tape(flatten(self.value))
        if len(tape.ops) <= TAPE_UP_TO:
            return tape
        if closed is None:
            warn(
                f"CasADi gets no {what} of {name}: they are not known in closed form, and its {len(tape.ops)} "
                f"instructions are more than the {TAPE_UP_TO} that are differentiated one by one"
            )
        return None

    def _differentiated(
        self, tape: Tape, outputs: Sequence[str], inputs: Sequence[str], names: Mapping[str, str]
    ) -> _Found:
        """The derivatives of a tape; ``names`` says what its outputs are called in blocks."""
        from symdyn.compiler.autodiff.jacobian import jacobian

        sizes = {port.name: port.width for port in (*tape.inputs, *tape.outputs)}
        wide = sum(sizes[name] for name in inputs) > sum(sizes[name] for name in outputs)
        made = jacobian(tape, outputs, inputs, "reverse" if wide else "forward")
        blocks = {(names.get(of, of), by): (f"d{of}_d{by}", False) for of in outputs for by in inputs}
        return _Found(self._of_tape(made), blocks)

    def _traced(self, made: ByRows) -> Program:
        from symdyn.compiler.passes.pipeline import optimise
        from symdyn.tracing.layout import trace

        return trace(made.plan, made.signature, self.layout, optimise, CASADI, self.cpu)

    def _of_tape(self, tape: Tape) -> Program:
        from symdyn.compiler.passes.pipeline import optimise
        from symdyn.tracing.layout import one_line

        known = self._known
        outputs = tuple(flat(port.name, port.width) for port in tape.outputs)
        signature = replace(self.signature, inputs=tuple(known[port.name] for port in tape.inputs), outputs=outputs)
        return one_line(tape, signature, optimise)

    def _held(self, first: _Found | None, second: _Found | None) -> tuple[str, ...]:
        """The inputs by which no derivatives are known, with a warning: CasADi takes those derivatives as zero."""
        if first is None:
            return ()
        simple = {by for _, by in first.blocks}
        known = simple if second is None else simple & {of for of, _ in second.blocks}
        held = tuple(own.name for own in self.signature.inputs if own.name not in known)
        if held:
            first_ones = ", ".join(sorted(simple.intersection(held)))
            warn(
                f"CasADi gets no derivatives of {self.signature.function} by {', '.join(held)} and takes them as zero: "
                f"no closed form is by all inputs, and more than {TAPE_UP_TO} instructions are not differentiated. Do "
                "not optimise over these inputs, or take symdyn.symbolic"
                + (f"; without hessian there are first ones by {first_ones}" if first_ones else "")
            )
        return held

    def _jacobian(self, found: _Found) -> Program:
        ins, outs = self.signature.inputs, self.signature.outputs
        return self._blocks("jac", (*ins, *map(given_out, outs)), found, outs, ins)

    def _gradient(self, found: _Found) -> Program:
        ins = self.signature.inputs
        signature = self._derivative("adj1", self._weighed, [named("adj_", own) for own in ins])
        stored = {f"adj_{by}": whole(buffer, self._known[by]) for (_, by), (buffer, _) in found.blocks.items()}
        return self._stored(found, signature, stored, dense=True)

    def _jacobian_of_gradient(self, found: _Found) -> Program:
        ins = self.signature.inputs
        given = (*self._weighed, *(named("out_adj_", own) for own in ins))
        return self._blocks("jac_adj1", given, found, ins, self._weighed)

    @property
    def _weighed(self) -> tuple[Argument, ...]:
        """The inputs of a gradient."""
        outs = self.signature.outputs
        return (*self.signature.inputs, *map(given_out, outs), *map(seeded, outs))

    @property
    def _known(self) -> dict[str, Argument]:
        """All by which is differentiated, and what is."""
        return {own.name: own for own in (*self._weighed, *self.signature.outputs)}

    def _blocks(
        self, role: str, inputs: Sequence[Argument], found: _Found, of: Sequence[Argument], by: Sequence[Argument]
    ) -> Program:
        """The program of all pairs of derivatives, of which those that are not found are zero."""
        outputs = [block(role, y, x) for y in of for x in by]
        known, stored = self._known, {}
        for (y, x), (buffer, transposed) in found.blocks.items():
            stored[f"{role}_{y}_{x}"] = derivatives(buffer, known[y], known[x], transposed)
        return self._stored(found, self._derivative(role, inputs, outputs), stored)

    def _derivative(self, role: str, inputs: Sequence[Argument], outputs: Sequence[Argument]) -> Signature:
        own = self.signature
        return replace(
            own,
            function=f"{role}_{own.function}",
            inputs=tuple(inputs),
            outputs=tuple(outputs),
            description=f"{_DESCRIBED[role]} of {own.function}.",
        )

    def _stored(
        self, found: _Found, signature: Signature, outputs: Mapping[str, Stored], dense: bool = False
    ) -> Program:
        """A program by columns. CasADi wants gradients stored as inputs are, and weights as outputs: dense."""
        from symdyn.compiler.passes.pipeline import finish
        from symdyn.compiler.passes.program.store_by_columns import stored_by_columns

        read = {own.name: own for own in found.program.signature.inputs}
        names = {own.name: own.name if own.name in read else found.named.get(own.name, "") for own in signature.inputs}
        inputs = {new: whole(old, read[old]) for new, old in names.items() if old}
        return finish(stored_by_columns(found.program, signature, inputs, outputs, dense))
