// The same bits: runs by carom.wasm and by the program with portable kernels (the preset portable and
// CAROM_INSTRUCTIONS=baseline) and the same elementary functions (CAROM_PORTABLE_MATH), see ./run.
import assert from 'node:assert/strict';
import { execFileSync } from 'node:child_process';
import { mkdtempSync, readFileSync, readdirSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { test } from 'node:test';
import { ask, open } from './engine.mjs';

const program = process.env.CAROM_PROGRAM, math = process.env.CAROM_PORTABLE_MATH;
const skip = program && math ? false : 'CAROM_PROGRAM or CAROM_PORTABLE_MATH is not set';

const engine = skip ? undefined : open('carom');
const schema = skip ? { kinds: [] } : ask(engine, { do: 'schema' }).said.ok;
const texts = {};
for (const kind of schema.kinds) {
  texts[`new ${kind.name}`] = kind.template;
  for (const one of kind.examples) texts[`new ${kind.name}: ${one.name}`] = one.text;
}
texts['law formula'] = `kind = "impact"
[body]
mass = 0.01
speed = 1.0
[contact]
law = "formula"
force = "k*x^1.5*(1 + mu*v)*(x > a ? 1 + 0.1*tanh(x/a - 1) : 1)"
parameters = { k = 1e9, mu = 0.5, a = 1e-5 }
`;
for (const folder of ['examples', 'presets']) {
  const files = new URL(`../../${folder}/`, import.meta.url);
  for (const name of readdirSync(files)) if (name.endsWith('.toml')) texts[name] = readFileSync(new URL(name, files), 'utf8');
}

/** The largest deviation of the columns, of their largest values. */
function compared(text) {
  // Shortened, but for twice its fades, which it must hold.
  const duration = /^fade/m.test(text) ? 0.7 : 0.2;
  const { said, columns } = ask(engine, { do: 'run', text, overrides: /^duration/m.test(text) ? [`run.duration=${duration}`] : [] });
  if (said.error) return { error: said.error };
  const where = mkdtempSync(join(tmpdir(), 'carom-bits-'));
  writeFileSync(join(where, 'it.toml'), said.ok.toml);
  execFileSync(program, ['run', 'it.toml', '--out', 'out', '--quiet'], { cwd: where, env: { ...process.env, CAROM_INSTRUCTIONS: 'baseline', LD_PRELOAD: math } });
  const rows = readFileSync(join(where, 'out', 'signals.csv'), 'utf8').trim().split('\n').slice(1).map((line) => line.split(',').map(Number));
  let worst = 0, different = 0;
  said.ok.signals.forEach((signal, i) => {
    const here = columns[signal.column];
    assert.equal(here.length, rows.length);
    const scale = rows.reduce((most, row) => Math.max(most, Math.abs(row[i])), 0);
    rows.forEach((row, r) => {
      if (row[i] === here[r]) return;
      ++different;
      worst = Math.max(worst, Math.abs(row[i] - here[r]) / scale);
    });
  });
  return { worst, different, numbers: rows.length * said.ok.signals.length };
}

for (const [name, text] of Object.entries(texts)) {
  test(`${name} has the same bits natively and in WebAssembly`, { skip, timeout: 300000 }, (context) => {
    const { error, worst, different, numbers } = compared(text);
    assert.equal(error, undefined);
    context.diagnostic(`${different} of ${numbers} numbers differ, by up to ${worst} of the largest`);
    assert.ok(numbers > 0);
    assert.equal(different, 0, `${different} of ${numbers} numbers differ, by up to ${worst} of the largest`);
  });
}
