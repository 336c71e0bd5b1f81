"""Refusals, before the work, of files that could not be written."""

from __future__ import annotations

from pathlib import Path


def check_folder(option: str, path: Path) -> None:
    """Refuse before the work, not after it, a file that could not be written."""
    from symdyn.errors import RequestError

    if path.is_dir() or not path.absolute().parent.is_dir():
        raise RequestError(f"{option} {path}: expected the name of a file in a folder that exists")


def check_written(plot: Path | None, out: Path | None = None) -> None:
    """Refuse before the work a ``--plot`` or an ``--out`` of numbers that could not be written."""
    from symdyn.analysis.compare.plot import check_plot
    from symdyn.errors import RequestError

    if plot is not None:
        check_plot(plot)
        check_folder("--plot", plot)
    if out is not None:
        if out.suffix != ".npz":
            raise RequestError(f"--out {out}: the file ends in .npz")
        check_folder("--out", out)
