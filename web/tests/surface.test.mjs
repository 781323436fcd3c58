// What every tab promises: its size, phones, light and dark, names for screen readers, links, MIDI.
import assert from 'node:assert/strict';
import { readdirSync, readFileSync, statSync } from 'node:fs';
import { join } from 'node:path';
import { after, before, test } from 'node:test';
import { gzipSync } from 'node:zlib';
import { openBrowser } from './browser.mjs';
import { folder } from './serve.mjs';

let host;
before(async () => (host = await openBrowser()));
after(() => host?.close());
const tabs = ['play', 'experiment', 'identify', 'papers'];

/** A tab with what it shows after it was used. */
async function used(page, name) {
  await page.goto(`${host.address}#${name}`);
  if (name === 'play') await page.getByText('Press “Sound on”').waitFor();
  if (name === 'experiment') {
    await page.locator('#advice p').first().waitFor();
    await page.click('#run');
    await page.locator('#status.good').waitFor();
  }
  if (name === 'identify') {
    await page.getByRole('button', { name: 'impacts at several speeds' }).click();
    await page.locator('[data-verdict]').waitFor();
    await page.getByText('Parameters for a physics engine').click();
  }
  if (name === 'papers') await page.locator('#papers .card').waitFor();
}

test('less than 3 MB travel, compressed', (context) => {
  const sizes = readdirSync(folder, { recursive: true }).filter((name) => !name.startsWith('papers/') && statSync(join(folder, name)).isFile())
    .map((name) => gzipSync(readFileSync(join(folder, name))).length);
  const sum = sizes.reduce((a, b) => a + b, 0);
  context.diagnostic(`${(sum / 1e6).toFixed(2)} MB in ${sizes.length} files`);
  assert.ok(sum > 1e5 && sum < 3e6, String(sum));
});

for (const name of tabs) {
  test(`${name}: fits a phone, dark and light, and every control has a name`, async () => {
    const { page, complaints, context } = await host.page({ width: 390, height: 844 }, { colorScheme: 'dark', hasTouch: true });
    await used(page, name);
    const wide = await page.evaluate(() => document.documentElement.scrollWidth);
    assert.ok(wide <= 390, `${wide} pixels wide`);
    const brightness = () => page.evaluate(() => {
      const [r, g, b] = getComputedStyle(document.body).backgroundColor.match(/\d+/g).map(Number);
      return (r + g + b) / 765;
    });
    assert.ok((await brightness()) < 0.3);
    await page.click('#theme');
    assert.ok((await brightness()) > 0.8);
    await page.click('#theme');
    assert.ok((await brightness()) < 0.3);
    const session = await context.newCDPSession(page);
    const { nodes } = await session.send('Accessibility.getFullAXTree');
    const controls = nodes.filter((node) => ['button', 'textbox', 'combobox', 'slider', 'spinbutton', 'tab', 'link', 'image', 'tabpanel'].includes(node.role?.value) && !node.ignored);
    assert.ok(controls.length >= 6, String(controls.length));
    for (const control of controls) assert.ok(control.name?.value, `${control.role.value} without a name: ${JSON.stringify(control.properties)}`);
    assert.deepEqual(complaints, []);
    await context.close();
  });
}

test('a damaged link is told, not replaced', async () => {
  const { page, complaints, context } = await host.page();
  for (const hash of ['#experiment=AAAA', '#experiment=%%%', '#experiment=']) {
    await page.goto('about:blank');
    await page.goto(`${host.address}${hash}`);
    await page.getByText('The scenario in this address is damaged').waitFor();
    assert.equal(await page.getByLabel('Scenario in TOML').inputValue(), '');
  }
  assert.deepEqual(complaints, []);
  await context.close();
});

