import initJolt from "jolt-physics";
import { options as o, phases } from "./drive.mjs";

const Jolt = await initJolt();
const [FIXED, MOVING] = [0, 1];
phases((gap) => {
  const settings = new Jolt.JoltSettings();
  const objects = new Jolt.ObjectLayerPairFilterTable(2);
  objects.EnableCollision(FIXED, MOVING);
  const layers = new Jolt.BroadPhaseLayerInterfaceTable(2, 2);
  layers.MapObjectToBroadPhaseLayer(FIXED, new Jolt.BroadPhaseLayer(0));
  layers.MapObjectToBroadPhaseLayer(MOVING, new Jolt.BroadPhaseLayer(1));
  settings.mObjectLayerPairFilter = objects;
  settings.mBroadPhaseLayerInterface = layers;
  settings.mObjectVsBroadPhaseLayerFilter = new Jolt.ObjectVsBroadPhaseLayerFilterTable(layers, 2, objects, 2);
  const jolt = new Jolt.JoltInterface(settings);
  const system = jolt.GetPhysicsSystem();
  const physics = system.GetPhysicsSettings();
  physics.mMinVelocityForRestitution = o.mMinVelocityForRestitution;
  system.SetPhysicsSettings(physics);
  system.SetGravity(new Jolt.Vec3(0, 0, 0));
  const bodies = system.GetBodyInterface();
  const add = (shape, y, motion, layer) => {
    const body = new Jolt.BodyCreationSettings(
      shape, new Jolt.RVec3(0, y, 0), new Jolt.Quat(0, 0, 0, 1), motion, layer,
    );
    body.mRestitution = o.mRestitution;
    body.mFriction = 0;
    body.mLinearDamping = 0;
    body.mAllowSleeping = false;
    const made = bodies.CreateBody(body);
    bodies.AddBody(made.GetID(), Jolt.EActivation_Activate);
    return made;
  };
  add(new Jolt.BoxShape(new Jolt.Vec3(1, 1, 1)), -1, Jolt.EMotionType_Static, FIXED);
  const ball = add(new Jolt.SphereShape(o.radius), o.radius + gap, Jolt.EMotionType_Dynamic, MOVING);
  ball.SetLinearVelocity(new Jolt.Vec3(0, -o.speed, 0));
  return {
    step: () => jolt.Step(o.timestep, 1),
    velocity: () => ball.GetLinearVelocity().GetY(),
    free: () => Jolt.destroy(jolt),
  };
});
