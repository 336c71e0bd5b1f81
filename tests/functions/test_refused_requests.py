"""Each function against each option that it does not take, and against a robot without what it is about."""

from __future__ import annotations

from typing import Any

import pytest

import symdyn
from symdyn.errors import ModelError, RequestError
from symdyn.functions.catalogue import CATALOGUE, requests
from symdyn.functions.entry import CatalogueEntry
from symdyn.functions.parts import FRAMES, OPEN_TREE
from symdyn.functions.request import Request
from symdyn.interface.options import RequestOptions

pytestmark = [pytest.mark.unit, pytest.mark.filterwarnings("ignore::symdyn.SymdynWarning")]

PENDULUM = symdyn.load_example("pendulum").model
SAID: dict[str, Any] = {
    "order": 1,
    "external_wrenches": "body",
    "prescribed": [PENDULUM.velocity_names[0]],
    "factorization": "lemma1",
    "formulation": "body",
    "inputs": "actuators",
    "weights": [2.0],
    "unknown": ["motor"],
    "actuated": [PENDULUM.velocity_names[0]],
    "objective": "force",
    "stabilisation": 0.1,
    "switched": ["pin"],
    "restitution": "input",
    "frames": [PENDULUM.frame_names[0]],
    "tasks": [PENDULUM.frame_names[0]],
    "gradient": "state",
    "step": "rk4",
}
"""Each option as it is written where a function takes it."""


def test_every_option_is_among_them() -> None:
    assert set(SAID) == set(RequestOptions.__annotations__)


@pytest.mark.parametrize("option", SAID)
def test_functions_that_do_not_take_an_option_refuse_it(option: str) -> None:
    for entry in CATALOGUE.values():
        if option in entry.takes:
            continue
        said = {option: SAID[option]} | {name: SAID[name] for name in entry.demands}
        with pytest.raises(RequestError) as refusal:
            requests(PENDULUM, [entry.name], **said)
        expected = f"none of {entry.name} takes {option}; leave it out"
        if option == "order":
            expected = "no time derivatives, so order must be 0, got 1"
        elif option == "unknown" and "prescribed" in entry.takes:
            expected = "ask for it apart, without unknown"
        assert str(refusal.value).endswith(expected), entry.name


@pytest.mark.parametrize("entry", [entry for entry in CATALOGUE.values() if entry.needs], ids=lambda entry: entry.name)
def test_functions_refuse_robots_without_what_they_are_about(entry: CatalogueEntry) -> None:
    assert entry.needs is not None
    if entry.needs is FRAMES:
        assert FRAMES.found(PENDULUM)  # the root is one, so that no robot lacks them
        return
    lacking = symdyn.load_example("four_bar").model if entry.needs is OPEN_TREE else PENDULUM
    with pytest.raises(ModelError) as refusal:
        entry.signature(lacking, Request())
    about = entry.needs
    told = f"function '{entry.name}' needs {about.name}, and robot '{lacking.name}' has none; {about.remedy}, or leave"
    assert str(refusal.value).startswith(told)
