"""Expands the xacro file that ``request.txt`` names and writes ``request.json``: a program, run apart from symdyn.

Xacro evaluates expressions of the file and opens what it includes. It is run only where a user asks for it.
"""

from __future__ import annotations

import json
from collections.abc import Callable
from pathlib import Path


def finder(folders: list[str], otherwise: Callable[[str], str]) -> Callable[[str], str]:
    """What finds the folder of a package: one of these of that name, or one below them; else as ROS does."""

    def find(package: str) -> str:
        for folder in map(Path, folders):
            if folder.name == package:
                return str(folder)
            if package not in ("", ".", "..") and Path(package).name == package and (folder / package).is_dir():
                return str(folder / package)
        try:
            return otherwise(package)
        except Exception as failure:  # without ROS, or with one that lacks it
            raise LookupError(f"no package {package!r}") from failure

    return find


def main() -> None:
    """Expand, and write the text or what xacro says against it."""
    import xacro
    from xacro import substitution_args

    request = json.loads(Path("request.txt").read_text(encoding="utf-8"))
    find = finder(request["packages"], substitution_args._eval_find)
    substitution_args._eval_find = substitution_args._eval_dict["find"] = find
    try:
        document = xacro.process_file(request["file"], mappings=request["arguments"])
        found = {"text": document.toxml()}
    except Exception as failure:  # whatever a file of anyone makes xacro raise
        found = {"refused": f"{type(failure).__name__}: {failure}"}
    Path("request.json").write_text(json.dumps(found), encoding="utf-8")


if __name__ == "__main__":
    main()
