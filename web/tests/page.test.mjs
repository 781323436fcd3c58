// Every tab in a real browser.
import assert from 'node:assert/strict';
import { execFileSync } from 'node:child_process';
import { mkdtempSync, readFileSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { after, before, test } from 'node:test';
import { deflateRawSync } from 'node:zlib';
import { openBrowser } from './browser.mjs';
import { serve } from './serve.mjs';

let host;
before(async () => (host = await openBrowser()));
after(() => host?.close());

/** The program, for what the page is compared with; without it those parts are skipped. */
const carom = process.env.CAROM_PROGRAM, live = process.env.CAROM_LIVE;
const portable = { CAROM_INSTRUCTIONS: 'baseline', LD_PRELOAD: process.env.CAROM_PORTABLE_MATH ?? '' };

test('Play: a pluck sounds, moves and is booked; keys, sliders and handles work', async () => {
  const { page, complaints, context } = await host.page();
  await page.goto(host.address);
  await page.getByText('Press “Sound on”').waitFor();
  await page.click('#sound-on');
  await page.getByText('Sound is on').waitFor();
  const canvas = await page.locator('#play canvas').first().boundingBox();
  await page.mouse.move(canvas.x + canvas.width * 0.3, canvas.y + canvas.height * 0.5);
  await page.mouse.down();
  await page.mouse.move(canvas.x + canvas.width * 0.3, canvas.y + canvas.height * 0.2, { steps: 4 });
  await page.mouse.up();
  const meters = () => page.locator('#play .meter b').allTextContents();
  await page.waitForFunction(() => document.querySelectorAll('#play .meter b')[2].textContent === '1');
  assert.match((await meters())[0], /J$/);
  const unexplained = Number((await meters())[1]);
  assert.ok(unexplained < 1e-9, `unexplained ${unexplained}`);
  await page.keyboard.press('d');
  await page.waitForFunction(() => Number(document.querySelectorAll('#play .meter b')[2].textContent) >= 2);
  await page.locator('#play .keys button').nth(4).click();
  await page.waitForFunction(() => Number(document.querySelectorAll('#play .meter b')[2].textContent) >= 3);
  // While it sounds: tension, obstacle, pickup.
  await page.locator('input[data-key="string.tension"]').evaluate((input) => {
    input.value = '0.8';
    input.dispatchEvent(new Event('input'));
  });
  for (const name of ['Place of the obstacle', 'Height of the obstacle in millimetres', 'Place of the pickup']) {
    await page.getByLabel(name, { exact: true }).focus();
    await page.keyboard.press('ArrowRight');
  }
  assert.match((await page.locator('#handles output').allTextContents()).join('; '), /^[\d.]+ % of the length; -?[\d.e-]+ mm; [\d.]+ % of the length; \d+ %$/);
  await page.keyboard.press('a');
  await page.waitForFunction(() => Number(document.querySelectorAll('#play .meter b')[2].textContent) >= 1);
  assert.ok(Number((await meters())[1]) < 1e-9, (await meters()).join());
  assert.equal(await page.locator('#play .error').count(), 0);
  await page.getByLabel('Instrument').selectOption({ label: (await page.getByLabel('Instrument').locator('option').allTextContents()).find((text) => text.startsWith('ball on bell')) });
  await page.getByText(/12 modes/).waitFor();
  assert.deepEqual(await page.locator('#play [aria-pressed]').evaluateAll((tools) => tools.map((one) => !one.disabled && one.getAttribute('aria-pressed') === 'true')), [false, true, false]);
  await page.mouse.click(canvas.x + 200, canvas.y + 60);
  await page.waitForFunction(() => document.querySelectorAll('#play .meter b')[2].textContent === '1');
  assert.deepEqual(complaints, []);
  await context.close();
});

test('Play: every instrument opens and sounds', { timeout: 300000 }, async () => {
  const { page, complaints, context } = await host.page();
  await page.goto(host.address);
  await page.getByText('Press “Sound on”').waitFor();
  await page.click('#sound-on');
  await page.getByText('Sound is on').waitFor();
  const choice = page.getByLabel('Instrument', { exact: true });
  const labels = await choice.locator('option').allTextContents();
  for (const name of ['tanpura', 'guitar-string', 'marimba', 'glass-on-ceramic', 'rolling-marble']) assert.ok(labels.some((label) => label.startsWith(name)), name);
  for (const label of labels) {
    await page.locator('#play [role=status]').evaluate((status) => (status.textContent = ''));
    await choice.selectOption({ label });
    await page.locator('#play [role=status]').getByText(/\d+ modes, .* Hz/).waitFor({ timeout: 60000 }).catch(async () => assert.fail(`${label}: ${await page.locator('#play [role=status]').textContent()}`));
    await page.locator('#play .keys button').nth(5).focus();
    await page.keyboard.press('Enter');
    await page.waitForFunction(() => Number(document.querySelectorAll('#play .meter b')[2].textContent) >= 1, undefined, { timeout: 60000 }).catch(() => assert.fail(`${label} is silent`));
  }
  assert.deepEqual(complaints, []);
  await context.close();
});

test('Experiment: runs, plots, downloads, and a link that carries the scenario', async () => {
  const { page, complaints, context } = await host.page();
  await page.goto(`${host.address}#experiment`);
  await page.locator('#advice p').first().waitFor();
  await page.click('#run');
  await page.locator('#status.good').waitFor();
  assert.ok((await page.locator('[data-plot] canvas').count()) >= 4);
  assert.ok(await page.locator('#sound').getAttribute('src'));
  const saved = {};
  for (const name of ['TOML', 'CSV', 'WAV']) {
    const [file] = await Promise.all([page.waitForEvent('download'), page.getByRole('button', { name, exact: true }).click()]);
    saved[name] = readFileSync(await file.path());
  }
  assert.match(saved.TOML.toString(), /kind = "strike"/);
  assert.match(saved.CSV.toString().split('\n')[0], /^time,heard/);
  assert.equal(saved.WAV.subarray(0, 4).toString(), 'RIFF');
  await page.getByRole('button', { name: 'Link' }).click();
  await page.waitForFunction(() => location.hash.length > 100);
  const text = await page.getByLabel('Scenario in TOML').inputValue();
  const other = await host.page();
  await other.page.goto(page.url());
  await other.page.getByLabel('Scenario in TOML').waitFor();
  await other.page.waitForFunction((expected) => document.querySelector('#experiment textarea').value === expected, text);
  assert.deepEqual([...complaints, ...other.complaints], []);
  await context.close();
});

test('Experiment: errors name their line and do not run; a long run can be stopped', async () => {
  const { page, complaints, context } = await host.page();
  await page.goto(`${host.address}#experiment`);
  await page.locator('#advice p').first().waitFor();
  await page.getByLabel('Scenario in TOML').fill('kind = "bounce"\n[body]\nmas = 0.1\n');
  await page.getByText(/Line 3: .*mas.*did you mean.*mass/).waitFor();
  assert.deepEqual(await page.locator('.editor .wrong').allTextContents(), ['1', '2', '3']);
  await page.getByLabel('Scenario in TOML').fill('[)');
  await page.getByText(/^Line 1:/).waitFor();
  await page.click('#run');
  await page.getByText('Not run.').waitFor();
  await page.getByLabel('Scenario in TOML').fill('kind = "strike"\n[body]\nmass = 0.02\nspeed = 1.5\n[resonator]\nfile = "modes.csv"\n[contact]\nlaw = "hunt-crossley"\nstiffness = 1e8\nexponent = 1.5\nmu = 0.1\n');
  await page.getByText(/modes.csv.*is not here/).waitFor();
  await page.getByLabel('Files that the scenario names', { exact: true }).setInputFiles({ name: 'modes.csv', mimeType: 'text/csv', buffer: Buffer.from('frequency,damping,mass,hit,heard\n523,2,0.08,1,0.8\n') });
  await page.locator('#advice p').first().waitFor();
  await page.click('#run');
  await page.locator('#status.good').waitFor();
  await page.getByLabel('Scenario in TOML').fill((await page.getByLabel('Scenario in TOML').inputValue()) + '[run]\nduration = 2000.0\n');
  await page.locator('#advice p').first().waitFor();
  await page.click('#run');
  await page.getByRole('button', { name: 'Stop' }).click();
  await page.getByText('Stopped.').waitFor();
  assert.deepEqual(complaints, []);
  await context.close();
});

test('Experiment: every kind runs as the engine writes it', { timeout: 300000 }, async () => {
  const { page, complaints, context } = await host.page();
  await page.goto(`${host.address}#experiment`);
  await page.locator('#advice p').first().waitFor();
  const options = await page.getByLabel('Scenario to start from').locator('option').allTextContents();
  const fresh = options.filter((label) => /: new /.test(label));
  assert.ok(fresh.length >= 9, fresh.join());
  for (const label of fresh) {
    await page.getByLabel('Scenario to start from').selectOption({ label });
    await page.click('#run');
    await page.getByText(/^Done in/).waitFor({ timeout: 60000 }).catch(() => assert.fail(label));
    await page.locator('#status.good').waitFor();
    // In motion, whatever the kind.
    const film = page.locator('[data-film]').first();
    const picture = () => film.locator('canvas').evaluate((canvas) => canvas.toDataURL());
    const still = await picture();
    await film.getByRole('slider').evaluate((slider) => {
      slider.value = String(Math.round(slider.max / 3));
      slider.dispatchEvent(new Event('input'));
    });
    assert.notEqual(await picture(), still, label);
  }
  assert.deepEqual(complaints, []);
  await context.close();
});

test('Experiment: the film plays the stretch that a plot shows', async () => {
  const { page, complaints, context } = await host.page();
  await page.goto(`${host.address}#experiment`);
  await page.locator('#advice p').first().waitFor();
  await page.getByLabel('Scenario to start from').selectOption({ label: 'bounce: new bounce' });
  await page.click('#run');
  await page.locator('#status.good').waitFor();
  const moment = () => page.locator('[data-film] output').textContent();
  await page.locator('[data-film]').getByRole('slider').evaluate((slider) => {
    slider.value = slider.max;
    slider.dispatchEvent(new Event('input'));
  });
  const whole = await moment();
  const plot = page.locator('[data-plot]').first();
  for (let i = 0; i < 3; ++i) await plot.getByRole('button', { name: /zoom in$/ }).click();
  const near = await moment();
  assert.match(whole, / s$/);
  assert.ok(parseFloat(near) * (near.endsWith('ms') ? 1e-3 : 1) < 0.6 * parseFloat(whole), `${near} of ${whole}`);
  await plot.getByRole('button', { name: /show all$/ }).click();
  assert.equal(await moment(), whole);
  assert.deepEqual(complaints, []);
  await context.close();
});

test('Identify: an archive of phyphox, columns and units that are given afterwards', async () => {
  const { page, complaints, context } = await host.page();
  await page.goto(`${host.address}#identify`);
  const give = (name, buffer) => page.locator('#data').setInputFiles({ name, mimeType: 'application/octet-stream', buffer });
  await page.getByText('or try:').waitFor();
  const archive = zip({ 'Raw Data.csv': Object.values(phyphox)[0], 'meta/device.csv': '"property","value"\n"version","1.1.16"\n' });
  await give('Bounces 2026.zip', archive);
  await page.getByText('Raw Data.csv: one run').waitFor();
  assert.deepEqual(await page.locator('[data-verdict]').allTextContents(), ['constant-restitution: accepted']);
  await give('cut.zip', archive.subarray(0, archive.length - 30));
  await page.getByText('The archive is damaged.').waitFor();
  assert.equal(await page.locator('[data-verdict]').count(), 0);
  await give('other.zip', zip({ 'meta/device.csv': 'a' }));
  await page.getByText('There is no table (CSV) in the archive.').waitFor();
  await give('times.csv', Buffer.from('500\n1500\n2300\n2940\n3452\n3861.6\n'));
  for (const [key, value, wanting] of [['columns', 'time', /has no titles/], ['units', 'ms', /give their unit/]]) {
    await page.getByText(wanting).waitFor();
    await page.locator(`input[data-key=${key}]`).fill(value);
    await page.locator(`input[data-key=${key}]`).press('Enter');
  }
  await page.getByText('times.csv: one run').waitFor();
  assert.match(await page.locator('[data-verdict]').textContent(), /constant-restitution/);
  assert.deepEqual(complaints, []);
  await context.close();
});

/** A ZIP archive as programs write it, without the sums that nobody checks here. */
function zip(files) {
  const locals = [], central = [];
  let at = 0;
  for (const [name, text] of Object.entries(files)) {
    const label = Buffer.from(name), data = deflateRawSync(text);
    const head = Buffer.alloc(30), entry = Buffer.alloc(46);
    head.writeUInt32LE(0x04034b50, 0);
    entry.writeUInt32LE(0x02014b50, 0);
    for (const [part, from] of [[head, 4], [entry, 6]]) {
      part.writeUInt16LE(20, from);
      part.writeUInt16LE(8, from + 4); // deflated
      part.writeUInt32LE(data.length, from + 14);
      part.writeUInt32LE(text.length, from + 18);
      part.writeUInt16LE(label.length, from + 22);
    }
    entry.writeUInt32LE(at, 42);
    locals.push(head, label, data);
    central.push(entry, label);
    at += head.length + label.length + data.length;
  }
  const end = Buffer.alloc(22), list = Buffer.concat(central);
  end.writeUInt32LE(0x06054b50, 0);
  end.writeUInt16LE(central.length / 2, 8);
  end.writeUInt16LE(central.length / 2, 10);
  end.writeUInt32LE(list.length, 12);
  end.writeUInt32LE(at, 16);
  return Buffer.concat([...locals, list, end]);
}

test('Identify: a table, a recording, the microphone, and what cannot be read', async () => {
  const { page, complaints, context } = await host.page();
  await page.goto(`${host.address}#identify`);
  await page.getByRole('button', { name: 'bounces of a ball (times)' }).click();
  await page.locator('[data-verdict]').waitFor();
  assert.match(await page.locator('#found').textContent(), /constant-restitution/);
  await page.getByRole('button', { name: 'impacts at several speeds' }).click();
  await page.getByText('impacts at several speeds.csv: one run').waitFor();
  assert.equal(await page.locator('[data-verdict]').textContent(), 'hunt-crossley: accepted');
  await page.getByRole('button', { name: 'Predict' }).click();
  await page.getByText('rebound speed [m/s]').waitFor();
  assert.match(await page.locator('#found table').first().textContent(), /stiffness \[N\/m\^/);
  await page.getByText('Parameters for a physics engine').click();
  await page.getByRole('button', { name: 'Show parameters' }).click();
  await page.locator('#engine-parameters pre').getByText(/solref/).waitFor();
  const [kept] = await Promise.all([page.waitForEvent('download'), page.getByRole('button', { name: 'Save mujoco.json' }).click()]);
  const parameters = JSON.parse(readFileSync(await kept.path()));
  if (carom) {
    const [fit] = await Promise.all([page.waitForEvent('download'), page.getByRole('button', { name: 'Save fit.json' }).click()]);
    const native = JSON.parse(execFileSync(carom, ['export', '--to', 'mujoco', '--fit', await fit.path(), '--timestep', '0.001', '--json']));
    assert.deepEqual(Object.keys(parameters), Object.keys(native));
    native.parameters.solref.forEach((value, i) => assert.ok(Math.abs(value / parameters.parameters.solref[i] - 1) < 1e-6, `${parameters.parameters.solref} beside ${native.parameters.solref}`));
  }
  await page.locator('[data-key="engine time step [s]"]').fill('');
  await page.getByRole('button', { name: 'Show parameters' }).click();
  await page.locator('#engine-parameters .error').getByText(/depends on its time step/).waitFor();
  await page.locator('#data').setInputFiles({ name: 'clicks.wav', mimeType: 'audio/wav', buffer: clicks() });
  await page.getByText(/mass.*times of bounces say nothing about forces/).waitFor();
  await page.locator('input[data-key=mass]').fill('');
  await page.locator('#data').setInputFiles([]);
  await page.locator('#data').setInputFiles({ name: 'clicks.wav', mimeType: 'audio/wav', buffer: clicks() });
  await page.getByText(/recording|sound/i).first().waitFor();
  await page.locator('[data-verdict]').waitFor();
  for (const [name, text] of Object.entries(phyphox)) {
    await page.locator('#data').setInputFiles({ name, mimeType: 'text/csv', buffer: Buffer.from(text) });
    await page.getByText(`${name}: one run`).waitFor();
    assert.match(await page.locator('[data-verdict]').textContent(), /constant-restitution/, name);
  }
  await page.locator('.drop').evaluate((drop, text) => {
    const dataTransfer = new DataTransfer();
    dataTransfer.items.add(new File([text], 'dropped.csv', { type: 'text/csv' }));
    drop.dispatchEvent(new DragEvent('drop', { dataTransfer, bubbles: true, cancelable: true }));
  }, Object.values(phyphox)[0]);
  await page.getByText('dropped.csv: one run').waitFor();
  await page.locator('[data-verdict]').waitFor();
  await page.locator('#data').setInputFiles({ name: 'junk.csv', mimeType: 'text/csv', buffer: Buffer.from([1, 0, 2, 0, 3]) });
  await page.getByText(/junk\.csv.*is not text/).waitFor();
  await page.getByRole('button', { name: 'Record', exact: true }).click();
  await page.getByText(/^Recording:/).waitFor();
  await page.waitForTimeout(1200);
  await page.getByRole('button', { name: 'Stop recording' }).click();
  await page.getByText(/^microphone: one run|file 'microphone'/).waitFor();
  assert.deepEqual(complaints, []);
  await context.close();
});

/** Exports of phyphox, the acoustic stopwatch and the inelastic collision: a ball that keeps 0.8 of its speed. */
const phyphox = {
  'stopwatch.csv': '"Start (s)","Stop 1 (s)","Stop 2 (s)","Stop 3 (s)","Stop 4 (s)","Stop 5 (s)"\n0.5,1.5,2.3,2.94,3.452,3.8616\n',
  'collision.csv': '"Bounce 0 (s)","Height 0 (m)","Bounce 1 (s)","Height 1 (m)","Energy 1","Bounce 2 (s)","Bounce 3 (s)","Bounce 4 (s)","Bounce 5 (s)"\n0.5,1,1.5,0.64,0.64,2.3,2.94,3.452,3.8616\n',
};

/** A WAV of a ball that bounces: clicks at the times of a restitution of 0.8. */
function clicks() {
  const rate = 44100, samples = new Int16Array(3 * rate);
  for (let time = 0.2, flight = 0.5; flight > 0.05 && time < 2.9; time += flight, flight *= 0.8) {
    for (let i = 0; i < 300; ++i) samples[Math.round(time * rate) + i] += 20000 * Math.exp(-i / 40) * Math.sin(i * 0.7);
  }
  const head = Buffer.alloc(44);
  head.write('RIFF', 0);
  head.writeUInt32LE(36 + samples.byteLength, 4);
  head.write('WAVEfmt ', 8);
  head.writeUInt32LE(16, 16);
  head.writeUInt16LE(1, 20);
  head.writeUInt16LE(1, 22);
  head.writeUInt32LE(rate, 24);
  head.writeUInt32LE(2 * rate, 28);
  head.writeUInt16LE(2, 32);
  head.writeUInt16LE(16, 34);
  head.write('data', 36);
  head.writeUInt32LE(samples.byteLength, 40);
  return Buffer.concat([head, Buffer.from(samples.buffer)]);
}

test('Play by keyboard: Tab starts no sound, a key that starts it keeps the focus', async () => {
  const { page, complaints, context } = await host.page();
  await page.goto(host.address);
  await page.getByText('Press “Sound on”').waitFor();
  const passed = [];
  for (let i = 0; i < 40; ++i) {
    await page.keyboard.press('Tab');
    passed.push(await page.evaluate(() => document.activeElement.getAttribute('aria-label') ?? document.activeElement.textContent));
  }
  for (const name of ['Play', 'Sound on', 'Instrument', 'MIDI', 'C3', 'C4', 'Place of the pickup']) assert.ok(passed.includes(name), `${name}: ${passed}`);
  assert.equal(passed.filter((name) => name === 'C3').length, 1, passed.join()); // nothing was made anew under the fingers
  assert.equal(await page.locator('#sound-on').textContent(), 'Sound on');
  await page.locator('#play .keys button').nth(2).focus();
  await page.keyboard.press('Enter');
  await page.getByText('Sound is on').waitFor();
  assert.equal(await page.evaluate(() => document.activeElement.getAttribute('data-note')), await page.locator('#play .keys button').nth(2).getAttribute('data-note'));
  await page.waitForFunction(() => Number(document.querySelectorAll('#play .meter b')[2].textContent) >= 1);
  assert.deepEqual(complaints, []);
  await context.close();
});

test('Papers and the keyboard: tabs by arrows, no complaint', async () => {
  const { page, complaints, context } = await host.page();
  await page.goto(host.address);
  await page.locator('#tab-play').focus();
  for (const name of ['experiment', 'identify', 'papers']) {
    await page.keyboard.press('ArrowRight');
    await page.locator(`#tab-${name}[aria-selected=true]`).waitFor();
  }
  await page.locator('#papers .card').waitFor();
  assert.deepEqual(complaints, []);
  await context.close();
});

test('offline once loaded: with the server gone every tab opens again and the engine runs', async () => {
  const { server, address } = await serve();
  const { page, complaints, context } = await host.page();
  await page.goto(address);
  await page.evaluate(() => navigator.serviceWorker.ready);
  await page.waitForFunction(() => navigator.serviceWorker.controller !== null);
  server.closeAllConnections();
  await new Promise((resolve) => server.close(resolve));
  await assert.rejects(fetch(address));
  for (const name of ['play', 'experiment', 'identify', 'papers']) {
    await page.goto('about:blank');
    await page.goto(`${address}#${name}`);
    await page.locator(`#tab-${name}[aria-selected=true]`).waitFor();
    if (name === 'play') {
      await page.click('#sound-on');
      await page.getByText('Sound is on').waitFor();
      await page.keyboard.press('a');
      await page.waitForFunction(() => Number(document.querySelectorAll('#play .meter b')[2].textContent) >= 1);
    }
    if (name === 'experiment') {
      await page.locator('#advice p').first().waitFor();
      await page.click('#run');
      await page.locator('#status.good').waitFor();
    }
    if (name === 'identify') {
      await page.getByRole('button', { name: 'bounces of a ball (times)' }).click();
      await page.locator('[data-verdict]').waitFor();
    }
    if (name === 'papers') await page.locator('#papers .card').waitFor();
  }
  assert.deepEqual(complaints, []);
  await context.close();
});

test('what is played in the page is what is played natively, bit for bit', { skip: live ? false : 'CAROM_LIVE is not set' }, async () => {
  const { page, context, complaints } = await host.page();
  await page.goto(host.address);
  for (const example of ['tanpura', 'ball_on_bell']) {
    const path = new URL(`../../examples/${example}.toml`, import.meta.url);
    const where = mkdtempSync(join(tmpdir(), 'carom-web-'));
    const blocks = 690; // two seconds
    execFileSync(live, [path.pathname, String(blocks), join(where, 'samples')], { env: { ...process.env, ...portable } });
    const data = readFileSync(join(where, 'samples'));
    const native = new Float32Array(new Float64Array(data.buffer, data.byteOffset, data.byteLength / 8));
    const heard = await page.evaluate(async ({ text, blocks }) => {
      const { body } = await carom.tablesOf(text, [], 44100);
      const string = body.string > 0;
      const events = [];
      for (let i = 0; i < blocks; i += 100) {
        events.push({ gesture: string ? 'pluck' : 'strike', note: -body.lowest + ((i / 100) * 5) % 13 - 6, amount: string ? body.pluck_height : body.strike_speed, place: string ? body.pluck_place : -1, at: (i * 128) / 44100 });
      }
      return [...(await carom.render(text, events, (blocks * 128) / 44100, { voices: 1, gain: 1 }))];
    }, { text: readFileSync(path, 'utf8'), blocks });
    assert.equal(heard.length, native.length);
    const different = heard.filter((value, i) => value !== native[i]).length;
    const peak = native.reduce((most, one) => Math.max(most, Math.abs(one)), 0);
    const worst = heard.reduce((most, one, i) => Math.max(most, Math.abs(one - native[i])), 0);
    assert.ok(peak > 0.01);
    assert.equal(different, 0, `${example}: ${different} samples differ, by up to ${worst / peak}`);
  }
  assert.deepEqual(complaints, []);
  await context.close();
});

test('a run in the page is the run of the program', { skip: carom ? false : 'CAROM_PROGRAM is not set' }, async () => {
  const { page, context } = await host.page();
  await page.goto(`${host.address}#experiment`);
  await page.locator('#advice p').first().waitFor();
  for (const kind of ['impact', 'pair', 'strike']) {
    const label = (await page.getByLabel('Scenario to start from').locator('option').allTextContents()).find((text) => text === `${kind}: new ${kind}`);
    await page.getByLabel('Scenario to start from').selectOption({ label });
    const text = await page.getByLabel('Scenario in TOML').inputValue();
    await page.click('#run');
    await page.getByText(/^Done in/).waitFor();
    const [file] = await Promise.all([page.waitForEvent('download'), page.getByRole('button', { name: 'CSV', exact: true }).click()]);
    const rows = (body) => body.trim().split('\n').slice(1).map((line) => line.split(',').map(Number));
    const here = rows(readFileSync(await file.path(), 'utf8'));
    const where = mkdtempSync(join(tmpdir(), 'carom-web-'));
    writeFileSync(join(where, 'it.toml'), text);
    execFileSync(carom, ['run', 'it.toml', '--out', 'out', '--quiet'], { cwd: where, env: { ...process.env, ...portable } });
    const there = rows(readFileSync(join(where, 'out', 'signals.csv'), 'utf8'));
    assert.equal(here.length, there.length, kind);
    const scale = there[0].map((_, i) => Math.max(...there.map((row) => Math.abs(row[i]))));
    let worst = 0;
    there.forEach((row, r) => row.forEach((value, i) => (worst = Math.max(worst, scale[i] > 0 ? Math.abs(value - here[r][i]) / scale[i] : 0))));
    assert.ok(worst < 1e-9, `${kind}: ${worst}`);
  }
  await context.close();
});
