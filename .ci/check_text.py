"""Check that every text file of the project ends in one newline, holds no tab or blank at a line's end, and no CR.

Usage: python .ci/check_text.py [FILE ...]; without arguments all files that belong to the project. Then no file at its
root may be binary either, because a command that was tried there may leave what it built.
"""

from __future__ import annotations

import sys
from pathlib import Path

_ROOT = Path(__file__).resolve().parent.parent
_SUFFIXES = {".py", ".md", ".toml", ".yaml", ".yml", ".jinja", ".c", ".h", ".cpp", ".txt", ".json", ".svg", ".urdf", ""}
_FOLDERS = ("symdyn", "cli", "templates", "tests", "docs", "examples", "benchmarks", "generated", ".ci")
_CACHES = {"__pycache__", ".hypothesis"}
_LEFT_ALONE = ("tests/description/corpus/", "generated/samples/")


def project_files() -> list[Path]:
    """Text files of the project's folders and its root."""
    found = [path for path in _ROOT.iterdir() if path.is_file() and path.name != ".coverage"]
    for folder in _FOLDERS:
        found += [path for path in (_ROOT / folder).rglob("*") if path.is_file()]
    kept = (path for path in found if path.suffix in _SUFFIXES and not _CACHES & set(path.parts))
    return sorted(path for path in kept if not path.relative_to(_ROOT).as_posix().startswith(_LEFT_ALONE))


def faults(data: bytes) -> list[str]:
    """What is wrong with a file's bytes."""
    found = []
    if data and (not data.endswith(b"\n") or data.endswith(b"\n\n")):
        found.append("must end in exactly one newline")
    if data and not data.strip():
        found.append("holds nothing but blanks")
    if b"\r" in data:
        found.append("holds a carriage return")
    for number, line in enumerate(data.split(b"\n"), 1):
        if line != line.rstrip():
            found.append(f"line {number} ends in blanks")
    return found


def binary_files() -> list[Path]:
    """Files at the root that were built, and not written."""
    files = sorted(path for path in _ROOT.iterdir() if path.is_file() and path.name != ".coverage")
    return [path for path in files if b"\0" in path.read_bytes()]


def main(arguments: list[str]) -> int:
    """Print every fault; 1 if there is any."""
    messages = [
        f"{path}: {fault}"
        for path in ([Path(argument) for argument in arguments] or project_files())
        for fault in faults(path.read_bytes())
    ]
    if not arguments:
        messages += [f"{path}: is binary; remove what was built" for path in binary_files()]
    print("\n".join(messages), end="\n" if messages else "")
    return 1 if messages else 0


if __name__ == "__main__":
    raise SystemExit(main(sys.argv[1:]))
