#include <fmt/format.h>

#include <carom/scenario/template.hpp>
#include <carom/systems/materials.hpp>

namespace carom {

std::string material_page() {
  std::string text =
      "# Materials and shapes\n\n"
      "Generated from the one table of the program (`carom materials`). Values are typical ones at "
      "room temperature: stiffnesses of real pieces differ by some per cent, of woods and rubbers "
      "by "
      "half, losses by a factor of two and more. A mode decays with sigma = eta omega/2 from the "
      "loss "
      "factor eta; what it radiates and loses at its supports comes on top (`loss`).\n\n"
      "| name | E [GPa] | density [kg/m^3] | Poisson's ratio | loss factor | what | source |\n"
      "|---|---|---|---|---|---|---|\n";
  for (const NamedMaterial& m : materials()) {
    text += fmt::format("| `{}` | {:.4g} | {:g} | {:g} | {:.2g} | {} | {} |\n", m.name,
                        m.young / 1e9, m.density, m.poisson, m.loss_factor, m.summary, m.source);
  }
  return text +
         R"(
The sources in full. Cremer & Heckl: L. Cremer, M. Heckl, Structure-Borne Sound, 2nd ed. 1988, as tabulated by T. Irvine, Damping Properties of Materials, rev. C, 2004. Gere: J. M. Gere, Mechanics of Materials, the table of typical properties as university courses quote it. NPTEL: Indian Institutes of Technology, course 112104040, table 9.1. ecourses: Multimedia Engineering Mechanics, appendix of material properties. Schetky & Perkins: The quiet alloys, Machine Design, 6 April 1978, as quoted on eng-tips.com. Pilkington: technical bulletin ATS-129, 2013. MakeItFrom: its page of alumina, IEC 60672 type C-795. Birch & Bancroft: Elasticity and internal friction in a long column of granite, 1938, abstract. Chudnoff: fact sheet on Dalbergia nigra of the Forest Products Laboratory. Wood Handbook: values of the Forest Products Laboratory's handbook as engdatabase.com lists them (the density is 1.12 times the specific gravity). Wood Database: wood-database.com. Teal-Jones: the company's page on Sitka spruce. DuPont Teijin: product information Mylar H-37232-3. Ruess: relation of hardness to modulus as quoted by Dow. Adams & Askenazi: Building Better Products with Finite Element Analysis, as quoted in the manual of SolidWorks (half the loss factor). "Typical" marks numbers for which no such source was found.

## Hertz contact from radii and materials

In every table with the keys of a contact law, `radii` and `materials` stand for `stiffness`:

```text
[contact]
law = "hunt-crossley"
radii = [0.01]                   # m; one: the second body is flat; negative: a hollow
materials = ["steel", "glass"]   # one: both are of it
mu = 0.1
```

The stiffness is k = (4/3) E* sqrt(R*), with 1/R* = 1/R1 + 1/R2 and 1/E* = (1 - nu1^2)/E1 + (1 - nu2^2)/E2, the exponent 1.5; laws of another exponent are refused. The same on the command line and in Python:

```sh
carom impact --radii 0.01 --materials steel,glass --mass 0.033 --speed 1 --mu 0.1
```

```python
import carom
law = carom.hertz([0.01], ["steel", "glass"])      # carom.PowerLaw(stiffness=..., exponent=1.5)
carom.materials()["steel"]["young"]                # 210e9
```

How much is lost in the contact (`mu`, `restitution`, ...) does not follow from these: it is plasticity and friction more than the loss factor.

## Shapes

`resonator.type` of kind [strike](kind_strike.md), `body.type` of kind [body](kind_body.md) and `structure` of the modal bodies of an [assembly](kind_assembly.md):

| type | dimensions | edge | frequencies |
|---|---|---|---|
| `bar` | `length`, `width`, `thickness`, or `radius` (round) | `ends`: free, supported (pinned), clamped, cantilever | Euler and Bernoulli: roots of cos cosh = +-1 |
| `tube` | `length`, `radius` (outer), `thickness` (of the wall) | as `bar` | likewise |
| `plate` | `length`, `width`, `thickness` | `edge`: supported, free, clamped | Kirchhoff; free and clamped by Ritz's method, within 1e-4 of Leissa, J. Sound Vib. 31 (1973) 257, made to converge |
| `disc` | `radius`, `thickness` | `edge`: free, supported, clamped | Bessel functions, Leissa, NASA SP-160 (1969) |
| `membrane`, `drum` | `length`, `width` or `radius`; `thickness` | fixed | sines; zeros of Bessel functions |
| `string` | `length`, `radius`, `tension` or `note` | pinned | f_j = j f sqrt(1 + B j^2) |
| `bell` | `frequency` of its prime or `note`, `mass` | | measured ratios of a tuned church bell, Fletcher & Rossing (1998), table 21.1 |

All are thin: shear and rotary inertia, which lower the high modes of thick bars, the air that loads a membrane and the curvature of real bells are left out. Gains follow from the mode shapes at the places `hit` and `heard` of a strike, and at the hammers, obstacles and pickups of a body. `note = "A4"` tunes the lowest mode (of a bell the prime): by the tension, of bars, tubes, plates and discs by the thickness; on the command line `carom run FILE --note A4`.
)";
}

}  // namespace carom
