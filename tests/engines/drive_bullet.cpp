// g++ drive_bullet.cpp $(pkg-config --cflags --libs bullet)
#include <btBulletDynamicsCommon.h>
#include <memory>

#include "drive.hpp"

namespace {

struct World {
  std::unique_ptr<btDefaultCollisionConfiguration> configuration =
      std::make_unique<btDefaultCollisionConfiguration>();
  std::unique_ptr<btCollisionDispatcher> dispatcher =
      std::make_unique<btCollisionDispatcher>(configuration.get());
  std::unique_ptr<btDbvtBroadphase> broadphase = std::make_unique<btDbvtBroadphase>();
  std::unique_ptr<btSequentialImpulseConstraintSolver> solver =
      std::make_unique<btSequentialImpulseConstraintSolver>();
  std::unique_ptr<btDiscreteDynamicsWorld> world = std::make_unique<btDiscreteDynamicsWorld>(
      dispatcher.get(), broadphase.get(), solver.get(), configuration.get());
  std::unique_ptr<btSphereShape> sphere;
  std::unique_ptr<btStaticPlaneShape> plane =
      std::make_unique<btStaticPlaneShape>(btVector3(0, 0, 1), 0);
  std::unique_ptr<btRigidBody> ball, ground;
  double h;

  World(const drive::Options& o, double gap) : h(o["timestep"]) {
    const btScalar mass = btScalar(o["mass"]), radius = btScalar(o["radius"]);
    sphere = std::make_unique<btSphereShape>(radius);
    btVector3 inertia;
    sphere->calculateLocalInertia(mass, inertia);
    ball = std::make_unique<btRigidBody>(mass, nullptr, sphere.get(), inertia);
    ground = std::make_unique<btRigidBody>(0, nullptr, plane.get());
    ball->setWorldTransform(
        btTransform(btQuaternion::getIdentity(), {0, 0, radius + btScalar(gap)}));
    ball->setLinearVelocity({0, 0, -btScalar(o["speed"])});
    ball->setActivationState(DISABLE_DEACTIVATION);
    world->setGravity({0, 0, 0});
    for (btRigidBody* body : {ball.get(), ground.get()}) {
      body->setFriction(0);
      if (o.has("contactProcessingThreshold"))
        body->setContactProcessingThreshold(btScalar(o["contactProcessingThreshold"]));
      if (o.has("restitution")) {
        world->getSolverInfo().m_restitutionVelocityThreshold = 0;
        world->getSolverInfo().m_splitImpulsePenetrationThreshold = 0;
      }
      if (o.has("contactStiffness"))
        body->setContactStiffnessAndDamping(btScalar(o["contactStiffness"]),
                                            btScalar(o["contactDamping"]));
      world->addRigidBody(body);
    }
    if (o.has("restitution")) {
      ball->setRestitution(btScalar(o["restitution"]));
      ground->setRestitution(1);
    }
  }
  ~World() {
    world->removeRigidBody(ball.get());
    world->removeRigidBody(ground.get());
  }
  void step() { world->stepSimulation(btScalar(h), 0); }
  double velocity() const { return ball->getLinearVelocity().z(); }
};

}  // namespace

int main(int argc, char** argv) {
  return drive::phases(argc, argv,
                       [](const drive::Options& o, double gap) { return World(o, gap); });
}
