"""A low-pass filter of what torques are linear in and of torques alike, and fewer rows of what it leaves.

A linear filter of both sides of ``tau = Y theta`` changes no theta, and takes noise above the cut-off away. Filtered
rows repeat each other: as many are kept as the band has room for, so that deviations follow from what is kept (Gautier
1997; Khalil & Dombre 2002, section 12.4).
"""

from __future__ import annotations

import math
from dataclasses import dataclass
from importlib import import_module
from typing import Any

import numpy as np
from numpy.typing import NDArray

from symdyn.errors import RequestError
from symdyn.interface.argument_words import given_positive
from symdyn.interface.optional_packages import require

Array = NDArray[np.float64]
_ORDER = 4
"""Of the Butterworth filter, which goes over the rows forwards and backwards."""
_HALF = 0.5
"""Highest cut-off, of the rate of the rows."""


@dataclass(frozen=True)
class LowPass:
    """A filter without delay: its second-order sections, every how many rows is kept, and rows cut off at both ends.

    ``gain`` is the standard deviation of filtered white noise of deviation 1.
    """

    sections: Array
    every: int
    ends: int
    gain: float

    def of(self, rows: Array) -> Array:
        """What is kept of rows (n, ..)."""
        signal: Any = import_module("scipy.signal")
        found: Array = signal.sosfiltfilt(self.sections, rows, axis=0)
        return found[self.ends : len(rows) - self.ends : self.every]


def given_lowpass(lowpass: float | None, rate: float | None, rows: int) -> LowPass | None:
    """The filter of a cut-off [Hz] for rows of a rate [Hz]; None where none is asked for.

    Raises
    ------
    RequestError
        One without the other, a cut-off of half the rate or more, too few rows, or SciPy is missing.
    """
    if lowpass is None:
        if rate is not None:
            raise RequestError(f"rate={rate} is that of rows to be filtered; add lowpass= [Hz], or leave it out")
        return None
    cutoff = given_positive("lowpass", lowpass)
    if rate is None:
        raise RequestError("lowpass is a cut-off frequency [Hz], which asks for the rate of the rows; add rate= [Hz]")
    every = given_positive("rate", rate)
    if not cutoff < _HALF * every:
        raise RequestError(
            f"lowpass of {cutoff:g} Hz takes nothing from rows at {every:g} Hz; take less than {_HALF * every:g} Hz"
        )
    require("lowpass", "scipy", "sim")
    signal: Any = import_module("scipy.signal")
    sections = np.asarray(signal.butter(_ORDER, cutoff, fs=every, output="sos"), dtype=np.float64)
    ends = math.ceil(every / cutoff)
    if rows < 4 * ends:
        raise RequestError(
            f"lowpass of {cutoff:g} Hz needs rows of at least {4 * ends / every:.3g} s, four periods of it; there are "
            f"{rows / every:.3g} s"
        )
    _, response = signal.sosfreqz(sections, worN=4096)
    return LowPass(sections, int(every / (2.0 * cutoff)), ends, float(np.sqrt(np.mean(np.abs(response) ** 4))))
