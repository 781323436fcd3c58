// g++ drive_dart.cpp -ldart $(pkg-config --cflags eigen3)
#include <dart/dart.hpp>

#include "drive.hpp"

namespace {

using namespace dart::dynamics;

SkeletonPtr body(const char* name, const ShapePtr& shape, double mass, double restitution) {
  const SkeletonPtr skeleton = Skeleton::create(name);
  BodyNode* node = skeleton->createJointAndBodyNodePair<TranslationalJoint>().second;
  ShapeNode* part = node->createShapeNodeWith<VisualAspect, CollisionAspect, DynamicsAspect>(shape);
  part->getDynamicsAspect()->setRestitutionCoeff(restitution);
  part->getDynamicsAspect()->setFrictionCoeff(0);
  node->setMass(mass);
  return skeleton;
}

struct World {
  dart::simulation::WorldPtr world = dart::simulation::World::create();
  SkeletonPtr ball, ground;

  World(const drive::Options& o, double gap) {
    const double radius = o["radius"];
    ball = body("ball", std::make_shared<SphereShape>(radius), o["mass"], o["restitution"]);
    ground = body("ground", std::make_shared<BoxShape>(Eigen::Vector3d(1, 1, 1)), 1, 1);
    ground->setMobile(false);
    ground->setPosition(2, -0.5);
    ball->setPosition(2, radius + gap);
    ball->setVelocity(2, -o["speed"]);
    world->setGravity(Eigen::Vector3d::Zero());
    world->setTimeStep(o["timestep"]);
    world->addSkeleton(ball);
    world->addSkeleton(ground);
  }
  void step() { world->step(); }
  double velocity() const { return ball->getVelocity(2); }
};

}  // namespace

int main(int argc, char** argv) {
  return drive::phases(argc, argv,
                       [](const drive::Options& o, double gap) { return World(o, gap); });
}
