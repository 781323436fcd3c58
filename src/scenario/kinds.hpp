#pragma once

#include <carom/scenario/kind.hpp>

/// One line for each kind; each is one file, kind_NAME.cpp.
namespace carom {

Kind impact_kind();
Kind bounce_kind();
Kind pair_kind();
Kind pendulums_kind();
Kind strike_kind();
Kind string_kind();
Kind bar_kind();
Kind body_kind();
Kind assembly_kind();

}  // namespace carom
