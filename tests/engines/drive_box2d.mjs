// planck is Box2D 2.4 in JavaScript; the threshold is a setting of the program there.
import { Circle, Edge, Settings, World } from "planck";
import { options as o, phases } from "./drive.mjs";

Settings.velocityThreshold = o.restitutionThreshold;
phases((gap) => {
  const world = new World({ gravity: { x: 0, y: 0 } });
  const fixture = { restitution: o.restitution, friction: 0, density: 1 };
  world.createBody().createFixture({ shape: new Edge({ x: -10, y: 0 }, { x: 10, y: 0 }), ...fixture });
  const ball = world.createDynamicBody({
    position: { x: 0, y: o.radius + gap + Settings.polygonRadius }, allowSleep: false,
    linearVelocity: { x: 0, y: -o.speed },
  });
  ball.createFixture({ shape: new Circle(o.radius), ...fixture });
  return { step: () => world.step(o.timestep), velocity: () => ball.getLinearVelocity().y };
});
