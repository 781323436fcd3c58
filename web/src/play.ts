// The tab Play: an instrument under the hands.
import { make, quantity, shown } from './dom';
import { kinds, presets, type Kind, type Preset } from './engine';
import { sliders } from './form';
import { Instrument } from './instrument';
import { computerKeyboard, midiKeyboard, noteName, screenKeyboard, type Notes } from './keys';
import { View, type Tool } from './play_view';
import { Spectrogram } from './spectrogram';
import type { Event, News } from './worklet';

let visible = true;
function visibility(is: boolean) {
  visible = is;
}
export { visibility as shown };

const releaseDamping = 25; // [1/s], added when a key is let go
const handDamping = 60; //    and by a hand on everything

export async function open(panel: HTMLElement) {
  panel.append(make('p.soft', {}, 'The engine is loading…'));
  const [known, all] = await Promise.all([kinds(), presets()]);
  const playable = new Set(known.filter((kind) => kind.playable).map((kind) => kind.name));
  new Player(panel, known, all.filter((preset) => playable.has(preset.kind)));
}

class Player {
  private instrument?: Instrument;
  private starting?: Promise<void>;
  private preset: Preset;
  private overrides = new Map<string, string>();
  private tools: HTMLButtonElement[];
  private front = 0; // note that pointer gestures play, by the count of the tables
  private view = new View((event) => this.gesture(event));
  private spectrogram = new Spectrogram();
  private status = make('p.small', { role: 'status', 'aria-live': 'polite' });
  private form = make('div');
  private keyboard = make('div');
  private meters = {
    energy: make('b', {}, '–'), balance: make('b', {}, '–'), voices: make('b', {}, '0'), load: make('b', {}, '–'),
  };
  private bar = make('i');
  private timer?: number;

  constructor(panel: HTMLElement, private known: Kind[], private all: Preset[]) {
    this.preset = all.find((one) => one.name === 'tanpura') ?? all[0];
    const notes: Notes = { on: (note, strength) => this.note(note, strength), off: (note) => this.release(note) };
    const choice = make('select.wide', { 'aria-label': 'Instrument', onchange: () => this.choose(Number(choice.value)) },
      ...all.map((one, i) => make('option', { value: String(i), selected: one === this.preset }, one.summary ? `${one.name}: ${one.summary}` : one.name)));
    const start = make('button.main', { type: 'button', id: 'sound-on', onclick: () => void this.begin() }, 'Sound on');
    this.tools = (['pluck', 'strike', 'press'] as Tool[]).map((tool) =>
      make('button', { type: 'button', onclick: () => this.take(tool) }, tool));
    this.take('pluck');
    const damp = make('button', { type: 'button', 'aria-label': 'Damp: hold to put a hand on everything' }, 'damp');
    let laid = false; // passing over it with the mouse or by Tab is no gesture
    const hand = (on: boolean) => {
      if (on !== laid) void this.gesture({ gesture: 'damp_all', amount: on ? handDamping : 0 });
      laid = on;
    };
    for (const event of ['pointerdown', 'keydown']) damp.addEventListener(event, (e) => {
      if (!(e instanceof KeyboardEvent) || e.key === ' ' || e.key === 'Enter') hand(true);
    });
    for (const event of ['pointerup', 'pointerleave', 'keyup', 'blur']) damp.addEventListener(event, () => hand(false));
    const midi = make('button', { type: 'button', onclick: async () => {
      try {
        this.say(await midiKeyboard(notes));
      } catch {
        this.say('The browser does not give access to MIDI keyboards.');
      }
    } }, 'MIDI');
    const places = this.handles();
    panel.replaceChildren(make('div.split', {},
      make('div.stack', {},
        make('div.card', {}, make('div.row', {}, start, choice, ...this.tools, damp, midi), this.status, this.view.canvas, this.keyboard,
          make('p.small.soft', {}, 'Mouse and touch play; so do the letters from A to L, with black keys in the row above, where shift is louder and Z and X change the octave. The picture is stroboscopic: it slows the motion down.')),
        make('div.card', {}, make('h2', {}, 'Spectrogram'), this.spectrogram.box),
        make('div.card', {}, make('div.meters', {},
          this.meter('Energy now', this.meters.energy, make('div.bar', {}, this.bar)),
          this.meter('Unexplained, of all that went in', this.meters.balance),
          this.meter('Voices', this.meters.voices),
          this.meter('Audio thread busy', this.meters.load)))),
      make('div.card', {}, make('h2', {}, 'Parameters'), places, this.form)));
    this.view.onmoved = () => {
      [this.handle.place.value, this.handle.height.value, this.handle.pickup.value] =
        [this.view.obstacle.place, this.view.obstacle.height * 1e3, this.view.pickup].map(String);
      this.read();
    };
    computerKeyboard(notes, () => visible, () => 60);
    const redraw = () => {
      requestAnimationFrame(redraw);
      if (!visible) return;
      this.view.draw();
      if (this.instrument) this.spectrogram.draw(this.instrument.analyser);
    };
    redraw();
    void this.describe();
  }

