"""Steps of plans of costs: residuals of rows and rates, their weights, and what columns of slopes add."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from symdyn.algebra.scalars.algebra import Algebra, Scalar
from symdyn.algebra.scalars.dual import DualAlgebra
from symdyn.algebra.spatial.vectors import dot, scale, subtract
from symdyn.dynamics.tree.bindings import Reads, Writes
from symdyn.model.joints import JointModel
from symdyn.plan.plan import Mode, Port, Step


def _difference(_: None, __: Algebra, ___: Mapping[str, Scalar], reads: Reads) -> Writes:
    """Step per term: how far rows are from their references."""
    return {"e": subtract(reads["rows"], reads["target"])}


def _coordinate_error(
    own: tuple[JointModel, bool, bool], algebra: Algebra, _: Mapping[str, Scalar], reads: Reads
) -> Writes:
    """Step per joint: ``q (-) q_ref``, and its changes along rows of v where these are not its own.

    Quaternions of references that are given at run time may have any length.
    """
    kind, sloped, given = own
    target = list(reads["target"])
    if given and kind.quaternion:
        target[-4:] = scale(1.0 / algebra.function("sqrt", dot(target[-4:], target[-4:])), target[-4:])
    found: dict[str, Sequence[Scalar]] = {"e": kind.rows_between(algebra, target, reads["q"])}
    if sloped:
        moves = kind.rates(algebra, reads["q"])
        over = DualAlgebra(algebra)
        q = [over.dual(entry, dict(enumerate(row))) for entry, row in zip(reads["q"], moves, strict=True)]
        ends = kind.rows_between(over, target, q)
        found["slopes"] = [over.slope(entry, column) for entry in ends for column in range(len(moves[0]))]
    return found


def _weigh(own: tuple[float, float | None, bool], algebra: Algebra, _: Mapping[str, Scalar], reads: Reads) -> Writes:
    """Step per term: what it adds to the cost, and the weights of its rows in gradient and Hessian."""
    factor, huber, sloped = own
    e, W = reads["e"], reads["diagonal"]
    weighed = [weight * entry for weight, entry in zip(W, e, strict=True)]
    s, c = dot(weighed, e), reads["weight"][0] * factor
    if huber is None:
        value, scaled = 0.5 * s, c
    else:
        square = algebra.constant(huber * huber)
        far = algebra.compare("less", square, s)
        root = algebra.function("sqrt", algebra.select(far, s, square))
        value = algebra.select(far, huber * root - 0.5 * square, 0.5 * s)
        scaled = c * (huber / root)
    found: dict[str, Sequence[Scalar]] = {"l": [c * value]}
    if sloped:
        found |= {"pull": [scaled * entry for entry in weighed], "stiff": [scaled * weight for weight in W]}
    return found


def _column(_: None, __: Algebra, ___: Mapping[str, Scalar], reads: Reads) -> Writes:
    """Step per residual and row of v that moves its frame: an entry of the gradient, and a column of W J."""
    column = reads["column"]
    stiff = [weight * entry for weight, entry in zip(reads["stiff"], column, strict=True)]
    return {"gradient": [dot(reads["pull"], column)], "scaled": stiff}


def _entry(_: None, __: Algebra, ___: Mapping[str, Scalar], reads: Reads) -> Writes:
    """Step per residual and pair of rows: an entry of J^T W J, above the diagonal and below."""
    return {"entry": [dot(reads["scaled"], reads["column"])]}


def _pair(_: None, __: Algebra, ___: Mapping[str, Scalar], reads: Reads) -> Writes:
    found = [dot(reads["scaled"], reads["column"])]
    return {"entry": found, "other": found}


def _rate(h: float, _: Algebra, __: Mapping[str, Scalar], reads: Reads) -> Writes:
    """Step per term of changes of inputs."""
    return {"e": scale(1.0 / h, subtract(reads["rows"], reads["before"]))}


def _of_rate(own: tuple[float, bool], _: Algebra, __: Mapping[str, Scalar], reads: Reads) -> Writes:
    """Step per term of changes of inputs: what it adds by inputs, and by those of the step before."""
    h, curved = own
    pull, stiff = scale(1.0 / h, reads["pull"]), scale(1.0 / h / h, reads["stiff"])
    less = [-entry for entry in stiff]
    found = {"u": pull, "b": [-entry for entry in pull]}
    return found | ({"uu": stiff, "bb": stiff, "ub": less} if curved else {})


def _add(_: None, __: Algebra, ___: Mapping[str, Scalar], reads: Reads) -> Writes:
    """Step per row of a block of second derivatives."""
    return {"row": reads["more"]}


def _even(apart: bool, _: Algebra, __: Mapping[str, Scalar], reads: Reads) -> Writes:
    """Step per pair of rows: the mean of the two orders of second derivatives."""
    found = [0.5 * (reads["below"][0] + reads["above"][0])]
    return {"entry": found, "other": found} if apart else {"entry": found}


def _one(_: None, __: Algebra, ___: Mapping[str, Scalar], ____: Reads) -> Writes:
    return {"seed": [1.0]}


def _own_rows(curved: bool, _: Algebra, __: Mapping[str, Scalar], reads: Reads) -> Writes:
    """Step per residual that changes as its rows do."""
    return {"gradient": reads["pull"]} | ({"diagonal": reads["stiff"]} if curved else {})


def _block_row(own: tuple[int, int, bool], _: Algebra, __: Mapping[str, Scalar], reads: Reads) -> Writes:
    """Step per row of a joint whose residual turns: its entry of the gradient, and its row of J^T W J."""
    row, size, curved = own
    slopes, stiff = reads["slopes"], reads["stiff"]
    columns = [slopes[place::size] for place in range(size)]
    mine = [weight * entry for weight, entry in zip(stiff, columns[row], strict=True)]
    found = {"gradient": [dot(reads["pull"], columns[row])]}
    return found | ({"row": [dot(mine, column) for column in columns]} if curved else {})


def _step(name: str, kernel: object, read: str, write: str = "", add: str = "") -> Step:
    modes = ((Mode.READ, read), (Mode.WRITE, write), (Mode.ADD, add))
    return Step(name, kernel, tuple(Port(port, mode) for mode, ports in modes for port in ports.split()))  # type: ignore[arg-type]


DIFFERENCE = _step("row_difference", _difference, "rows target", "e")
COORDINATE = _step("coordinate_error", _coordinate_error, "q target", "e slopes")
WEIGH = _step("weigh_residual", _weigh, "e diagonal weight", "pull stiff", "l")
COLUMN = _step("cost_column", _column, "pull stiff column", "scaled", "gradient")
ENTRY = _step("cost_entry", _entry, "scaled column", "", "entry")
PAIR = _step("cost_pair", _pair, "scaled column", "", "entry other")
OWN = _step("cost_of_rows", _own_rows, "pull stiff", "", "gradient diagonal")
RATE = _step("input_rate", _rate, "rows before", "e")
OF_RATE = _step("cost_of_rate", _of_rate, "pull stiff", "", "u b uu bb ub")
BEGIN = _step("seed_gradient", _one, "", "seed")
EVEN = _step("even_second_derivatives", _even, "below above", "", "entry other")
ADD = _step("add_block", _add, "more", "", "row")
BLOCK = _step("cost_of_joint", _block_row, "slopes pull stiff", "", "gradient row")
