#pragma once

#include <string>
#include <vector>

#include <carom/scenario/scenario.hpp>
#include <carom/systems/modal_structures.hpp>

namespace carom {

/// Where a scenario describes an object that vibrates.
struct StructureKeys {
  std::string type;   ///< the key that names it: "body.type"
  std::string at;     ///< what its dimensions begin with: "body."
  std::string loss;   ///< and its losses: "loss."
  std::string count;  ///< the key of the number of modes
};

/// bar, tube, plate, disc, membrane, drum, string, bell.
const std::vector<std::string>& structure_names();

/// The keys of dimensions and material, apart from type, number of modes and losses.
std::vector<Field> structure_fields();
/// constant, ratio, viscous: sigma = constant + ratio omega + viscous omega^2.
std::vector<Field> loss_fields(const std::string& prefix = "");

/// The modes of the object and its shapes at these places, one row each: x along a bar, tube or
/// string, [x, y] from a corner of plates and membranes and from the centre of discs and drums, the
/// angle around a bell. Throws InvalidInput that names the key.
ModalBody read_structure(const Scenario& scenario, const StructureKeys& keys,
                         const std::vector<Place>& places);

/// The keys of an object that is hit at one place and heard at another: `type`, `hit`, `heard`,
/// `mode_count`, the dimensions and its losses, `loss_constant` and so on.
std::vector<Field> object_fields();
/// Row 0 of the shapes is where it is hit, row 1 where it is heard.
ModalBody read_object(const Scenario& scenario, const std::string& table);

}  // namespace carom
