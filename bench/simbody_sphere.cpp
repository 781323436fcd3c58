#include "simbody_sphere.hpp"

#include <Simbody.h>

double rebound_by_simbody(const SimbodySphere& sphere, double accuracy, double until) {
  using namespace SimTK;
  MultibodySystem system;
  SimbodyMatterSubsystem matter(system);
  GeneralForceSubsystem forces(system);
  GeneralContactSubsystem contacts(system);
  const ContactSetIndex set = contacts.createContactSet();
  const Body::Rigid ball(
      MassProperties(sphere.mass, Vec3(0), sphere.mass * UnitInertia::sphere(sphere.radius)));
  MobilizedBody::Translation mobilized(matter.updGround(), Transform(), ball, Transform());
  contacts.addBody(set, mobilized, ContactGeometry::Sphere(sphere.radius), Transform());
  // The half space is solid where its x is positive: turn x downwards.
  contacts.addBody(set, matter.updGround(), ContactGeometry::HalfSpace(),
                   Transform(Rotation(-Pi / 2, ZAxis), Vec3(0)));
  HuntCrossleyForce contact(forces, contacts, set);
  for (const int surface : {0, 1}) {
    contact.setBodyParameters(ContactSurfaceIndex(surface), sphere.stiffness, sphere.dissipation, 0,
                              0, 0);
  }
  State state = system.realizeTopology();
  mobilized.setQToFitTranslation(state, Vec3(0, sphere.radius, 0));
  mobilized.setUToFitLinearVelocity(state, Vec3(0, -sphere.speed, 0));
  RungeKuttaMersonIntegrator integrator(system);
  integrator.setAccuracy(accuracy);
  TimeStepper stepper(system, integrator);
  stepper.initialize(state);
  stepper.stepTo(until);
  return mobilized.getUAsVector(stepper.getState())[1];
}
