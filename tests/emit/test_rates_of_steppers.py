"""Statements of steppers that make q' of q and v, and quaternions of length one, read as Python and beside matrices."""

from __future__ import annotations

import math
import re
from dataclasses import replace

import numpy as np
import pytest
from support.oracles.steppers import rates

from symdyn.emit.steppers.coordinates import normalise_lines, quaternion_rows, rate_lines
from symdyn.emit.steppers.spelling import spelling
from symdyn.stepping import CoordinateRows, Rates

Q, V = 2, 3
"""Rows before those of the joint."""
MUJOCO = {Rates.SPHERICAL_MUJOCO: (Rates.SPHERICAL, 0), Rates.FREE_MUJOCO: (Rates.SPHERICAL, 3)}
"""The kind of its turns, and the rows of q and of v before these, which are equal."""


def executed(lines: list[str], **names: np.ndarray) -> None:
    """C without loops and declarations is Python."""
    code = [re.sub(r"const double |;$", "", line.strip()) for line in lines if line.strip() not in ("{", "}")]
    exec("\n".join(code), {"sin": math.sin, "cos": math.cos, "sqrt": math.sqrt, **names})  # noqa: S102


@pytest.mark.parametrize("kind", [own for own in Rates if own is not Rates.EQUAL])
def test_rates(kind: Rates) -> None:
    rng, entry = np.random.default_rng(2), CoordinateRows(kind, Q, V, 1)
    q, v, slope = rng.standard_normal(Q + 7), rng.standard_normal(V + 6), np.full(Q + 7, np.nan)
    executed(rate_lines([entry], "double", spelling("double")), q=q, v=v, slope=slope)
    if kind in MUJOCO:
        plain, before = MUJOCO[kind]
        at = Q + before
        wanted = np.full(Q + 7, np.nan)
        wanted[Q:at] = v[V : V + before]
        turned = replace(entry, rates=plain, q=0, v=V + before)
        first, *rest = rates([turned], np.roll(q[at : at + 4], -1), v)[[3, 0, 1, 2]]
        wanted[at : at + 4] = [first, *rest]
    else:
        wanted = rates([entry], q, v)
        wanted[:Q] = np.nan
        wanted[np.isnan(slope)] = np.nan
        assert np.sum(~np.isnan(slope)) == {Rates.SPHERICAL: 4, Rates.PLANAR: 3}.get(kind, 7)
    np.testing.assert_allclose(slope, wanted, rtol=0.0, atol=1e-14)


@pytest.mark.parametrize("kind", [own for own in Rates if own not in (Rates.EQUAL, Rates.PLANAR)])
def test_quaternions_get_length_one(kind: Rates) -> None:
    q, entry = np.arange(1.0, 10.0), CoordinateRows(kind, Q, V, 1)
    at = Q + (3 if "FREE" in kind.name else 0)
    assert quaternion_rows([entry]) == [at]
    wanted = q.copy()
    wanted[at : at + 4] /= np.linalg.norm(q[at : at + 4])
    executed(normalise_lines([entry], "double", spelling("double")), q=q)
    np.testing.assert_allclose(q, wanted, rtol=1e-15)
