"""Where the headers of Python and NumPy are, if they are."""

from __future__ import annotations

import os
import sysconfig
from pathlib import Path

import numpy as np

NO_HEADERS_VARIABLE = "SYMDYN_NO_HEADERS"


def extension_includes() -> tuple[str, ...] | str:
    """Include folders for an extension module, or what is missing and how to install it.

    ``SYMDYN_NO_HEADERS=1`` in the environment makes symdyn behave as on a machine without headers.
    """
    if os.environ.get(NO_HEADERS_VARIABLE, "") not in ("", "0"):
        return f"${NO_HEADERS_VARIABLE} is set"
    python = {sysconfig.get_path("include"), sysconfig.get_path("platinclude")}
    python_folders = sorted(folder for folder in python if folder)
    if not any((Path(folder) / "Python.h").is_file() for folder in python_folders):
        return "Python.h was not found (apt install python3-dev)"
    numpy_folder = np.get_include()
    if not (Path(numpy_folder) / "numpy" / "arrayobject.h").is_file():
        return "NumPy's headers were not found (pip install --force-reinstall numpy)"
    return (*python_folders, numpy_folder)
