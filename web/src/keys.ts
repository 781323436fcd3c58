// Notes from the computer's keyboard, a MIDI keyboard and keys on the screen.
import { make } from './dom';

export interface Notes {
  /** MIDI number, 0..1 */
  on: (note: number, strength: number) => void;
  off: (note: number) => void;
}

const letters = 'awsedftgyhujkolp'; // from C on, black keys in the upper row
const names = ['C', 'C♯', 'D', 'D♯', 'E', 'F', 'F♯', 'G', 'G♯', 'A', 'A♯', 'B'];
export const noteName = (note: number) => names[((note % 12) + 12) % 12] + (Math.floor(note / 12) - 1);

/** Letters play while nothing is being typed; z and x shift by an octave. */
export function computerKeyboard(notes: Notes, active: () => boolean, first: () => number) {
  let octave = 0;
  const down = new Map<string, number>();
  const typing = (target: EventTarget | null) =>
    target instanceof HTMLElement && target.matches('textarea, select, input:not([type=range]):not([type=checkbox])');
  window.addEventListener('keydown', (event) => {
    if (!active() || event.repeat || event.ctrlKey || event.metaKey || event.altKey || typing(event.target)) return;
    const key = event.key.toLowerCase();
    if (key === 'z') octave = Math.max(-1, octave - 1);
    if (key === 'x') octave = Math.min(1, octave + 1);
    const place = letters.indexOf(key);
    if (place < 0 || key.length !== 1) return;
    const note = first() + place + 12 * octave;
    down.set(key, note);
    notes.on(note, event.shiftKey ? 1 : 0.7);
  });
  window.addEventListener('keyup', (event) => {
    const note = down.get(event.key.toLowerCase());
    if (note === undefined) return;
    down.delete(event.key.toLowerCase());
    notes.off(note);
  });
}

/** What the MIDI keyboards of this machine play; what became of it, in words. */
export async function midiKeyboard(notes: Notes): Promise<string> {
  if (!navigator.requestMIDIAccess) return 'This browser has no MIDI.';
  const access = await navigator.requestMIDIAccess();
  const listen = () => {
    for (const input of access.inputs.values()) {
      input.onmidimessage = ({ data }) => {
        if (!data) return;
        const [status, note, strength] = data;
        if ((status & 0xf0) === 0x90 && strength > 0) notes.on(note, strength / 127);
        else if ((status & 0xf0) === 0x80 || (status & 0xf0) === 0x90) notes.off(note);
      };
    }
  };
  access.onstatechange = listen;
  listen();
  const found = [...access.inputs.values()].map((input) => input.name);
  return found.length ? `MIDI: ${found.join(', ')}` : 'No MIDI keyboard is connected; one that is plugged in now will play.';
}

/** Keys to touch. */
export function screenKeyboard(notes: Notes, from: number, to: number): HTMLElement {
  const keys = make('div.keys', { role: 'group', 'aria-label': 'Keyboard' });
  for (let note = from; note <= to; ++note) {
    const black = names[((note % 12) + 12) % 12].length > 1;
    const key = make(black ? 'button.black' : 'button', { type: 'button', 'aria-label': noteName(note), 'data-note': String(note) },
      note % 12 === 0 ? noteName(note) : '');
    let held = false;
    const press = (strength: number) => {
      held = true;
      key.classList.add('down');
      notes.on(note, strength);
    };
    const release = () => {
      if (!held) return;
      held = false;
      key.classList.remove('down');
      notes.off(note);
    };
    key.addEventListener('pointerdown', (event) => {
      const box = key.getBoundingClientRect();
      press(0.3 + 0.7 * ((event.clientY - box.top) / box.height)); // further down is louder
    });
    for (const end of ['pointerup', 'pointerleave', 'pointercancel', 'blur']) key.addEventListener(end, release);
    key.addEventListener('pointerenter', (event) => {
      if (event.buttons & 1) press(0.7);
    });
    key.addEventListener('keydown', (event) => {
      if ((event.key === 'Enter' || event.key === ' ') && !event.repeat) press(0.7);
    });
    key.addEventListener('keyup', release);
    keys.append(key);
  }
  return keys;
}