  private handle = {
    place: make('input', { type: 'range', min: '0.01', max: '0.99', step: '0.001', 'aria-label': 'Place of the obstacle' }),
    height: make('input', { type: 'range', min: '-10', max: '3', step: '0.01', 'aria-label': 'Height of the obstacle in millimetres' }),
    finger: make('input', { type: 'range', min: '0', max: '1', step: '0.01', value: '0', 'aria-label': 'Finger at the place of the obstacle: how far it presses' }),
    pickup: make('input', { type: 'range', min: '0.01', max: '0.99', step: '0.001', 'aria-label': 'Place of the pickup' }),
  };

  private reading = new Map(Object.values(this.handle).map((input) => [input, make('output')]));

  /** What the handles stand at, with units. */
  private read() {
    for (const [input, output] of this.reading) {
      const value = Number(input.value);
      output.textContent = input === this.handle.height ? `${shown(value)} mm` : input === this.handle.finger ? `${Math.round(100 * value)} %` : `${shown(100 * value)} % of the length`;
      input.setAttribute('aria-valuetext', output.textContent);
    }
  }

  /** For what can be dragged in the picture, the same by keyboard. */
  private handles(): HTMLElement {
    const move = () => this.view.moveObstacle(Number(this.handle.place.value), Number(this.handle.height.value) / 1e3);
    this.handle.place.addEventListener('input', move);
    this.handle.height.addEventListener('input', move);
    this.handle.pickup.addEventListener('input', () => this.view.movePickup(Number(this.handle.pickup.value)));
    this.handle.finger.addEventListener('input', () => this.view.pressAt(Number(this.handle.place.value), Number(this.handle.finger.value)));
    const line = (text: string, input: HTMLInputElement) => make('label.slider', {}, make('span', {}, text), this.reading.get(input)!, input);
    this.handle.finger.addEventListener('input', () => this.read());
    return make('details', { open: true, id: 'handles' }, make('summary', {}, make('b', {}, 'while it sounds')),
      line('obstacle: place', this.handle.place), line('obstacle: height', this.handle.height), line('pickup: place', this.handle.pickup), line('finger there: pressed', this.handle.finger));
  }

  private take(tool: Tool) {
    this.view.tool = tool;
    this.tools.forEach((one) => one.setAttribute('aria-pressed', String(one.textContent === tool)));
  }

  private meter(label: string, value: HTMLElement, ...more: HTMLElement[]): HTMLElement {
    return make('div.meter', {}, make('span', {}, label), value, ...more);
  }

  private say(text: string, bad = false) {
    this.status.textContent = text;
    this.status.classList.toggle('error', bad);
  }

  private settings(): string[] {
    return [...this.overrides].map(([key, value]) => `${key}=${value}`);
  }

  private begin(): Promise<void> {
    this.starting ??= (async () => {
      this.say('Starting the sound…');
      this.instrument = await Instrument.start();
      this.instrument.onnews = (news) => this.news(news);
      await this.load();
      document.getElementById('sound-on')!.textContent = 'Sound is on';
    })().catch((error: Error) => {
      this.starting = undefined;
      this.say(error.message, true);
    });
    return this.starting;
  }

  private async choose(index: number) {
    this.preset = this.all[index];
    this.overrides.clear();
    if (this.instrument) await this.load();
    else await this.describe();
  }

