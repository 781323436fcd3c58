// The sound file that the page saves beside that of the program: gain, fades, two channels, every sample.
import assert from 'node:assert/strict';
import { execFileSync } from 'node:child_process';
import { mkdtempSync, readFileSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { after, before, test } from 'node:test';
import { openBrowser } from './browser.mjs';

const program = process.env.CAROM_PROGRAM, math = process.env.CAROM_PORTABLE_MATH;
const skip = program && math ? false : 'CAROM_PROGRAM or CAROM_PORTABLE_MATH is not set';
let host;
before(async () => (host = await openBrowser()));
after(() => host?.close());

/** Rate, channels, width and the bytes of the samples. */
function parts(file) {
  const found = {};
  for (let at = 12; at + 8 <= file.length; ) {
    const size = file.readUInt32LE(at + 4), body = file.subarray(at + 8, at + 8 + size);
    const name = file.subarray(at, at + 4).toString();
    if (name === 'fmt ') Object.assign(found, { channels: body.readUInt16LE(2), rate: body.readUInt32LE(4), bits: body.readUInt16LE(14) });
    if (name === 'data') found.data = body;
    at += 8 + size + (size % 2);
  }
  return found;
}

const example = (name) => readFileSync(new URL(`../../examples/${name}.toml`, import.meta.url), 'utf8');
const scenarios = {
  'plate, to its peak': example('plate'),
  'bell, resampled to 22050 Hz, 16 bits': example('ball_on_bell').replace(/^duration.*/m, 'duration = 0.5').replace('rate = 48000', 'rate = 22050\nbits = 16'),
  'tanpura, stereo with gain and fades': example('tanpura').replace(/^duration.*/m, 'duration = 0.4').replace('points = [0.91]', 'points = [0.3, 0.91]')
    .replace(/\[sound\][^[]*/, '[sound]\nquantity = \"velocity\"\npoint = 1\nright = 2\ngain = 0.2\nfade = [0.01, 0.1]\n'),
};

for (const [name, text] of Object.entries(scenarios)) {
  test(`${name}: sound.wav of the page is that of carom run`, { skip }, async (about) => {
    const { page, complaints, context } = await host.page();
    await page.goto(`${host.address}#experiment`);
    await page.locator('#advice p').first().waitFor();
    await page.getByLabel('Scenario in TOML').fill(text);
    await page.click('#run');
    await page.locator('#sound').waitFor();
    const [saved] = await Promise.all([page.waitForEvent('download'), page.getByRole('button', { name: 'WAV', exact: true }).click()]);
    const here = parts(readFileSync(await saved.path()));
    const where = mkdtempSync(join(tmpdir(), 'carom-sound-'));
    writeFileSync(join(where, 'it.toml'), text);
    execFileSync(program, ['run', 'it.toml', '--out', 'out', '--quiet'], { cwd: where, env: { ...process.env, CAROM_INSTRUCTIONS: 'baseline', LD_PRELOAD: math } });
    const there = parts(readFileSync(join(where, 'out', 'sound.wav')));
    for (const key of ['rate', 'channels', 'bits']) assert.equal(here[key], there[key], key);
    assert.equal(here.data.length, there.data.length);
    const width = here.bits / 8;
    let different = 0, largest = 0;
    for (let i = 0; i < here.data.length; i += width) {
      const [a, b] = [here.data.readIntLE(i, width), there.data.readIntLE(i, width)];
      if (a !== b) ++different;
      largest = Math.max(largest, Math.abs(b));
    }
    about.diagnostic(`${different} of ${here.data.length / width} samples differ`);
    assert.ok(largest > 100, 'silence');
    assert.equal(different, 0);
    assert.deepEqual(complaints, []);
    await context.close();
  });
}
