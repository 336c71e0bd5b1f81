"""The CasADi functions of a real robot give what its compiled C gives."""

from __future__ import annotations

import numpy as np
import pytest
from support.pinocchio.functions import draw_states
from support.pinocchio.twins import load_peer, module_outputs, relative_of_arrays

import symdyn

pytestmark = pytest.mark.peers

FUNCTIONS = ("forward_dynamics", "mass_matrix", "inverse_dynamics_partials")


@pytest.mark.parametrize("function", FUNCTIONS)
def test_symbolic_equals_compiled(function: str) -> None:
    peer = load_peer("panda_mimic")
    module = symdyn.compile(peer.robot, [function])
    symbolic, arguments = symdyn.symbolic(peer.robot, function), module.signature(function).inputs
    states = draw_states(peer, 20, seed=35)
    found = module_outputs(module, function, states)
    assert symbolic.name() == function
    assert symbolic.name_in() == [argument.name for argument in arguments]
    rows = [symbolic.call([states[argument.name][k] for argument in arguments]) for k in range(20)]
    for index, output in enumerate(found):
        values = np.array([np.array(row[index]) for row in rows]).reshape(output.shape)
        # the same operations but for the order of sums; what solves with M has its condition number, 1e3, on top
        assert relative_of_arrays(values, output) < 1e-12
