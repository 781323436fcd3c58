#include "assembly_examples.hpp"

#include <string>

#include <fmt/format.h>

namespace carom {
namespace {

constexpr std::string_view head =
    "# Run it:    carom run FILE\n# Check it:  carom check FILE\nkind = \"assembly\"\n";

/// Steel balls of 10 mm in a row that just touch; the first comes in. Hertz: 4/3 E* sqrt(R/2).
std::string balls(std::string_view title, int count, double speed, double gap, double mu,
                  double duration) {
  constexpr double diameter = 0.01, mass = 0.00411, stiffness = 7.6e9;
  std::string text = fmt::format("# {}\n{}title = \"{}\"\n", title, head, title);
  for (int i = 0; i < count; ++i) {
    text += fmt::format("\n[[body]]\nname = \"b{}\"\nmass = {}   # kg\nposition = {:.6g}   # m\n{}",
                        i + 1, mass, i == 0 ? -gap : i * diameter,
                        i == 0 ? fmt::format("velocity = {}   # m/s\n", speed) : "");
  }
  for (int i = 1; i < count; ++i) {
    text += fmt::format(
        "\n[[contact]]\nbetween = [\"b{}\", \"b{}\"]\ndistance = {}   # m, the diameter\n"
        "law = \"hunt-crossley\"\nstiffness = {:g}   # N/m^1.5\nexponent = 1.5\nmu = {}   # s/m\n",
        i, i + 1, diameter, stiffness, mu);
  }
  return text + fmt::format("\n[run]\nrate = 1e6   # Hz\nduration = {}   # s\n", duration);
}

constexpr std::string_view train =
    R"(# Five cars with different buffers, coupled by springs with dampers, run into a wall.
kind = "assembly"
title = "A train against a wall"

[[body]]
name = "car1"
mass = 2.0            # kg
position = 0.0        # m
velocity = 1.5        # m/s
[[body]]
name = "car2"
mass = 1.0
position = 0.3
velocity = 1.5
[[body]]
name = "car3"
mass = 3.0
position = 0.6
velocity = 1.5
[[body]]
name = "car4"
mass = 1.0
position = 0.9
velocity = 1.5
[[body]]
name = "car5"
mass = 2.0
position = 1.2
velocity = 1.5
[[body]]
name = "wall"
type = "fixed"
position = 1.35

[[link]]
between = ["car1", "car2"]
stiffness = 2000.0    # N/m
damping = 3.0         # N s/m
[[link]]
between = ["car2", "car3"]
stiffness = 2000.0
damping = 3.0
[[link]]
between = ["car3", "car4"]
stiffness = 2000.0
damping = 3.0
[[link]]
between = ["car4", "car5"]
stiffness = 2000.0
damping = 3.0

[[contact]]
between = ["car1", "car2"]
distance = 0.28       # m, of the reference points at first touch
law = "hertz-damper"
stiffness = 1e6
exponent = 1.5
damping = 40.0
[[contact]]
between = ["car2", "car3"]
distance = 0.28
law = "hunt-crossley"
stiffness = 2e6
exponent = 1.5
mu = 0.4
[[contact]]
between = ["car3", "car4"]
distance = 0.28
law = "power-law"
stiffness = 5e5
exponent = 1.3
[[contact]]
between = ["car4", "car5"]
distance = 0.28
law = "kelvin-voigt"
stiffness = 1e5
damping = 60.0
[[contact]]
between = ["car5", "wall"]
distance = 0.1
law = "hunt-crossley"
stiffness = 1e7
exponent = 1.5
mu = 0.3

[run]
rate = 10000.0        # Hz
duration = 0.5        # s
)";

constexpr std::string_view table =
    R"(# A ball on a vibrating table. x points up, so the table is the left body.
# Raise the amplitude to see the period double, and then chaos.
kind = "assembly"
title = "A ball on a vibrating table"

[space]
gravity = 9.81        # m/s^2, towards negative x

[[body]]
name = "table"
type = "driven"
amplitude = 0.0012    # m
frequency = 25.0      # Hz
[[body]]
name = "ball"
mass = 0.02           # kg
position = 0.03       # m

[[contact]]
between = ["table", "ball"]
distance = 0.01       # m
law = "newton"
restitution = 0.5

[run]
method = "event-driven"
rate = 20000.0        # Hz
duration = 2.0        # s
)";

constexpr std::string_view block =
    R"(# A slender block, tilted and let go on a rough floor, rocks to rest.
kind = "assembly"
title = "A rocking block"

[space]
dimension = 2
gravity = 9.81        # m/s^2, towards negative y

[[body]]
name = "block"
type = "box"
mass = 1.0            # kg
width = 0.1           # m
height = 0.4          # m
position = [0.0, 0.20225]   # m, of the centre
angle = 0.05          # rad

[[contact]]
between = ["block", "ground"]
law = "newton"
restitution = 0.0
friction = 0.8

[run]
method = "moreau-jean"
rate = 20000.0        # Hz
duration = 1.5        # s
)";

constexpr std::string_view damper =
    R"(# An impact damper: a small mass rattles in a cavity of a structure that is shaken at resonance.
kind = "assembly"
title = "An impact damper"

[[body]]
name = "structure"
mass = 1.0            # kg
force_amplitude = 0.5 # N
force_frequency = 5.0 # Hz
[[body]]
name = "rattler"
mass = 0.1            # kg
position = 0.0

[[link]]              # to the ground: 5 Hz, 0.5 % of critical damping
between = ["ground", "structure"]
stiffness = 986.96    # N/m
damping = 0.314       # N s/m