test('plots zoom by dragging, by buttons and back', async () => {
  const { page, complaints, context } = await host.page();
  await used(page, 'experiment');
  const plot = page.locator('[data-plot]').first();
  await plot.scrollIntoViewIfNeeded();
  const axis = () => plot.evaluate((box) => box.querySelector('canvas').toDataURL());
  const whole = await axis();
  const over = await plot.locator('.u-over').boundingBox();
  await page.mouse.move(over.x + 0.2 * over.width, over.y + 30);
  await page.mouse.down();
  await page.mouse.move(over.x + 0.3 * over.width, over.y + 30, { steps: 4 });
  await page.mouse.up();
  const near = await axis();
  assert.notEqual(near, whole);
  await plot.getByRole('button', { name: /zoom in$/ }).click();
  const nearer = await axis();
  assert.notEqual(nearer, near);
  await plot.getByRole('button', { name: /later$/ }).click();
  assert.notEqual(await axis(), nearer);
  await plot.getByRole('button', { name: /show all$/ }).click();
  assert.equal(await axis(), whole);
  assert.deepEqual(complaints, []);
  await context.close();
});

test('films move', async () => {
  const { page, complaints, context } = await host.page();
  await page.goto(`${host.address}#experiment`);
  await page.locator('#advice p').first().waitFor();
  await page.getByLabel('Scenario to start from').selectOption({ label: 'string: new string' });
  await page.click('#run');
  await page.locator('#status.good').waitFor();
  const film = page.locator('[data-film]').first();
  const picture = () => film.locator('canvas').evaluate((canvas) => canvas.toDataURL());
  const still = await picture();
  await film.getByRole('button', { name: 'Film' }).click();
  await page.waitForFunction((before) => document.querySelector('[data-film] canvas').toDataURL() !== before, still);
  assert.deepEqual(complaints, []);
  await context.close();
});

test('a MIDI keyboard plays; damping, pressing and striking reach the string', async () => {
  const { page, complaints, context } = await host.page();
  await page.addInitScript(() => {
    const input = { name: 'Test keys' };
    navigator.requestMIDIAccess = async () => ({ inputs: new Map([['1', input]]) });
    globalThis.midi = (...data) => input.onmidimessage({ data: new Uint8Array(data) });
  });
  await used(page, 'play');
  const awake = (count) => page.waitForFunction((n) => Number(document.querySelectorAll('#play .meter b')[2].textContent) >= n, count);
  const energy = async () => {
    const [value, unit] = (await page.locator('#play .meter b').first().textContent()).split(' ');
    return Number(value) * { p: 1e-12, n: 1e-9, 'µ': 1e-6, m: 1e-3, J: 1 }[unit[0]];
  };
  await page.getByRole('button', { name: 'MIDI' }).click();
  await page.getByText('MIDI: Test keys').waitFor();
  const note = Number(await page.locator('#play .keys button').first().getAttribute('data-note'));
  await page.evaluate((n) => midi(0x90, n, 100), note);
  await awake(1);
  await page.evaluate((n) => (midi(0x80, n, 0), midi(0x90, n + 4, 90)), note);
  await awake(2);
  // A hand on everything.
  await page.waitForTimeout(200);
  const loud = await energy();
  const damp = page.getByRole('button', { name: /^Damp/ });
  await damp.focus();
  await page.keyboard.down(' ');
  await page.waitForTimeout(600);
  await page.keyboard.up(' ');
  assert.ok((await energy()) < 0.1 * loud, `${await energy()} of ${loud}`);
  const canvas = await page.locator('#play canvas').first().boundingBox();
  for (const tool of ['strike', 'press']) {
    await page.getByRole('button', { name: tool, exact: true }).click();
    await page.mouse.move(canvas.x + canvas.width * 0.4, canvas.y + canvas.height * 0.55);
    await page.mouse.down();
    await page.mouse.move(canvas.x + canvas.width * 0.4, canvas.y + canvas.height * 0.7, { steps: 3 });
    await page.waitForTimeout(150);
    await page.mouse.up();
    await awake(1);
  }
  await page.getByLabel('Finger at the place of the obstacle').focus();
  await page.keyboard.press('ArrowRight');
  await page.waitForTimeout(200);
  const unexplained = Number(await page.locator('#play .meter b').nth(1).textContent());
  assert.ok(unexplained < 1e-9, String(unexplained));
  assert.equal(await page.locator('#play .error').count(), 0);
  assert.deepEqual(complaints, []);
  await context.close();
});
