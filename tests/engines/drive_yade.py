"""A ball thrown at a fixed wall in YADE: as drive.hpp. Run by yade-batch's plain interpreter:
yade -n -x drive_yade.py name=number ..."""

import sys

from yade import O, Vector3, utils
from yade.wrapper import (
    Bo1_Sphere_Aabb, Bo1_Wall_Aabb, ForceResetter, Ig2_Wall_Sphere_ScGeom,
    InsertionSortCollider, InteractionLoop, Ip2_ViscElMat_ViscElMat_ViscElPhys, Law2_ScGeom_ViscElPhys_Basic,
    NewtonIntegrator, ViscElMat,
)

o = {name: float(value) for name, value in (text.split("=") for text in sys.argv[1:] if "=" in text)}
for i in range(int(o["phases"])):
    gap = (i + 0.5) / o["phases"] * o["timestep"] * o["speed"]
    O.reset()
    density = o["mass"] / (4 / 3 * 3.141592653589793 * o["radius"] ** 3)
    O.materials.append(ViscElMat(kn=o["kn"], cn=o["cn"], ks=0, cs=0, frictionAngle=0, density=density))
    O.bodies.append(utils.wall(0, axis=2))
    ball = O.bodies[O.bodies.append(utils.sphere((0, 0, o["radius"] + gap), o["radius"]))]
    ball.state.vel = Vector3(0, 0, -o["speed"])
    O.engines = [
        ForceResetter(),
        InsertionSortCollider([Bo1_Sphere_Aabb(), Bo1_Wall_Aabb()]),
        InteractionLoop([Ig2_Wall_Sphere_ScGeom()], [Ip2_ViscElMat_ViscElMat_ViscElPhys()],
                        [Law2_ScGeom_ViscElPhys_Basic()]),
        NewtonIntegrator(damping=0, gravity=(0, 0, 0)),
    ]
    O.dt = o["timestep"]
    v, touching, still, n = -o["speed"], 0, 0, 0
    while n < o["longest"] and (v < 0 or still < 3):
        O.step()
        now = ball.state.vel[2]
        force = abs(now - v) > 1e-7 * o["speed"]
        touching += force
        still = 0 if force else still + 1
        v, n = now, n + 1
    print("outcome", v / o["speed"] if v > 0 else 0.0, touching)
