import RAPIER from "@dimforge/rapier3d-compat";
import { options as o, phases } from "./drive.mjs";

await RAPIER.init();
phases((gap) => {
  const world = new RAPIER.World({ x: 0, y: 0, z: 0 });
  world.timestep = o.timestep;
  const ball = world.createRigidBody(
    RAPIER.RigidBodyDesc.dynamic().setTranslation(0, o.radius + gap, 0).setLinvel(0, -o.speed, 0).setCanSleep(false),
  );
  world.createCollider(RAPIER.ColliderDesc.ball(o.radius).setRestitution(o.restitution).setFriction(0), ball);
  world.createCollider(
    RAPIER.ColliderDesc.cuboid(1, 1, 1).setTranslation(0, -1, 0).setRestitution(o.restitution).setFriction(0),
  );
  return { step: () => world.step(), velocity: () => ball.linvel().y, free: () => world.free() };
});
