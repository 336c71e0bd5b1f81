"""Models in MJCF of our own: one that is read whole, some with loops, and some that are refused."""

from __future__ import annotations

MIXED = """<mujoco model="mixed">
  <compiler autolimits="true"/>
  <option gravity="0.1 0.2 -9"/>
  <default><joint damping="0.2"/><default class="soft"><joint stiffness="3" springref="20"/></default></default>
  <worldbody>
    <geom type="plane" size="1 1 1"/>
    <site name="stand" pos="0 1 0" euler="10 20 30"/>
    <body name="trunk" pos="0 0 1" euler="0 0 40">
      <freejoint name="root"/>
      <geom size="0.1 0.2 0.3" type="box" pos="0.01 0.02 0.03"/>
      <site name="trunk"/>
      <body name="arm" pos="0.1 0 0" quat="0.9 0.1 0.2 0.3">
        <joint name="lift" type="hinge" axis="0 1 0.3" pos="0.01 0.02 0.03" ref="17" range="-90 90" armature="0.1"/>
        <joint name="reach" type="slide" axis="1 1 0" ref="0.1" class="soft" springref="0.3"/>
        <joint name="twist" type="hinge" axis="1 0 0" pos="0 0 0.2" class="soft" ref="5"/>
        <geom type="capsule" size="0.03" fromto="0 0 0 0.3 0 0"/>
        <camera name="eye" pos="0.3 0 0"/>
        <body name="ball" pos="0.3 0 0">
          <joint name="socket" type="ball" pos="0 0.05 0" damping="0.1" armature="0.3" stiffness="2"/>
          <inertial pos="0.1 0 0" mass="0.7" fullinertia="0.02 0.03 0.04 0.001 0.002 0.003"/>
          <body name="tool" pos="0 0 0.1" euler="30 0 0"><geom size="0.02" mass="0.1"/></body>
        </body>
      </body>
    </body>
    <body name="slider"><joint name="follow" type="slide" axis="0 0 1"/><geom size="0.05"/></body>
  </worldbody>
  <equality><joint joint1="follow" joint2="lift" polycoef="0.02 -0.5 0 0 0"/></equality>
  <actuator><motor name="m" joint="lift"/></actuator>
  <sensor><jointpos joint="lift"/></sensor>
</mujoco>"""

_LOOPED = """<mujoco model="looped">
  <compiler angle="radian"/>
  <worldbody>
    <body name="a" pos="0 0 1">
      <joint name="ja" axis="0 1 0" ref="0.2"/><geom type="capsule" size="0.02" fromto="0 0 0 0 0 -0.3"/>
      <body name="b" pos="0 0 -0.3">
        <joint name="jb" axis="0 1 0.1"/><joint name="jz" axis="1 0 0"/>
        <geom type="capsule" size="0.02" fromto="0 0 0 0.4 0 0"/><site name="sb" pos="0.4 0 0" euler="0.1 0.2 0.3"/>
      </body>
    </body>
    <body name="c" pos="0.4 0 1">
      <joint name="jc" axis="0 1 0" pos="0 0 0.01"/><geom type="capsule" size="0.02" fromto="0 0 0 0 0 -0.3"/>
      <site name="sc" pos="0 0 -0.3"/>
    </body>
    <body name="e" pos="1 0 1"><freejoint name="fe"/><geom size="0.1 0.2 0.3" type="box"/><site name="se"/></body>
  </worldbody>
  <tendon>
    <fixed name="t"><joint joint="ja" coef="0.5"/><joint joint="jb" coef="-2"/></fixed>
    <fixed name="u"><joint joint="jc" coef="1.5"/><joint joint="jz" coef="0.3"/></fixed>
  </tendon>
  <equality>{}</equality>
</mujoco>"""

LOOPS = {
    "connect_bodies": '<connect body1="b" body2="c" anchor="0.4 0 0"/>',
    "connect_sites": '<connect site1="sb" site2="sc"/>',
    "connect_world": '<connect body1="e" anchor="0.1 0.2 0.3"/>',
    "weld_bodies": '<weld body1="b" body2="e"/>',
    "weld_sites": '<weld site1="sb" site2="se"/>',
    "weld_with_pose": '<weld body1="e" body2="b" anchor="0.1 0.2 0.3" relpose="0.1 0.2 0.3 0.9 0.1 0.2 0.3"/>',
    "weld_world": '<weld body1="e" relpose="0 0 0 0 0 0 0"/>',
    "held_joint": '<joint joint1="ja" polycoef="0.1 0 0 0 0"/>',
    "tendon": '<tendon tendon1="t" polycoef="0.1 0 0 0 0"/>',
    "tendons": '<tendon tendon1="t" tendon2="u" polycoef="0.1 -0.7 0 0 0"/>',
    "tendon_of_followers": '<tendon tendon1="t" tendon2="u"/><joint joint1="jb" joint2="jc" polycoef="0.2 3 0 0 0"/>',
    "both": '<connect body1="b" body2="c" anchor="0.4 0 0"/><weld body1="e" body2="c"/>',
}


