// The figures of docs/web.md: block times of an instrument natively and in Chromium, the ratio, voices on
// one core, and the time from opening the page to the first sound.
// node tests/figures.mjs NATIVE_PROGRAM [BLOCKS]
import { execFileSync } from 'node:child_process';
import { readFileSync } from 'node:fs';
import { openBrowser } from './browser.mjs';
import { ask, bytes, loader, open } from './engine.mjs';

const [native, blocks = '100000'] = process.argv.slice(2);
const scenarios = { 'string: tanpura': 'tanpura.toml', 'strike: bell': 'ball_on_bell.toml' };
const turns = 3;
const budget = (128 / 44100) * 1e6;

/** In the page: the same passage as bench/live_figures.cpp. */
async function inPage({ code, wasm, numbers, body, blocks, turns }) {
  const { start } = await import(`data:text/javascript,${encodeURIComponent(code)}`);
  const { exports, memory } = start(new WebAssembly.Module(Uint8Array.from(atob(wasm), (c) => c.charCodeAt(0))));
  const at = exports.live_take(8 * numbers.length);
  new Float64Array(memory.buffer, at, numbers.length).set(numbers);
  const string = body.string > 0;
  const times = new Float64Array(blocks).fill(Infinity);
  let hash = 1469598103934665603n, awake = 0, busy = 0;
  // A block counts by its shortest time: what it computes is the same in every turn.
  for (let k = 0; k < turns * blocks; ++k) {
    const i = k % blocks;
    if (i === 0 && !exports.live_open(at, numbers.length, 44100, 4, 1)) throw new Error('live_open');
    if (i % 100 === 0) exports.live_post(0, string ? 0 : 1, -body.lowest + ((i / 100) * 5) % 13 - 6, 0, string ? body.pluck_height : body.strike_speed, string ? body.pluck_place : -1);
    const begin = performance.now();
    const out = exports.live_process(128);
    const taken = performance.now() - begin;
    times[i] = Math.min(times[i], taken);
    if (k === i) awake += new Float64Array(memory.buffer, exports.live_energy(-1), 8)[5];
    if (k < 1000) for (const byte of new Uint8Array(memory.buffer, out, 1024)) hash = BigInt.asUintN(64, (hash ^ BigInt(byte)) * 1099511628211n);
    // As natively: rests keep a real-time process from being stopped.
    if ((busy += taken) > 50) {
      await new Promise((resolve) => setTimeout(resolve, 5));
      busy = 0;
    }
  }
  const sum = times.reduce((a, b) => a + b, 0);
  times.sort();
  const share = (p) => times[Math.floor(p * (times.length - 1))] * 1e3;
  return { median: share(0.5), p99: share(0.99), p999: share(0.999), worst: share(1), load: sum / Math.max(1, awake) / ((128 / 44100) * 1e3), hash: hash.toString(16).padStart(16, '0') };
}

const host = await openBrowser({ isolated: true });
const engine = open('carom');
console.log(`| instrument | where | median | 99 % | 99.9 % | worst of ${blocks} | of ${budget.toFixed(0)} us | voices on one core | same bits |\n|---|---|---|---|---|---|---|---|---|`);
for (const [name, file] of Object.entries(scenarios)) {
  const path = new URL(`../../examples/${file}`, import.meta.url);
  const env = { ...process.env, LD_PRELOAD: process.env.CAROM_PORTABLE_MATH ?? '' };
  const here = JSON.parse(execFileSync(native, [path.pathname, blocks, '-', String(turns)], { env }));
  const { said, columns } = ask(engine, { do: 'tables', text: readFileSync(path, 'utf8'), rate: 44100 });
  if (said.error) throw new Error(said.error);
  const { page, context } = await host.page();
  await page.goto(host.address);
  const there = await page.evaluate(inPage, { code: loader, wasm: bytes('live').toString('base64'), numbers: [...columns[said.ok.numbers]], body: said.ok, blocks: Number(blocks), turns });
  await context.close();
  const line = (where, one, bits) => console.log(`| ${name}, ${here.modes} modes | ${where} | ${one.median.toFixed(0)} us | ${one.p99.toFixed(0)} | ${one.p999.toFixed(0)} | ${one.worst.toFixed(0)} | ${((100 * one.p999) / budget).toFixed(0)} % | ${(1 / one.load).toFixed(1)} | ${bits} |`);
  line('native', here, '');
  line('Chromium', there, there.hash === here.hash ? 'yes' : 'no');
  console.log(`| | ratio | ${(there.median / here.median).toFixed(2)} | | | | | ${(here.load / there.load).toFixed(2)} | |`);
}

// In the audio thread itself: as many strings at once as it gives itself, and what the browser counts as underruns.
{
  const { page, context } = await host.page();
  await page.goto(host.address);
  const found = await page.evaluate(async (text) => {
    const instrument = await carom.Instrument.start();
    const body = await instrument.open(text, []);
    let load = 0;
    instrument.onnews = (news) => (load = Math.max(load, news.load ?? 0));
    const stats = instrument.context.playbackStats;
    for (let i = 0; i < 20; ++i) {
      instrument.play({ gesture: 'pluck', note: -body.lowest + ((5 * i) % 12) - 6, amount: body.pluck_height, place: body.pluck_place });
      await new Promise((resolve) => setTimeout(resolve, 500));
    }
    return { load, known: stats !== undefined, underruns: stats?.underrunEvents ?? stats?.fallbackFramesEvents, seconds: instrument.context.currentTime, voices: instrument.voices };
  }, readFileSync(new URL('../../examples/tanpura.toml', import.meta.url), 'utf8'));
  await context.close();
  console.log(`\n${found.voices} tanpura strings in the audio thread for ${found.seconds.toFixed(1)} s: at most ${(100 * found.load).toFixed(0)} % busy over a second, ${found.known ? `${found.underruns} underruns` : 'underruns are not counted by this browser'}.`);
}

// From opening the page to the first sound that leaves the audio thread.
const waits = [];
for (let turn = 0; turn < 3; ++turn) {
  const { page, context } = await host.page();
  const begin = performance.now();
  await page.goto(host.address);
  await page.click('#sound-on');
  await page.getByText('Sound is on').waitFor();
  await page.keyboard.press('a');
  await page.waitForFunction(() => Number(document.querySelectorAll('#play .meter b')[2].textContent) >= 1, undefined, { polling: 10 });
  waits.push((performance.now() - begin) / 1e3);
  await context.close();
}
console.log(`\nFrom opening the page to the first sound: ${waits.map((s) => s.toFixed(2)).join(', ')} s (without any cache).`);
await host.close();
