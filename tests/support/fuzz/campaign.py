"""Many cases in several processes: what came of each, a table of kinds, and a saved reproducer of every failure.

A case is a function of (seed, index) alone, so that any share of a campaign can be run again anywhere. A case that
takes longer than LIMIT_S of processor time, or ends its process, is a failure, and the campaign goes on behind it.
"""

from __future__ import annotations

import argparse
import faulthandler
import re
import signal
import sys
import tempfile
import time
import traceback
import warnings
from collections import Counter
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field, replace
from multiprocessing import get_context
from multiprocessing.connection import Connection, wait
from pathlib import Path
from types import FrameType
from typing import Any

LIMIT_S = 5.0
_STUCK_S = 600.0
_ROWS = 50


@dataclass(frozen=True)
class Outcome:
    """What came of a case: its kind, and for a failure the whole text and the file that shows it."""

    kind: str
    fault: str = ""
    reproducer: bytes = b""
    suffix: str = ""
    seconds: float = field(default=0.0, compare=False)
    """Processor time that the file took."""

    def of(self, kind: str) -> Outcome:
        """The same, in the rows of a kind of files."""
        return replace(self, kind=f"{kind}: {self.kind}")


class TooSlowError(BaseException):
    """Processor time is up; no Exception, so that nothing under test takes it for one of its own."""


@contextmanager
def limited(seconds: float) -> Iterator[None]:
    """Raise TooSlowError after so many seconds of processor time."""

    def stop(_signal: int, _frame: FrameType | None) -> None:
        raise TooSlowError

    signal.signal(signal.SIGPROF, stop)
    signal.setitimer(signal.ITIMER_PROF, seconds)
    try:
        yield
    finally:
        signal.setitimer(signal.ITIMER_PROF, 0.0)


def judged(
    attempt: Callable[[Path], str], content: bytes, suffix: str, limit_s: float = LIMIT_S, remark: str = ""
) -> Outcome:
    """What ``attempt`` makes of a file: the kind that it returns, a refusal in one line, or a failure."""
    begun = time.process_time()
    found = _judged(attempt, content, suffix, limit_s, remark)
    return replace(found, seconds=time.process_time() - begun)


def _judged(attempt: Callable[[Path], str], content: bytes, suffix: str, limit_s: float, remark: str) -> Outcome:
    from symdyn.errors import SymdynError

    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder) / f"mutant{suffix}"
        path.write_bytes(content)
        try:
            with warnings.catch_warnings(), limited(limit_s):
                warnings.simplefilter("ignore")
                return Outcome(attempt(path))
        except SymdynError as failure:
            text = str(failure)
            if failure.exit_code == 2 and text.isprintable() and text.strip():
                return Outcome(f"refused: {kind_of(text)}")
            return Outcome("FAULT a message that is no message", f"{type(failure).__name__}: {text!r}", content, suffix)
        except TooSlowError:
            return Outcome("FAULT slow", f"over {limit_s:g} s of processor time {remark}", content, suffix)
        except Exception as failure:
            last = traceback.extract_tb(failure.__traceback__)[-1]
            kind = f"FAULT {type(failure).__name__} in {Path(last.filename).name}:{last.lineno}"
            return Outcome(kind, f"{remark}{traceback.format_exc()}", content, suffix)


def kind_of(message: str) -> str:
    """A refusal without what differs from file to file."""
    text = re.sub(r"^(--\w+ )?\S+?:(\d+:)? ", "", message)
    text = re.sub(r"'(?:[^'\\]|\\.)*'(\.\.\.)?|\"[^\"]*\"", "_", text)
    return re.sub(r"[-+]?\d[\d.]*(e[-+]?\d+)?", "N", text)[:70]