[[contact]]           # the right wall of the cavity
between = ["rattler", "structure"]
distance = -0.01      # m: half its clearance
law = "hunt-crossley"
stiffness = 1e7
exponent = 1.5
mu = 0.6
[[contact]]           # the left wall
between = ["structure", "rattler"]
distance = -0.01
law = "hunt-crossley"
stiffness = 1e7
exponent = 1.5
mu = 0.6

[run]
rate = 4000.0         # Hz
duration = 8.0        # s
)";

constexpr std::string_view kalimba =
    R"(# A tine with a loose rivet: the buzz of an African lamellophone.
kind = "assembly"
title = "A tine with a rivet"

[[body]]              # a steel tine, its modes computed from its dimensions
name = "tine"
type = "modal"
structure = "bar"
ends = "simply-supported"
length = 0.06         # m
linear_density = 0.025      # kg/m
bending_stiffness = 0.02    # N m^2
modes = 6
loss_constant = 4.0   # 1/s
loss_viscous = 2e-8   # s
[[body]]              # the rivet rests on the tine and is held down by a weak spring
name = "rivet"
mass = 2e-4           # kg
position = 0.0
force = -0.05         # N
[[body]]              # the thumb: it strikes from below
name = "thumb"
mass = 0.004          # kg
position = -0.001     # m
velocity = 0.6        # m/s

[[contact]]
between = ["tine", "rivet"]
at_first = 0.05       # m along the tine
law = "hunt-crossley"
stiffness = 1e7
exponent = 1.5
mu = 0.5
[[contact]]
between = ["thumb", "tine"]
at_second = 0.02
law = "hunt-crossley"
stiffness = 1e6
exponent = 1.5
mu = 1.0

[run]
rate = 44100.0        # Hz
duration = 0.5        # s

[sound]
body = "tine"
)";

constexpr std::string_view hammer =
    R"(# A felt hammer on a piano string (C4): f = k x^2.5 with losses, several short contacts in one blow.
kind = "assembly"
title = "A piano hammer on a string"

[[body]]
name = "string"
type = "modal"
structure = "string"
length = 0.62         # m
linear_density = 0.00626    # kg/m
tension = 670.0       # N
inharmonicity = 3.8e-4
modes = 40
loss_constant = 0.5   # 1/s
loss_viscous = 2e-9   # s
[[body]]
name = "hammer"
mass = 0.0029         # kg
position = -0.001     # m
velocity = 2.0        # m/s

[[contact]]
between = ["hammer", "string"]
at_second = 0.0744    # m, 12 % of the length
law = "hunt-crossley"
stiffness = 4e8       # N/m^2.5
exponent = 2.5
mu = 0.1

[run]
rate = 44100.0        # Hz
duration = 0.5        # s

[sound]
body = "string"
)";

constexpr std::string_view joint =
    R"(# Clearance in a joint: a crank pin of 9.9 mm in a bearing of 10 mm, a rod hanging on it.
kind = "assembly"
title = "A joint with clearance"

[space]
dimension = 2
gravity = 9.81        # m/s^2

[[body]]              # the bearing is shaken sideways
name = "bearing"
type = "driven"
shape = "disc"
radius = 0.005        # m, of the hole
amplitude = 0.002     # m
frequency = 8.0       # Hz
direction = [1.0, 0.0]
[[body]]
name = "pin"
type = "disc"
mass = 0.05           # kg
radius = 0.00495      # m
position = [0.0, -0.00004]
[[body]]
name = "rod"
type = "rod"
mass = 0.1            # kg
length = 0.12         # m
position = [0.0, -0.06004]
angle = 1.5707963267948966  # rad: upright

[[hinge]]
between = ["pin", "rod"]
at = [0.0, -0.00004]

[[contact]]
between = ["pin", "bearing"]
inside = true
law = "hunt-crossley"
stiffness = 1e8
exponent = 1.5
mu = 0.5

[run]
rate = 20000.0        # Hz
duration = 0.5        # s
)";

constexpr std::string_view oblique =
    R"(# A spinning disc bounces obliquely on a rough floor: friction turns spin into flight.
kind = "assembly"
title = "An oblique impact with friction"

[space]
dimension = 2
gravity = 9.81        # m/s^2

[[body]]
name = "disc"
type = "disc"
mass = 0.1            # kg
radius = 0.03         # m
position = [0.0, 0.3]
velocity = [1.0, 0.0]
spin = 40.0           # rad/s

[[contact]]
between = ["disc", "ground"]
law = "newton"
restitution = 0.8
friction = 0.3

[run]
method = "moreau-jean"
rate = 20000.0        # Hz
duration = 2.0        # s
)";

}  // namespace

std::vector<ScenarioExample> assembly_examples() {
  static const std::string cradle = balls("Newton's cradle", 5, 1.0, 0.002, 0.02, 0.004);
  static const std::string chain =
      balls("A solitary wave in a chain of spheres", 40, 0.5, 0.0, 0.0, 0.0012);
  return {{"train", "five cars with different buffers run into a wall", train},
          {"cradle", "Newton's cradle of steel balls", cradle},
          {"chain", "a solitary wave in a chain of forty spheres", chain},
          {"table", "a ball on a vibrating table, on the way to chaos", table},
          {"block", "a block that rocks to rest on a rough floor", block},
          {"damper", "a structure at resonance and a rattling mass", damper},
          {"kalimba", "a tine with a loose rivet, with sound", kalimba},
          {"hammer", "a felt hammer on a piano string, with sound", hammer},
          {"joint", "a pin in a bearing with clearance", joint},
          {"oblique", "a spinning disc that bounces with friction", oblique}};
}

}  // namespace carom
