"""Random small models in MJCF: trees of all kinds of joint, with what drives and what holds them."""

from __future__ import annotations

from collections.abc import Iterator

import numpy as np

_KINDS = ("hinge", "slide", "ball", "hinge")


def random_model(seed: int, *features: str) -> str:
    """A tree of five bodies.

    ``features`` are ``actuators``, ``tendons``, ``gravcomp``, ``mocap``, ``medium``, ``wind``.
    """
    rng = np.random.default_rng(seed)
    kinds = [str(rng.choice(_KINDS)) for _ in range(4)]
    parents = [int(rng.integers(0, number + 1)) for number in range(4)]
    bodies = {number: _body(rng, number + 1, kind, features) for number, kind in enumerate(kinds)}

    def nested(number: int) -> str:
        start, end = bodies[number]
        return start + "".join(nested(own) for own in bodies if parents[own] == number + 1) + end

    free = '<joint name="free" type="free"/>' if rng.random() < 0.5 else '<joint name="free" axis="0 1 1"/>'
    inside = "".join(nested(own) for own in bodies if parents[own] == 0)
    single = ["free"] * ('type="free"' not in free)
    single += [f"j{number + 1}" for number, kind in enumerate(kinds) if kind != "ball"]
    balls = [f"j{number + 1}" for number, kind in enumerate(kinds) if kind == "ball"]
    moved = '<body name="m" mocap="true" pos="1 0 2" quat="0.5 0.5 0.5 -0.5"><geom size="0.1"/></body>'
    parts = "".join(_parts(rng, single, balls, features))
    body = f'<body name="b0" pos="0 0 1">{free}{_inertial(rng)}{inside}</body>'
    wind = f' wind="{_numbers(rng.standard_normal(3))}"' if "wind" in features else ""
    medium = f'<option density="8.5" viscosity="0.7"{wind}/>' if "medium" in features else ""
    body += moved * ("mocap" in features)
    return f'<mujoco model="m{seed}"><compiler angle="radian"/>{medium}<worldbody>{body}</worldbody>{parts}</mujoco>'


def _body(rng: np.random.Generator, number: int, kind: str, features: tuple[str, ...]) -> tuple[str, str]:
    more = f' ref="{rng.normal():.3f}"' if kind in ("hinge", "slide") else ""
    joint = (
        f'<joint name="j{number}" type="{kind}" pos="{_numbers(0.1 * rng.standard_normal(3))}" '
        f'axis="{_numbers(rng.standard_normal(3))}" damping="{rng.random():.3f}"{more}/>'
    )
    place = f'pos="{_numbers(0.3 * rng.standard_normal(3))}" quat="{_numbers(rng.standard_normal(4))}"'
    lift = f'gravcomp="{rng.uniform(0.1, 1.5):.3f}"' if "gravcomp" in features and number % 2 else ""
    site = f'<site name="s{number}" pos="{_numbers(0.2 * rng.standard_normal(3))}"/>'
    return f'<body name="b{number}" {place} {lift}>{joint}{_inertial(rng)}{site}', "</body>"


def _inertial(rng: np.random.Generator) -> str:
    a, b, c = rng.uniform(0.01, 0.02, 3)
    place = f'pos="{_numbers(0.1 * rng.standard_normal(3))}" quat="{_numbers(rng.standard_normal(4))}"'
    return f'<inertial {place} mass="{rng.uniform(0.5, 2):.3f}" diaginertia="{_numbers(np.array((a, b, c)))}"/>'


def _parts(rng: np.random.Generator, single: list[str], balls: list[str], features: tuple[str, ...]) -> Iterator[str]:
    if len(single) > 1:
        pulled = "".join(f'<joint joint="{name}" coef="{rng.normal():.3f}"/>' for name in single[:3])
        held = _held(rng) if "tendons" in features else ""
        yield f'<tendon><fixed name="t" {held}>{pulled}</fixed></tendon>'
    if "tendons" in features:
        line = "".join(f'<joint joint="{name}" coef="{rng.normal():.3f}"/>' for name in single[:1])
        yield f'<tendon><fixed name="one" armature="0.02" {_held(rng)}>{line}</fixed></tendon>' if line else ""
        places = '<site site="s1"/><site site="s4"/>'
        yield f'<tendon><spatial name="line" {_held(rng)}>{places}</spatial></tendon>'
    if "actuators" in features:
        yield f"<actuator>{''.join(_actuators(rng, single, balls))}</actuator>"


def _actuators(rng: np.random.Generator, single: list[str], balls: list[str]) -> Iterator[str]:
    places = [f'joint="{name}"' for name in single] + ['tendon="t"'] * (len(single) > 1)
    for number, place in enumerate(places * 2):
        gear = f'gear="{rng.normal():.3f}"'
        kp, kv = rng.uniform(1, 20, 2)
        law = (
            f'<motor name="a{number}" {place} {gear}/>',
            f'<position name="a{number}" {place} {gear} kp="{kp:.3f}" kv="{kv:.3f}"/>',
            f'<velocity name="a{number}" {place} {gear} kv="{kv:.3f}"/>',
            f'<general name="a{number}" {place} {gear} gainprm="{kp:.3f}" biastype="affine" '
            f'biasprm="{_numbers(rng.standard_normal(3))}"/>',
            f'<general name="a{number}" {place} {gear} gaintype="affine" '
            f'gainprm="{_numbers(rng.standard_normal(3))}"/>',
            f'<damper name="a{number}" {place} {gear} kv="{kv:.3f}" ctrlrange="0 1"/>',
        )
        yield law[int(rng.integers(0, len(law)))]
    for name in balls:
        gear = f'gear="{_numbers(rng.standard_normal(3))}"'
        yield f'<velocity name="a_{name}" joint="{name}" kv="{rng.random():.3f}" {gear}/>'


def _held(rng: np.random.Generator) -> str:
    k, d, rest = rng.uniform(0.5, 3, 3)
    return f'stiffness="{k:.3f}" damping="{d:.3f}" springlength="{rest:.3f}"'


def _numbers(values: np.ndarray) -> str:
    return " ".join(f"{value:.4f}" for value in values)
