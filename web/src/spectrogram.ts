// What sounds, over the last seconds: time to the right, pitch upward on a scale of octaves.
import { colour, make } from './dom';

const lowest = 40, highest = 16000; // [Hz]

export class Spectrogram {
  readonly canvas = make('canvas', { role: 'img', 'aria-label': 'Spectrogram of the last seconds', style: 'height: 9rem' });
  /** With the pitches beside it. */
  readonly box = make('div.spectrogram', {}, this.canvas, ...[100, 1000, 10000].map((pitch) =>
    make('span', { style: `top: ${(100 * Math.log(highest / pitch)) / Math.log(highest / lowest)}%` }, pitch < 1000 ? `${pitch} Hz` : `${pitch / 1000} kHz`)));
  private levels = new Uint8Array(2048);
  private paper?: CanvasRenderingContext2D;

  draw(analyser: AnalyserNode) {
    const { canvas } = this;
    const width = Math.max(1, canvas.clientWidth), height = Math.max(1, canvas.clientHeight);
    if (canvas.width !== width || canvas.height !== height || !this.paper) {
      canvas.width = width;
      canvas.height = height;
      this.paper = canvas.getContext('2d', { willReadFrequently: true })!;
      this.paper.fillStyle = colour('back');
      this.paper.fillRect(0, 0, width, height);
    }
    if (this.levels.length !== analyser.frequencyBinCount) this.levels = new Uint8Array(analyser.frequencyBinCount);
    analyser.getByteFrequencyData(this.levels);
    this.paper.drawImage(canvas, -2, 0);
    const perBin = analyser.context.sampleRate / 2 / this.levels.length;
    for (let y = 0; y < height; ++y) {
      const pitch = highest * (lowest / highest) ** (y / height);
      const level = this.levels[Math.min(this.levels.length - 1, Math.round(pitch / perBin))] / 255;
      this.paper.fillStyle = shade(level);
      this.paper.fillRect(width - 2, y, 2, 1);
    }
  }
}

/** Dark blue over red to white: falls evenly in lightness, also in print and for the colour-blind. */
export function shade(level: number): string {
  const mix = (a: number, b: number, t: number) => Math.round(a + (b - a) * t);
  const stops = [[10, 16, 32], [64, 32, 110], [178, 52, 84], [246, 140, 60], [255, 244, 214]];
  const at = Math.min(0.9999, Math.max(0, level)) * (stops.length - 1);
  const [from, to] = [stops[Math.floor(at)], stops[Math.floor(at) + 1]];
  const t = at - Math.floor(at);
  return `rgb(${mix(from[0], to[0], t)},${mix(from[1], to[1], t)},${mix(from[2], to[2], t)})`;
}
