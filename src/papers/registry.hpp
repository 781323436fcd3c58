#pragma once

#include <carom/papers/reproduction.hpp>

/// One function per paper, each in the source file of its key.
namespace carom {

void reproduce_papetti2011(Reproduction& paper);
void reproduce_ramaswamy(Reproduction& paper);
void reproduce_poursina2020(Reproduction& paper);
void reproduce_issanchou2018(Reproduction& paper);
void reproduce_paoli2007(Reproduction& paper);

/// papers/<key>/published.toml, compiled in by src/papers/CMakeLists.txt.
namespace published {
extern const std::string_view papetti2011, ramaswamy, poursina2020, issanchou2018,
    paoli2007;
}

}  // namespace carom
