#include "engine.hpp"

namespace carom {

const std::vector<Engine>& engines() {
  static const std::vector<Engine> all{
      mujoco_engine(),  drake_engine(),   bullet_engine(), ode_engine(),    sdf_engine(),
      simbody_engine(), chrono_engine(),  physx_engine(),  rapier_engine(), jolt_engine(),
      box2d_engine(),   exudyn_engine(),  dart_engine(),   yade_engine(),   lammps_engine(),
      adams_engine(),   modelica_engine()};
  return all;
}

}  // namespace carom
