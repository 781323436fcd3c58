// Pictures of every tab for docs/web.md, desktop and phone, light and dark, and the spectrogram of a
// played passage of ten seconds. node tests/pictures.mjs FOLDER
import { mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { openBrowser } from './browser.mjs';

const folder = process.argv[2] ?? '../docs/images';
mkdirSync(folder, { recursive: true });
const host = await openBrowser();
const sizes = { desktop: { width: 1280, height: 860 }, phone: { width: 390, height: 844 } };
const themes = { desktop: 'light', phone: 'dark' };

for (const [where, viewport] of Object.entries(sizes)) {
  const { page, context } = await host.page(viewport, { colorScheme: themes[where], deviceScaleFactor: 1 });
  const take = (name) => page.screenshot({ path: `${folder}/web_${name}_${where}.png` });
  await page.goto(host.address);
  await page.getByText('Press “Sound on”').waitFor();
  await page.click('#sound-on');
  await page.getByText('Sound is on').waitFor();
  for (const key of 'adgk') {
    await page.waitForTimeout(700);
    await page.keyboard.press(key);
  }
  await page.waitForTimeout(150); // while it moves far enough to be seen
  await take('play');
  await page.goto(`${host.address}#experiment`);
  await page.reload();
  await page.locator('#advice p').first().waitFor();
  await page.click('#run');
  await page.locator('#status.good').waitFor();
  await page.waitForTimeout(500);
  if (where === 'phone') await page.locator('#results').scrollIntoViewIfNeeded();
  await take('experiment');
  await page.goto(`${host.address}#identify`);
  await page.reload();
  await page.getByRole('button', { name: 'impacts at several speeds' }).click();
  await page.locator('[data-verdict]').waitFor();
  await page.getByRole('button', { name: 'Predict' }).click();
  await page.getByText('rebound speed').waitFor();
  await page.evaluate(() => scrollTo(0, 0));
  await take('identify');
  await page.goto(`${host.address}#papers`);
  await page.reload();
  await page.locator('#papers .card').waitFor();
  await page.waitForTimeout(1500);
  await take('papers');
  await context.close();
}

// A passage: tanpura strings plucked in turn, the thread lowered away and raised again, then damped.
const { page, context } = await host.page({ width: 900, height: 420 }, { colorScheme: 'light' });
await page.goto(host.address);
const samples = await page.evaluate(async (text) => {
  const { body } = await carom.tablesOf(text, [], 44100);
  const note = -body.lowest, events = [];
  [[0, -5], [0.9, 0], [1.8, 0], [2.7, -12], [4.2, -5], [5, 0], [5.8, 0], [6.6, -12]].forEach(([at, step]) =>
    events.push({ gesture: 'pluck', note: note + step, amount: body.pluck_height, place: body.pluck_place, at }));
  events.push({ gesture: 'obstacle', index: body.obstacle, amount: -3e-3, place: -1, at: 4 });
  events.push({ gesture: 'obstacle', index: body.obstacle, amount: 0, place: -1, at: 7.4 });
  events.push({ gesture: 'damp_all', amount: 12, at: 9 });
  return [...(await carom.render(text, events, 10))];
}, readFileSync(new URL('../../examples/tanpura.toml', import.meta.url), 'utf8'));
const picture = await page.evaluate((samples) => {
  const size = 2048, hop = 441, width = Math.floor((samples.length - size) / hop), height = 360;
  const canvas = document.createElement('canvas');
  [canvas.width, canvas.height] = [width, height + 24];
  const context = canvas.getContext('2d');
  context.fillStyle = '#0a1020';
  context.fillRect(0, 0, width, height + 24);
  const window = Float64Array.from({ length: size }, (_, i) => 0.5 - 0.5 * Math.cos((2 * Math.PI * i) / size));
  for (let x = 0; x < width; ++x) {
    const re = Float64Array.from(window, (w, i) => w * samples[x * hop + i]), im = new Float64Array(size);
    for (let i = 1, j = 0; i < size; ++i) {
      let bit = size >> 1;
      for (; j & bit; bit >>= 1) j ^= bit;
      j ^= bit;
      if (i < j) [re[i], re[j]] = [re[j], re[i]];
    }
    for (let half = 1; half < size; half *= 2) {
      for (let start = 0; start < size; start += 2 * half) {
        for (let k = 0; k < half; ++k) {
          const angle = (-Math.PI * k) / half, c = Math.cos(angle), s = Math.sin(angle), a = start + k, b = a + half;
          const [tr, ti] = [re[b] * c - im[b] * s, re[b] * s + im[b] * c];
          [re[b], im[b]] = [re[a] - tr, im[a] - ti];
          re[a] += tr;
          im[a] += ti;
        }
      }
    }
    for (let y = 0; y < height; ++y) {
      const bin = Math.round(((height - 1 - y) / height) * (8000 / 44100) * size);
      const level = Math.min(1, Math.max(0, (20 * Math.log10(Math.hypot(re[bin], im[bin]) / 60 + 1e-9) + 80) / 80));
      context.fillStyle = `rgb(${Math.round(255 * Math.min(1, 2 * level))}, ${Math.round(255 * level * level)}, ${Math.round(80 + 100 * Math.sin(3 * level))})`;
      context.fillRect(x, y, 1, 1);
    }
  }
  context.fillStyle = '#e6edf3';
  context.font = '13px sans-serif';
  for (let second = 0; second <= 9; ++second) context.fillText(`${second} s`, (second * 44100) / hop, height + 17);
  for (const pitch of [2000, 4000, 6000]) context.fillText(`${pitch / 1000} kHz`, 4, height - (pitch / 8000) * height);
  return canvas.toDataURL('image/png').split(',')[1];
}, samples);
writeFileSync(`${folder}/web_passage.png`, Buffer.from(picture, 'base64'));
const peak = samples.reduce((most, one) => Math.max(most, Math.abs(one)), 0);
console.log(`passage: ${samples.length} samples, peak ${peak.toFixed(3)}`);
await context.close();
await host.close();
