"""A call in a process of its own ends in time, with everything that it has started."""

from __future__ import annotations

import math
import os
import time
from functools import partial
from pathlib import Path

import pytest

from symdyn.analysis.compare.budget import Failure, call_within
from symdyn.toolchain.run_commands import Command, run_commands


def test_results_come_back() -> None:
    assert call_within(math.hypot, (3.0, 4.0), 30.0) == 5.0


def test_a_slow_call_is_ended() -> None:
    begin = time.monotonic()
    assert call_within(time.sleep, (60.0,), 0.2) == Failure("over 0.2 s")
    assert time.monotonic() - begin < 30.0


def test_a_compiler_that_it_waits_for_is_ended_too(tmp_path: Path) -> None:
    waiting = Command(("sh", "-c", "echo $$ > pid; sleep 60"), tmp_path)
    assert call_within(partial(run_commands, timeout=60.0, workers=1), ([waiting],), 1.0) == Failure("over 1 s")
    started = int((tmp_path / "pid").read_text())
    with pytest.raises(ProcessLookupError):
        os.kill(started, 0)


@pytest.mark.parametrize(
    ("function", "arguments", "reason"),
    [
        (math.sqrt, (-1.0,), "ValueError: math domain error"),
        (bytearray, (2**60,), "out of memory"),
        (os._exit, (7,), "its process ended with code 7"),
    ],
)
def test_failures_have_a_reason(function: object, arguments: tuple[object, ...], reason: str) -> None:
    assert call_within(function, arguments, 30.0) == Failure(reason)  # type: ignore[arg-type]
