"""Multiplications and additions of forward dynamics of n flexible links in series, beside three published formulas.

usage: python benchmarks/denoc_counts.py [--links N ...] [--modes M] [--csv FILE]

The formulas are those of table 1 of Mohan and Saha's paper: their own recursion, Jain and Rodriguez's, and Cyril's, for
m shapes in each of two planes of bending and m-hat = 1 + 2 m coordinates per link, joint axes twisted at will.
Symdyn's counts are exact, those of the straight-line C: M is products, quotients and fused multiply-adds, A is sums,
differences and fused multiply-adds. Sines, cosines and changes of sign are in none of them, as in the paper.
``bare`` links are beams alone; ``dressed`` ones have what the paper's have: a hub with any inertia, a rod of length b_i
along the joint's axis, and a point mass as payload at each tip.
"""

from __future__ import annotations

import argparse
import csv
import warnings
from collections.abc import Callable
from pathlib import Path

from peers.flexible_chain import flexible_chain

import symdyn
from symdyn.api import cost
from symdyn.errors import SymdynWarning

Pair = tuple[float, float]
PRODUCTS, SUMS = ("mul", "div", "fma"), ("add", "sub", "fma")


def proposed(n: int, m: int) -> Pair:
    """Mohan and Saha's recursion."""
    h = 1 + 2 * m
    m3 = h**3 / 6 + (2 * m + 15 / 2) * h**2 + (2 * m**2 + 15 * m + 100 / 3) * h
    a3 = h**3 / 6 + h**2 / 2 + (6 * m**2 + 27 * m + 82 / 3) * h
    less = (2 * m**2 + 13 * m + 27) * h
    products = (2 * m**2 + 180 * m + 299 + m3) * n - (124 * m + 229 + less)
    return products, (6 * m**2 + 122 * m + 220 + a3) * n - (94 * m + 192 + less)


def jain_rodriguez(n: int, m: int) -> Pair:
    """Jain and Rodriguez, Recursive flexible multibody system dynamics using spatial operators, 1992."""
    if n <= 7:
        each = 5 * m**3 / 6 + 27 * m**2 / 2 + 893 * m / 3 + 281, 5 * m**3 / 6 + 23 * m**2 / 2 + 677 * m / 3 + 256
    else:
        each = 13 * m**2 + 298 * m + 673, 14 * m**2 + 225 * m + 537
    return each[0] * n, each[1] * n


def cyril(n: int, m: int) -> Pair:
    """Cyril, Dynamics of flexible link manipulators, 1988: not recursive.

    The paper prints -251 m / 6 among the sums of A_3c; its own 12683 at n = 8 asks for +251 m / 3.
    """
    h = 1 + 2 * m
    cubic = h**3 / 6 + h**2 * (1 - m / 2) + h * (m**2 / 2 - 2 * m) - m**3 / 6 + m**2
    square = -3 * h**2 / 2 - 3 * m**2 / 2
    linear = 5 * h**2 + m**3 / 6 + 53 * m**2 / 6
    products = (square + h * (3 * m + 33 / 2) - 15 * m / 2 + 12, linear - h * (10 * m + 109 / 6) + 233 * m / 3 + 246)
    sums = (square + h * (3 * m + 13) - 17 * m / 2 + 9, linear - h * (10 * m + 85 / 6) + 251 * m / 3 + 228)
    return (
        cubic * n**3 + products[0] * n**2 + products[1] * n - 123,
        cubic * n**3 + sums[0] * n**2 + sums[1] * n - 102,
    )


FORMULAS: dict[str, Callable[[int, int], Pair]] = {
    "Mohan, Saha": proposed,
    "Jain, Rodriguez": jain_rodriguez,
    "Cyril": cyril,
}


def counted(links: int, modes: int, dressed: bool) -> Pair:
    """Symdyn's forward dynamics."""
    robot = symdyn.from_description(flexible_chain(links, modes, dressed))
    kinds = cost(robot, ["forward_dynamics"], layout="unrolled")["forward_dynamics"]
    return sum(kinds.get(kind, 0) for kind in PRODUCTS), sum(kinds.get(kind, 0) for kind in SUMS)


def main() -> int:
    """Count and print."""
    parser = argparse.ArgumentParser(description=(__doc__ or "").splitlines()[0])
    parser.add_argument("--links", nargs="+", type=int, default=range(1, 13), metavar="N")
    parser.add_argument("--modes", type=int, default=2, metavar="M", help="shapes in each of two planes")
    parser.add_argument("--csv", type=Path, help="write the table there as well")
    asked = parser.parse_args()
    warnings.simplefilter("ignore", SymdynWarning)
    titles = ("symdyn, bare", "symdyn, dressed", *FORMULAS)
    print(f"forward dynamics of n flexible links, {asked.modes} shapes in each of two planes: products M, sums A")
    print(f"{'n':>3}" + "".join(f"{title:>18}" for title in titles))
    print(" " * 3 + f"{'M':>10}{'A':>8}" * len(titles))
    rows = []
    for links in asked.links:
        pairs = [counted(links, asked.modes, dressed) for dressed in (False, True)]
        pairs += [formula(links, asked.modes) for formula in FORMULAS.values()]
        print(f"{links:3}" + "".join(f"{products:10.0f}{sums:8.0f}" for products, sums in pairs), flush=True)
        rows += [(links, title, round(M), round(A)) for title, (M, A) in zip(titles, pairs, strict=True)]
    if asked.csv is not None:
        with asked.csv.open("w", newline="", encoding="utf-8") as file:
            writer = csv.writer(file, lineterminator="\n")
            writer.writerow(("links", "method", "products", "sums"))
            writer.writerows(rows)
    return 0


if __name__ == "__main__":
    raise SystemExit(main())