def looped(name: str) -> str:
    """A model with the equalities of ``LOOPS``."""
    return _LOOPED.format(LOOPS[name])


_ROD = '<body name="rod"><joint name="swing"/><geom size="0.1 0.2" type="capsule"/>{}</body>'


def _with(after: str = "", inside: str = "", before: str = "") -> str:
    return f"<mujoco>\n{before}\n<worldbody>\n{_ROD.format(inside)}</worldbody>\n{after}\n</mujoco>"


def _joint(attributes: str) -> str:
    body = f'<body name="rod"><joint name="swing" {attributes}/><geom size="0.1 0.2" type="capsule"/></body>'
    return f"<mujoco>\n<worldbody>\n{body}</worldbody>\n</mujoco>"


_SECOND = '<body name="two"><joint name="turn"/><geom size="0.1"/></body>'
_FIXED = '<joint joint="swing" coef="1"/>'
UNSUPPORTED: dict[str, tuple[str, str]] = {
    "gravcomp": (
        '<mujoco><worldbody><body name="b" gravcomp="-1"><joint/><geom size="1"/></body></worldbody></mujoco>',
        "body 'b': gravcomp -1 adds to gravity",
    ),
    "actuator_gravcomp": (
        '<mujoco><worldbody><body name="b" gravcomp="1"><joint name="j" actuatorgravcomp="true"/>'
        '<geom size="1"/></body></worldbody></mujoco>',
        "joint 'j': actuatorgravcomp counts gravcomp among the forces of actuators",
    ),
    "slack_tendon": (
        _with(f'<tendon><fixed name="t" stiffness="2" springlength="0 1">{_FIXED}</fixed></tendon>'),
        "tendon 't': its spring is slack between lengths 0 and 1",
    ),
    "spatial_armature": (
        _with(
            '<tendon><spatial name="t" armature="1"><site site="a"/><site site="b"/></spatial></tendon>',
            inside='<site name="a"/>',
            before='<worldbody><site name="b" pos="1 0 0"/></worldbody>',
        ),
        "tendon 't': armature of a spatial tendon",
    ),
    "spatial_of_three": (
        _with(
            '<tendon><spatial name="t" damping="1"><site site="a"/><site site="b"/><site site="c"/></spatial></tendon>',
            inside='<site name="a"/>',
            before='<worldbody><site name="b" pos="1 0 0"/><site name="c" pos="1 0 1"/></worldbody>',
        ),
        "tendon 't': it runs over more than two sites",
    ),
    "equality_tendon": (
        _with(
            '<tendon><spatial name="t"><site site="a"/><site site="b"/></spatial></tendon>'
            '<equality><tendon name="e" tendon1="t"/></equality>',
            inside='<site name="a"/>',
            before='<worldbody><site name="b" pos="1 0 0"/></worldbody>',
        ),
        "equality 'e': tendon 't' is spatial: only those of joints are coupled here",
    ),
    "equality_tendon_of_none": (
        _with(
            f'<tendon><fixed name="t">{_FIXED}</fixed><fixed name="u">{_FIXED}</fixed></tendon>'
            '<equality><tendon name="e" tendon1="t" tendon2="u"/></equality>'
        ),
        "equality 'e': the lengths that it ties depend on no joint",
    ),
    "equality_powers": (
        _with(
            '<equality><joint name="e" joint1="swing" joint2="turn" polycoef="0 1 2 0 0"/></equality>', inside=_SECOND
        ),
        "equality 'e': polycoef 0 1 2 0 0: joints follow others by a line",
    ),
    "equality_circle": (
        _with(
            '<equality><joint name="e" joint1="swing" joint2="turn"/><joint name="f" joint1="turn" joint2="swing"/>'
            "</equality>",
            inside=_SECOND,
        ),
        "equality 'f': joint 'turn' follows 'swing', and another joint, or itself",
    ),
    "weld_turning": (
        _with('<equality><weld name="e" body1="rod" torquescale="0"/></equality>'),
        "equality 'e': torquescale 0 lets the bodies turn",
    ),
    "free_friction": (
        _joint('type="free" frictionloss="1"'),
        "joint 'swing': frictionloss of a free joint would depend on the axes",
    ),
    "free_spring": (_joint('type="free" stiffness="1"'), "joint 'swing': stiffness of a free joint"),
    "flex": (
        '<mujoco><worldbody><body name="b"><flexcomp name="f" type="grid" count="3 3 1" spacing="0.1 0.1 0.1" '
        'radius="0.01" dim="2" mass="1"/></body></worldbody></mujoco>',
        "bodies that deform are not read from MJCF",
    ),
}
"""Texts that MuJoCo reads and symdyn has not, by what they hold, with words of the refusal."""

