// A ball thrown at a fixed plane, without gravity: as drive.hpp, for engines in JavaScript.
export const options = Object.fromEntries(
  process.argv.slice(2).map((text) => {
    const at = text.indexOf("=");
    return [text.slice(0, at), Number(text.slice(at + 1))];
  }),
);

// `make(gap)` gives {step, velocity, free}; positions in engines of single precision are as exact
// as the numbers they hold, so forces are told by a change of 1e-5 of the speed.
export function phases(make) {
  const { speed, timestep, phases: count, longest } = options;
  for (let i = 0; i < count; ++i) {
    const world = make(((i + 0.5) / count) * timestep * speed);
    let v = -speed, touching = 0, still = 0;
    for (let n = 0; n < longest && (v < 0 || still < 3); ++n) {
      world.step();
      const now = world.velocity();
      const force = Math.abs(now - v) > 1e-5 * speed;
      touching += force;
      still = force ? 0 : still + 1;
      v = now;
    }
    console.log(v > 0 ? v / speed : 0, touching);
    world.free?.();
  }
}
