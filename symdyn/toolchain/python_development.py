"""Where the headers of Python and NumPy are, and the library that extension modules are linked with on Windows."""

from __future__ import annotations

import os
import sys
import sysconfig
from pathlib import Path

import numpy as np

from symdyn.toolchain.dialects import SYSTEM

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
        return f"Python.h was not found ({_REMEDIES.get(SYSTEM, 'apt install python3-dev')})"
    numpy_folder = np.get_include()
    if not (Path(numpy_folder) / "numpy" / "arrayobject.h").is_file():
        return "NumPy's headers were not found (pip install --force-reinstall numpy)"
    if SYSTEM == "win32" and not python_libraries(SYSTEM):
        return f"Python's import library was not found ({_REMEDIES['win32']})"
    return (*python_folders, numpy_folder)


_REMEDIES = {
    "win32": "install Python from python.org; its embeddable package has neither headers nor libraries",
    "darwin": "install Python from python.org",
}


def python_libraries(system: str) -> tuple[str, ...]:
    """The import library of this Python, which a linker for Windows needs; nothing elsewhere, or where it is missing.

    Elsewhere the interpreter itself offers its functions when it loads the module.
    """
    if system != "win32":
        return ()
    threads = "t" if sysconfig.get_config_var("Py_GIL_DISABLED") else ""
    version = f"{sys.version_info.major}{sys.version_info.minor}{threads}"
    places = [Path(sys.base_prefix) / "libs" / f"python{version}.lib"]
    # MinGW's own Python, as of MSYS2, lays its library out as on Unix.
    folder, name = (sysconfig.get_config_var(own) for own in ("LIBDIR", "LDLIBRARY"))
    if folder and name and str(name).endswith(".dll.a"):
        places.append(Path(folder) / str(name))
    return tuple(str(place) for place in places if place.is_file())[:1]
