#pragma once

#include <carom/papers/reproduction.hpp>

/// One function per paper, each in the source file of its key.
namespace carom {

void reproduce_papetti2011(Reproduction& paper);
void reproduce_ramaswamy(Reproduction& paper);
void reproduce_poursina2020(Reproduction& paper);
void reproduce_issanchou2018(Reproduction& paper);
void reproduce_paoli2007(Reproduction& paper);

/// papers/<key>/sweeps/<name>.toml, the sweeps of a paper and their scenarios, compiled in.
namespace sweeps {
extern const std::string_view paoli2007_bar, paoli2007_fig5, paoli2007_fig5_dip, paoli2007_fig6,
    paoli2007_fig8, paoli2007_fig9, poursina2020_impact, poursina2020_fig8;
}

/// papers/<key>/published.toml, compiled in by src/papers/CMakeLists.txt.
namespace published {
extern const std::string_view papetti2011, ramaswamy, poursina2020, issanchou2018, paoli2007;
}

}  // namespace carom
