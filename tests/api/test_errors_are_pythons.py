"""What Python would call a ValueError or a TypeError is one; what is nobody's argument is neither."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

import pytest

import symdyn
from symdyn.errors import (
    ArgumentError,
    DescriptionError,
    InternalError,
    ModelError,
    RequestError,
    SolverError,
    ToolchainError,
    VerificationError,
)
from symdyn.generation.generate import generate


def test_errors_of_values_are_value_errors() -> None:
    for kind in (DescriptionError, ModelError, RequestError):
        assert issubclass(kind, ValueError) and not issubclass(kind, TypeError)
    assert issubclass(ArgumentError, RequestError) and issubclass(ArgumentError, TypeError)
    for kind in (ToolchainError, VerificationError, SolverError, InternalError):
        assert not issubclass(kind, ValueError | TypeError)


@pytest.mark.parametrize(
    "call",
    [
        lambda: symdyn.compile(3, ["gravity"]),  # type: ignore[arg-type]
        lambda: symdyn.loads(b"<robot/>", "urdf"),  # type: ignore[arg-type]
        lambda: symdyn.load_example("pendulum").random_state("seed"),  # type: ignore[arg-type]
        lambda: generate(symdyn.load_example("pendulum"), ["gravity"], out=3),  # type: ignore[arg-type]
    ],
    ids=["robot", "text", "generator", "folder"],
)
def test_an_object_of_another_kind_is_a_type_error(call: Callable[[], object]) -> None:
    with pytest.raises(TypeError) as caught:
        call()
    assert isinstance(caught.value, ArgumentError)


def test_a_refusal_is_told_once(tmp_path: Path) -> None:
    """Handlers of Python's own ValueErrors leave refusals as they are."""
    with pytest.raises(ValueError, match=r"^none\.urdf: no such file; check the path$"):
        symdyn.load(tmp_path / "none.urdf")
    (tmp_path / "anchored.yaml").write_text("robot: &name arm\n")
    with pytest.raises(ValueError) as refused:
        symdyn.load(tmp_path / "anchored.yaml")
    assert "not well-formed" not in str(refused.value)
    (tmp_path / "out").mkdir()
    (tmp_path / "out" / "robot.yaml").write_text("mine\n")
    with pytest.raises(ValueError) as kept:
        generate(symdyn.load_example("pendulum"), ["gravity"], out=tmp_path / "out")
    assert "cannot write" not in str(kept.value)
