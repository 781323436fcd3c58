// g++ drive_ode.cpp -lode
#include <ode/ode.h>

#include "drive.hpp"

namespace {

struct World {
  dWorldID world = dWorldCreate();
  dSpaceID space = dSimpleSpaceCreate(nullptr);
  dJointGroupID contacts = dJointGroupCreate(0);
  dBodyID ball = dBodyCreate(world);
  dGeomID sphere, plane;
  double h;
  dSurfaceParameters surface{};

  World(const drive::Options& o, double gap)
      : sphere(dCreateSphere(space, o["radius"])),
        plane(dCreatePlane(space, 0, 0, 1, 0)),
        h(o["timestep"]) {
    dMass mass;
    dMassSetSphereTotal(&mass, o["mass"], o["radius"]);
    dBodySetMass(ball, &mass);
    dGeomSetBody(sphere, ball);
    dBodySetPosition(ball, 0, 0, o["radius"] + gap);
    dBodySetLinearVel(ball, 0, 0, -o["speed"]);
    if (o.has("bounce")) {
      surface.mode = dContactBounce | dContactSoftERP;
      surface.bounce = o["bounce"];
      surface.bounce_vel = o["bounce_vel"];
      surface.soft_erp = o["soft_erp"];
    } else {
      surface.mode = dContactSoftERP | dContactSoftCFM;
      surface.soft_erp = o["soft_erp"];
      surface.soft_cfm = o["soft_cfm"];
    }
  }
  void step() {
    dContact contact{};
    if (dCollide(sphere, plane, 1, &contact.geom, sizeof(dContact)) > 0) {
      contact.surface = surface;
      dJointAttach(dJointCreateContact(world, contacts, &contact), ball, nullptr);
    }
    dWorldStep(world, h);
    dJointGroupEmpty(contacts);
  }
  double velocity() const { return dBodyGetLinearVel(ball)[2]; }
};

}  // namespace

int main(int argc, char** argv) {
  dInitODE();
  return drive::phases(argc, argv,
                       [](const drive::Options& o, double gap) { return World(o, gap); });
}
