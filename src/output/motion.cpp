#include <map>

#include <carom/output/motion.hpp>

namespace carom {

Json motion_of(const std::string& kind) {
  static const std::map<std::string, Json> motions{
      {"impact",
       {{"type", "line"},
        {"wall", true},
        {"signals", {"compression"}},
        {"caption", "The body and the wall; where they overlap the contact is compressed."}}},
      {"bounce",
       {{"type", "drop"},
        {"signals", {"height"}},
        {"caption", "The body over the floor; drawn as a ball."}}},
      {"pair",
       {{"type", "line"},
        {"wall", false},
        {"signals", {"position_a", "position_b"}},
        {"caption", "The two bodies; where they overlap the contact is compressed."}}},
      {"pendulums",
       {{"type", "pendulums"},
        {"signals", {"angle_1", "angle_2"}},
        {"caption", "The two rods at their angles; lengths and distance are not to scale."}}},
      {"strike",
       {{"type", "drop"},
        {"signals", {"body_position"}},
        {"surface", "hit"},
        {"down", true},
        {"caption",
         "The striking body over the place that it hits, magnified until it can be seen."}}},
      {"bar",
       {{"type", "bar"},
        {"signals", {"height", "angle"}},
        {"caption", "The bar at its angle over the floor; the height of its tip is magnified."}}}};
  const auto found = motions.find(kind);
  return found == motions.end() ? Json() : found->second;
}

}  // namespace carom
