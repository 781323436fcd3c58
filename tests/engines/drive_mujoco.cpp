// g++ drive_mujoco.cpp -lmujoco
#include <cstring>

#include <mujoco/mujoco.h>

#include "drive.hpp"

namespace {

struct World {
  mjModel* model;
  mjData* data;

  World(const drive::Options& o, double gap) {
    char xml[4096];
    std::snprintf(xml, sizeof xml,
                  "<mujoco><option timestep='%.17g' gravity='0 0 0'/><worldbody>"
                  "<geom name='a' type='plane' size='1 1 1'/>"
                  "<body pos='0 0 %.17g'><joint type='slide' axis='0 0 1'/>"
                  "<geom name='b' type='sphere' size='%.17g' mass='%.17g'/></body></worldbody>"
                  "<contact><pair geom1='a' geom2='b' condim='1' solref='%.17g %.17g' "
                  "solimp='%.17g %.17g %.17g'/></contact></mujoco>",
                  o["timestep"], o["radius"], o["radius"], o["mass"], o["solref0"], o["solref1"],
                  o["solimp0"], o["solimp1"], o["solimp2"]);
    mjVFS files;
    mj_defaultVFS(&files);
    mj_makeEmptyFileVFS(&files, "model.xml", int(std::strlen(xml)));
    std::memcpy(files.filedata[files.nfile - 1], xml, std::strlen(xml));
    char error[500] = "";
    model = mj_loadXML("model.xml", &files, error, sizeof error);
    mj_deleteVFS(&files);
    if (model == nullptr) {
      std::fprintf(stderr, "%s\n", error);
      std::exit(1);
    }
    data = mj_makeData(model);
    data->qpos[0] = gap;
    data->qvel[0] = -o["speed"];
  }
  ~World() {
    mj_deleteData(data);
    mj_deleteModel(model);
  }
  void step() { mj_step(model, data); }
  double velocity() const { return data->qvel[0]; }
};

}  // namespace

int main(int argc, char** argv) {
  return drive::phases(argc, argv,
                       [](const drive::Options& o, double gap) { return World(o, gap); });
}
