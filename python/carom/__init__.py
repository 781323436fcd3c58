"""carom: what happens when things hit each other.

>>> import carom
>>> law = carom.identify(law="hunt-crossley", restitution=0.6, contact_time=2e-4,
...                      mass=0.01, speed=1.0, exponent=1.5)
>>> hit = carom.impact(law, mass=0.01, speed=1.0)
>>> round(hit.restitution, 9)
0.6
"""

from ._carom import version as __version__
from .assembly import Assembly
from .exports import export, identify_modes, score
from .identification import (
    FileFit,
    Fit,
    formula_costs,
    identify,
    identify_bounces,
    identify_details,
    identify_file,
    identify_force_trace,
    identify_recording,
    identify_series,
    identify_two_speeds,
    impact_times,
)
from .impacts import Impact, impact
from .laws import LAWS, hertz, materials
from .laws import NAMES as _LAW_NAMES
from .modal import ModalBody, ModalRun, StiffString, disc, drum, membrane, modal_run, plate, thin_bar
from .nonsmooth import (
    BarDrop,
    ContactRun,
    LcpSolution,
    bar_modes,
    drop_bar,
    simulate_contacts,
    solve_lcp,
)
from .scenarios import Run, new_scenario, papers, presets, run, run_text
from .simulations import Simulation, simulate_bounces, simulate_impact, simulate_strike
from .studies import sweep_function
from .sweeps import read_sweep, sweep

globals().update(_LAW_NAMES)

__all__ = [
    *_LAW_NAMES,
    "Assembly",
    "new_scenario",
    "run_text",
    "BarDrop",
    "ContactRun",
    "FileFit",
    "Fit",
    "Impact",
    "LAWS",
    "LcpSolution",
    "ModalBody",
    "ModalRun",
    "Run",
    "bar_modes",
    "drop_bar",
    "Simulation",
    "StiffString",
    "disc",
    "drum",
    "export",
    "formula_costs",
    "hertz",
    "identify",
    "identify_bounces",
    "identify_details",
    "identify_file",
    "identify_force_trace",
    "identify_modes",
    "identify_recording",
    "identify_series",
    "identify_two_speeds",
    "impact",
    "impact_times",
    "materials",
    "membrane",
    "modal_run",
    "papers",
    "plate",
    "presets",
    "read_sweep",
    "run",
    "score",
    "simulate_contacts",
    "solve_lcp",
    "simulate_bounces",
    "simulate_impact",
    "simulate_strike",
    "sweep",
    "sweep_function",
    "thin_bar",
    "__version__",
]
