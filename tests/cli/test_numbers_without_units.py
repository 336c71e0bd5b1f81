"""What is said of a number with a unit, and of names that are nearly right."""

from __future__ import annotations

import pytest

from symdyn.cli.main import main
from symdyn.interface.guesses import did_you_mean, some_of

pytestmark = pytest.mark.unit


def test_a_number_with_a_unit_is_refused_with_its_form(capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["simulate", "pendulum", "--time", "10s"]) == 2
    assert "'--time': expected a number in SI units, written without a unit" in capsys.readouterr().err


def test_letters_in_another_order_come_before_names_that_differ() -> None:
    feet = ("RL_foot", "RR_foot", "FR_foot", "FL_foot")
    assert did_you_mean("LF_foot", feet) == "FL_foot"
    others = [f"imu_{k}" for k in range(20)]
    assert some_of("LF_foot", [*others, *feet]) == "RL_foot, RR_foot, FR_foot, FL_foot and 20 more"
