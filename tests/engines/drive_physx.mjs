// PhysX as WebAssembly for browsers: to start in node it must not see that it is there.
import fs from "node:fs";
import { createRequire } from "node:module";
import { options as o, phases } from "./drive.mjs";

const file = createRequire(import.meta.url).resolve("physx-js-webidl").replace(/\.m?js$/, ".wasm");
const wasmBinary = fs.readFileSync(file);
globalThis.window = globalThis;
Object.defineProperty(globalThis, "process", { value: undefined, writable: true, configurable: true });
const Px = await (await import("physx-js-webidl")).default({ wasmBinary, locateFile: (name) => name });

const version = Px.PHYSICS_VERSION, top = Px.PxTopLevelFunctions.prototype;
const foundation = top.CreateFoundation(version, new Px.PxDefaultAllocator(), new Px.PxDefaultErrorCallback());
const physics = top.CreatePhysics(version, foundation, new Px.PxTolerancesScale());
phases((gap) => {
  const desc = new Px.PxSceneDesc(physics.getTolerancesScale());
  desc.gravity = new Px.PxVec3(0, 0, 0);
  desc.cpuDispatcher = top.DefaultCpuDispatcherCreate(0);
  desc.filterShader = top.DefaultFilterShader();
  desc.solverType = Px.PxSolverTypeEnum.ePGS;
  if (o.bounceThresholdVelocity !== undefined) desc.bounceThresholdVelocity = o.bounceThresholdVelocity;
  const scene = physics.createScene(desc);
  const material = physics.createMaterial(0, 0, o.restitution);
  if (o.damping !== undefined) material.setDamping(o.damping);
  const flags = new Px.PxShapeFlags(Px.PxShapeFlagEnum.eSCENE_QUERY_SHAPE | Px.PxShapeFlagEnum.eSIMULATION_SHAPE);
  const identity = () => new Px.PxTransform(Px.PxIDENTITYEnum.PxIdentity);
  const add = (geometry, y, moving) => {
    const pose = identity();
    pose.p = new Px.PxVec3(0, y, 0);
    const shape = physics.createShape(geometry, material, true, flags);
    shape.setSimulationFilterData(new Px.PxFilterData(1, 1, 0, 0));
    shape.setContactOffset(o.contactOffset ?? 0.02);
    shape.setRestOffset(0);
    const actor = moving ? physics.createRigidDynamic(pose) : physics.createRigidStatic(pose);
    actor.attachShape(shape);
    scene.addActor(actor);
    return actor;
  };
  add(new Px.PxBoxGeometry(1, 1, 1), -1, false);
  const ball = add(new Px.PxSphereGeometry(o.radius), o.radius + gap, true);
  ball.setMass(o.mass);
  ball.setLinearDamping(0);
  ball.setSleepThreshold(0);
  ball.setLinearVelocity(new Px.PxVec3(0, -o.speed, 0));
  return {
    step: () => { scene.simulate(o.timestep); scene.fetchResults(true); },
    velocity: () => ball.getLinearVelocity().y,
    free: () => scene.release(),
  };
});