MALFORMED: dict[str, tuple[str, str]] = {
    "element": (_with("<worldbdy/>"), "<worldbdy>: MuJoCo refuses it: Schema violation: unrecognized element"),
    "attribute": (_joint('axs="1 0 0"'), "<joint>: MuJoCo refuses it: Schema violation"),
    "number": (_joint('axis="1 0 x"'), "<joint>: MuJoCo refuses it"),
    "too_few": (_joint('axis="1 0"'), "<joint>: MuJoCo refuses it"),
    "axis_zero": (_joint('axis="0 0 0"'), "MuJoCo refuses it"),
    "nan": (_joint('damping="nan"'), "joint 'swing': damping is nan"),
    "keyword": (_joint('type="hing"'), "<joint>: MuJoCo refuses it: invalid keyword: 'hing'"),
    "negative_size": (_with(inside='<geom size="-1" mass="1"/>'), "MuJoCo refuses it: size 0 must be positive"),
    "repeated_name": (_with(inside=_SECOND + _SECOND), "MuJoCo refuses it"),
    "massless": ("<mujoco><worldbody><body><joint/></body></worldbody></mujoco>", "mass and inertia of moving bodies"),
    "unknown_class": (_joint('class="none"'), "MuJoCo refuses it: unknown default class"),
    "unknown_joint": (_with('<actuator><motor joint="none"/></actuator>'), "MuJoCo refuses it"),
    "unknown_body": (_with('<equality><weld body1="none"/></equality>'), "MuJoCo refuses it"),
    "unknown_mesh": (_with(inside='<geom type="mesh" mesh="none"/>'), "MuJoCo refuses it"),
    "inertia": (
        '<mujoco><worldbody><body><joint/><inertial pos="0 0 0" mass="1" diaginertia="1 1 9"/></body></worldbody>'
        "</mujoco>",
        "MuJoCo refuses it",
    ),
    "limits": (_joint('range="1 -1" limited="true"'), "MuJoCo refuses it"),
    "nested_free": (_with(inside='<body><freejoint/><geom size="1"/></body>'), "MuJoCo refuses it"),
    "two_roots": ("<mujoco/><mujoco/>", "not well-formed XML"),
    "unclosed": ("<mujoco><worldbody>", "not well-formed XML"),
    "doctype": ("<!DOCTYPE mujoco><mujoco/>", "a DOCTYPE declaration is refused"),
    "empty": ("<mujoco/>", "has no moving joint"),
    "part": ("<mujocoinclude/>", "<mujocoinclude> is a part of a model"),
    "another format": ("<robot name='arm'/>", "<robot> is no model; expected <mujoco>"),
    "plugin": (_with(before='<extension><plugin plugin="mujoco.pid"/></extension>'), "plugins are programs"),
}
"""Texts that are no model, with words of the refusal."""

ATTACHED = """<mujoco model="arm"><worldbody><body name="upper"><joint name="lift" axis="0 1 0"/>
<geom type="capsule" size="0.03 0.1" pos="0.1 0 0"/><site name="tip"/></body></worldbody>
<actuator><motor name="motor" joint="lift" gear="2"/></actuator></mujoco>"""
ATTACHING = """<mujoco><asset><model name="arm" file="parts/arm.xml"/></asset><worldbody><body name="base" pos="0 0 1">
<joint axis="0 0 1" name="yaw"/><geom size="0.1"/>
<frame pos="0.1 0 0"><attach model="arm" body="upper" prefix="l_"/></frame>
<frame pos="-0.1 0 0" euler="0 0 70"><attach model="arm" body="upper" prefix="r_"/></frame></body></worldbody>
<actuator><position name="servo" joint="yaw" kp="3"/></actuator></mujoco>"""
"""A model of two arms, each attached from a file ``parts/arm.xml`` that holds the one before."""