def run(
    title: str, case: Callable[[int, int], Outcome], count: int, seed: int, jobs: int, save: Path, first: int = 0
) -> int:
    """Run cases ``first`` to ``first + count``, print the table, and return the number of failures."""
    kinds: Counter[str] = Counter()
    failures: list[tuple[int, Outcome]] = []
    slowest = (0.0, first)
    for index, outcome in _outcomes(case, count, seed, jobs, first):
        slowest = max(slowest, (outcome.seconds, index))
        kinds[outcome.kind] += 1
        if outcome.fault:
            failures.append((index, outcome))
            save.mkdir(parents=True, exist_ok=True)
            (save / f"{title}_{seed}_{index}{outcome.suffix}").write_bytes(outcome.reproducer)
            (save / f"{title}_{seed}_{index}.txt").write_text(
                outcome.fault, encoding="utf-8", errors="backslashreplace"
            )
    print(f"{title}: {sum(kinds.values())} cases of seed {seed}")
    ranked = sorted(kinds.items(), key=lambda item: (-item[1], item[0]))
    shown = [item for place, item in enumerate(ranked) if place < _ROWS or "refused" not in item[0]]
    for kind, times in shown:
        print(f"{times:8d}  {kind}")
    if len(shown) < len(ranked):
        print(f"{sum(kinds.values()) - sum(times for _, times in shown):8d}  {len(ranked) - len(shown)} rarer refusals")
    print(f"slowest: index {slowest[1]}, {slowest[0]:.2f} s of processor time")
    for index, outcome in sorted(failures, key=lambda own: own[0]):
        words = " ".join(outcome.fault.strip().splitlines()[-1:])
        print(f"FAILED {title} seed {seed} index {index}: {outcome.kind}: {words[:200]}")
    print(f"{len(failures)} failures{f', saved in {save}' if failures else ''}", flush=True)
    return len(failures)


def _outcomes(
    case: Callable[[int, int], Outcome], count: int, seed: int, jobs: int, first: int
) -> Iterator[tuple[int, Outcome]]:
    if jobs == 0:  # in this process, for tests
        yield from ((index, case(seed, index)) for index in range(first, first + count))
        return
    context = get_context("fork")
    shares = {}
    last = first + count

    def start(index: int) -> None:
        if index < last:
            ours, theirs = context.Pipe(duplex=False)
            worker = context.Process(target=_work, args=(case, seed, range(index, last, jobs), theirs))
            worker.start()
            theirs.close()
            shares[ours] = (worker, index)

    for index in range(first, min(first + jobs, last)):
        start(index)
    while shares:
        for ours in wait(list(shares)):
            worker, begun = shares[ours]  # type: ignore[index]
            try:
                message: Any = ours.recv()  # type: ignore[union-attr]
            except EOFError:
                worker.join()
                del shares[ours]  # type: ignore[arg-type]
                if worker.exitcode != 0:
                    yield begun, Outcome(f"FAULT the process ended ({worker.exitcode})", "a crash, or stuck for ever")
                    start(begun + jobs)
                continue
            if isinstance(message, int):
                shares[ours] = (worker, message)  # type: ignore[index]
            else:
                yield begun, message


def _work(case: Callable[[int, int], Outcome], seed: int, indices: range, pipe: Connection) -> None:
    for index in indices:
        pipe.send(index)
        faulthandler.dump_traceback_later(_STUCK_S, exit=True, file=sys.__stderr__)
        pipe.send(case(seed, index))
    faulthandler.cancel_dump_traceback_later()
    pipe.close()


def command(title: str, case: Callable[[int, int], Outcome], count: int) -> None:
    """The command line of a script; leaves with 1 where a case failed."""
    parser = argparse.ArgumentParser(description=sys.modules["__main__"].__doc__)
    parser.add_argument("--count", type=int, default=count, help="number of cases")
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--first", type=int, default=0, help="index of the first case, for running one again")
    parser.add_argument("--jobs", type=int, default=1, help="processes; 0 runs in this one")
    parser.add_argument("--save", type=Path, default=Path("fuzz_failures"), help="folder of reproducers")
    given = parser.parse_args()
    failed = run(title, case, given.count, given.seed, given.jobs, given.save, given.first)
    sys.exit(1 if failed else 0)
