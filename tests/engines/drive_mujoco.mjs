// The newest MuJoCo, as WebAssembly.
import loadMujoco from "@mujoco/mujoco";
import { options as o, phases } from "./drive.mjs";

const mujoco = await loadMujoco();
phases((gap) => {
  const model = mujoco.MjModel.from_xml_string(`<mujoco><option timestep="${o.timestep}" gravity="0 0 0"/><worldbody>
    <geom name="a" type="plane" size="1 1 1"/>
    <body pos="0 0 ${o.radius}"><joint type="slide" axis="0 0 1"/>
    <geom name="b" type="sphere" size="${o.radius}" mass="${o.mass}"/></body></worldbody>
    <contact><pair geom1="a" geom2="b" condim="1" solref="${o.solref0} ${o.solref1}"
      solimp="${o.solimp0} ${o.solimp1} ${o.solimp2}"/></contact></mujoco>`);
  const data = new mujoco.MjData(model);
  data.qpos[0] = gap;
  data.qvel[0] = -o.speed;
  return {
    step: () => mujoco.mj_step(model, data),
    velocity: () => data.qvel[0],
    free: () => { data.delete(); model.delete(); },
  };
});
