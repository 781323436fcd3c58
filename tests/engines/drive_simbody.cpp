// g++ drive_simbody.cpp $(pkg-config --cflags --libs simbody)
// Simbody chooses its steps by an accuracy; contact is read every `timestep`.
#include <Simbody.h>
#include <memory>

#include "drive.hpp"

using namespace SimTK;

namespace {

struct Model {
  MultibodySystem system;
  SimbodyMatterSubsystem matter{system};
  GeneralForceSubsystem forces{system};
  GeneralContactSubsystem contacts{system};
  ContactSetIndex set = contacts.createContactSet();
  State state;
  std::unique_ptr<RungeKuttaMersonIntegrator> integrator;
  std::unique_ptr<TimeStepper> stepper;
  MobilizedBody::Slider ball;
  double h, time = 0;

  Model(const drive::Options& o, double gap) : h(o["timestep"]) {
    const Body::Rigid body(MassProperties(o["mass"], Vec3(0), Inertia(1)));
    // A slider moves along x: the wall is the half space x < 0.
    ball = MobilizedBody::Slider(matter.Ground(), Transform(), body, Transform());
    contacts.addBody(set, ball, ContactGeometry::Sphere(o["radius"]), Transform());
    contacts.addBody(set, matter.updGround(), ContactGeometry::HalfSpace(),
                     Transform(Rotation(Pi, ZAxis), Vec3(0)));
    HuntCrossleyForce contact(forces, contacts, set);
    for (int i = 0; i < 2; ++i)
      contact.setBodyParameters(ContactSurfaceIndex(i), o["stiffness"], o["dissipation"], 0, 0, 0);
    system.realizeTopology();
    state = system.getDefaultState();
    ball.setQ(state, o["radius"] + gap);
    ball.setU(state, -o["speed"]);
    integrator = std::make_unique<RungeKuttaMersonIntegrator>(system);
    integrator->setAccuracy(1e-8);
    integrator->setMaximumStepSize(h);
    stepper = std::make_unique<TimeStepper>(system, *integrator);
    stepper->initialize(state);
  }
};

struct World {
  std::unique_ptr<Model> m;
  World(const drive::Options& o, double gap) : m(std::make_unique<Model>(o, gap)) {}
  void step() {
    m->time += m->h;
    m->stepper->stepTo(m->time);
  }
  double velocity() const { return m->ball.getU(m->integrator->getState()); }
};

}  // namespace

int main(int argc, char** argv) {
  return drive::phases(argc, argv,
                       [](const drive::Options& o, double gap) { return World(o, gap); });
}