  /** The form and the picture before there is sound. */
  private async describe() {
    try {
      const { tablesOf } = await import('./instrument');
      this.arrange((await tablesOf(this.preset.text, this.settings(), 44100)).body);
      this.say('Press “Sound on”, or play: the first gesture starts the sound.');
    } catch (error) {
      this.say((error as Error).message, true);
    }
  }

  private async load() {
    try {
      this.arrange(await this.instrument!.open(this.preset.text, this.settings()));
      const { body } = this.instrument!;
      this.say(`${body.modes} modes, ${shown(body.pitch)} Hz: ${noteName(this.base(body.pitch))}.`);
    } catch (error) {
      this.say((error as Error).message, true);
    }
  }

  private base(pitch: number): number {
    return Math.round(69 + 12 * Math.log2(pitch / 440));
  }

  private arrange(body: Instrument['body']) {
    this.view.show(body);
    this.front = -body.lowest;
    document.getElementById('handles')!.hidden = body.string === 0;
    // A body of which only modes are known can be struck and damped, no more.
    const solid = body.string === 0;
    if (this.tools[0].disabled !== solid) this.take(solid ? 'strike' : 'pluck');
    for (const one of this.tools) one.disabled = solid && one.textContent !== 'strike';
    if (body.string > 0) this.view.onmoved();
    // Once for each preset: what has the focus keeps it when the sound starts.
    if (this.arranged === this.preset) return;
    this.arranged = this.preset;
    const kind = this.known.find((one) => one.name === body.kind)!;
    this.form.replaceChildren(sliders(kind, body.values, (key, value) => this.changed(key, value)));
    const base = this.base(body.pitch);
    const from = Math.ceil((base - 7) / 12) * 12;
    this.keyboard.replaceChildren(screenKeyboard(
      { on: (note, strength) => this.note(note, strength), off: (note) => this.release(note) }, from, from + 12));
    this.pitch = base;
  }
  private arranged?: Preset;
  private pitch = 60;

  /** At most a few times a second: the tables take some milliseconds. */
  private changed(key: string, value: number) {
    this.overrides.set(key, String(value));
    if (this.timer !== undefined) return;
    this.timer = window.setTimeout(async () => {
      this.timer = undefined;
      try {
        if (this.instrument) this.view.show(await this.instrument.change(this.preset.text, this.settings(), key));
        this.say('');
      } catch (error) {
        this.say((error as Error).message, true);
      }
    }, 60);
  }

  private async gesture(event: Event) {
    await this.begin();
    this.instrument?.play({ note: this.front, ...event });
  }

  private async note(note: number, strength: number) {
    await this.begin();
    const body = this.instrument?.body;
    if (!body) return;
    const index = note - this.pitch - body.lowest;
    if (index < 0 || index >= body.notes) return this.say(`${noteName(note)} is beyond this instrument.`);
    this.front = index;
    const strike = body.string === 0 || this.view.tool === 'strike';
    this.instrument!.play(strike
      ? { gesture: 'strike', note: index, amount: body.strike_speed * (0.15 + 1.1 * strength * strength), place: body.string > 0 ? body.strike_place : -1 }
      : { gesture: 'pluck', note: index, amount: body.pluck_height * (0.15 + strength), place: body.pluck_place });
  }

  private release(note: number) {
    const body = this.instrument?.body;
    if (body && body.string > 0 && this.view.tool === 'strike') this.instrument!.play({ gesture: 'damp', note: note - this.pitch - body.lowest, amount: releaseDamping });
  }

  private most = 1e-12;
  private news(news: News) {
    if (news.failed !== undefined) this.say(news.failed, true);
    if (news.load !== undefined) this.meters.load.textContent = `${Math.round(100 * news.load)} %`;
    if (!news.picture || !news.energy) return;
    this.view.news(news.picture, news.energy);
    const [stored, injected, , , residual, awake] = news.energy;
    this.most = Math.max(stored, this.most * 0.999);
    this.meters.energy.textContent = quantity(stored, 'J');
    this.bar.style.width = `${Math.max(0, 100 + 100 * Math.log10(Math.max(stored, 1e-12) / this.most) / 6)}%`;
    this.meters.balance.textContent = injected > 0 ? shown(Math.abs(residual) / injected) : '–';
    this.meters.voices.textContent = String(awake);
  }
}
