// The same bits: runs by carom.wasm and by the program with portable kernels (CAROM_INSTRUCTIONS=baseline)
// and the same elementary functions (CAROM_PORTABLE_MATH, see portable_math in ./run).
import assert from 'node:assert/strict';
import { execFileSync } from 'node:child_process';
import { mkdtempSync, readFileSync, readdirSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { test } from 'node:test';
import { ask, open } from './engine.mjs';

const program = process.env.CAROM_PROGRAM, math = process.env.CAROM_PORTABLE_MATH;
const skip = program && math ? false : 'CAROM_PROGRAM or CAROM_PORTABLE_MATH is not set';
/** What is not the same to the last bit, and how far apart it may be, of the largest value. */
export const apart = JSON.parse(readFileSync(new URL('./bits.json', import.meta.url)));

const engine = skip ? undefined : open('carom');
const schema = skip ? { kinds: [] } : ask(engine, { do: 'schema' }).said.ok;
const texts = Object.fromEntries(schema.kinds.map((kind) => [`new ${kind.name}`, kind.template]));
texts['law formula'] = `kind = "impact"
[body]
mass = 0.01
speed = 1.0
[contact]
law = "formula"
force = "k*x^1.5*(1 + mu*v)*(x > a ? 1 + 0.1*tanh(x/a - 1) : 1)"
parameters = { k = 1e9, mu = 0.5, a = 1e-5 }
`;
const examples = new URL('../../examples/', import.meta.url);
for (const name of readdirSync(examples)) if (name.endsWith('.toml')) texts[name] = readFileSync(new URL(name, examples), 'utf8');

/** The largest deviation of the columns, of their largest values. */
function compared(text) {
  const { said, columns } = ask(engine, { do: 'run', text, overrides: ['run.duration=0.2'].filter(() => /^duration/m.test(text)) });
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
    assert.ok(worst <= (apart[name] ?? 0), `${different} of ${numbers} numbers differ, by up to ${worst} of the largest`);
  });
}
