// The string or body as it moves, and what a pointer does to it.
import { colour, fitted, make } from './dom';
import type { Body } from './instrument';
import type { Event } from './worklet';

export type Tool = 'pluck' | 'strike' | 'press';
interface Grip {
  what: 'pluck' | 'press' | 'obstacle' | 'pickup';
  x: number;
  y: number;
}

/** A canvas with the body in it; `play` gets what the pointer does, as events of the note in front. */
export class View {
  readonly canvas = make('canvas', { role: 'img', 'aria-label': 'The body as it moves', style: 'height: 18rem; cursor: crosshair' });
  tool: Tool = 'pluck';
  obstacle = { place: 0.7, height: -0.01 };
  pickup = 0.9;
  /** Told when one of them was dragged. */
  onmoved = () => {};
  private body?: Body;
  private picture: Float32Array = new Float32Array(128);
  private hammer = 1;
  private reach = 2e-3; // displacement of a quarter of the height [m]
  private grip?: Grip;

  constructor(private play: (event: Event) => void) {
    const { canvas } = this;
    canvas.addEventListener('pointerdown', (event) => {
      canvas.setPointerCapture(event.pointerId);
      this.down(event.offsetX, event.offsetY);
    });
    canvas.addEventListener('pointermove', (event) => this.move(event.offsetX, event.offsetY));
    canvas.addEventListener('pointerup', () => this.up());
    canvas.addEventListener('pointercancel', () => this.up());
  }

  show(body: Body) {
    this.body = body;
    this.reach = Math.max(body.pluck_height, 1e-5) * 1.5;
    if (body.string > 0) {
      this.obstacle = { place: body.places[body.obstacle], height: body.heights[body.obstacle] };
    }
  }

  news(picture: Float32Array, energy: Float64Array) {
    this.picture = picture;
    this.hammer = energy[6];
    if (this.body && this.body.string === 0) {
      const peak = picture.reduce((most, one) => Math.max(most, Math.abs(one)), 0);
      this.reach = Math.max(this.reach * 0.98, peak, 1e-9);
    }
  }

  private get isString() {
    return (this.body?.string ?? 0) > 0;
  }
  private get margin() {
    return 24;
  }
  private x(place: number) {
    return this.margin + place * (this.canvas.clientWidth - 2 * this.margin);
  }
  private place(x: number) {
    return Math.min(1, Math.max(0, (x - this.margin) / (this.canvas.clientWidth - 2 * this.margin)));
  }
  private y(height: number) {
    const half = this.canvas.clientHeight / 2;
    return half - (half / 2) * (height / this.reach);
  }
  private height(y: number) {
    const half = this.canvas.clientHeight / 2;
    return ((half - y) / (half / 2)) * this.reach;
  }
  private obstacleY() {
    return Math.min(this.y(this.obstacle.height), this.canvas.clientHeight - 14);
  }

  private down(x: number, y: number) {
    if (!this.body) return;
    if (!this.isString) {
      const strength = 0.2 + 0.8 * Math.min(1, Math.max(0, 1 - y / this.canvas.clientHeight));
      this.play({ gesture: 'strike', amount: this.body.strike_speed * strength, place: -1 });
      return;
    }
    const near = (atX: number, atY: number) => Math.hypot(x - atX, y - atY) < 22;
    if (near(this.x(this.obstacle.place), this.obstacleY() + 6)) this.grip = { what: 'obstacle', x, y };
    else if (near(this.x(this.pickup), 16)) this.grip = { what: 'pickup', x, y };
    else if (this.tool === 'strike') {
      const depth = Math.abs(y - this.canvas.clientHeight / 2) / (this.canvas.clientHeight / 2);
      this.play({ gesture: 'strike', amount: this.body.strike_speed * (0.3 + 1.4 * depth), place: this.place(x) });
    } else if (this.tool === 'press') {
      this.grip = { what: 'press', x, y };
      this.press();
    } else this.grip = { what: 'pluck', x, y };
  }

  private move(x: number, y: number) {
    if (!this.grip) return;
    Object.assign(this.grip, { x, y });
    if (this.grip.what === 'press') this.press();
    if (this.grip.what === 'obstacle') this.moveObstacle(this.place(x), this.height(y));
    if (this.grip.what === 'pickup') this.movePickup(this.place(x));
  }

  private up() {
    const { grip, body } = this;
    this.grip = undefined;
    if (!grip || !body) return;
    if (grip.what === 'pluck') {
      const drawn = this.height(grip.y);
      const least = 0.2 * body.pluck_height; // a tap plucks too
      const amount = Math.abs(drawn) < least ? body.pluck_height : Math.max(-2, Math.min(2, drawn / body.pluck_height)) * body.pluck_height;
      this.play({ gesture: 'pluck', amount, place: this.place(grip.x) });
    }
    if (grip.what === 'press') this.play({ gesture: 'obstacle', index: body.finger, amount: 0.01, place: -1 });
  }

  /** By keyboard: 0 is away, 1 as far down as the picture reaches. */
  pressAt(place: number, share: number) {
    this.play({ gesture: 'obstacle', index: this.body!.finger, amount: share > 0 ? -2 * this.reach * share : 0.01, place });
  }

  private press() {
    const deep = Math.min(0, this.height(this.grip!.y));
    this.play({ gesture: 'obstacle', index: this.body!.finger, amount: deep, place: this.place(this.grip!.x) });
  }

  moveObstacle(place: number, height: number) {
    this.obstacle = { place: Math.min(0.99, Math.max(0.01, place)), height };
    this.play({ gesture: 'obstacle', index: this.body!.obstacle, amount: height, place: this.obstacle.place });
    this.onmoved();
  }

  movePickup(place: number) {
    this.pickup = Math.min(0.99, Math.max(0.01, place));
    this.play({ gesture: 'listen', index: 0, place: this.pickup });
    this.onmoved();
  }

  draw() {
    const context = fitted(this.canvas);
    const { clientWidth: width, clientHeight: height } = this.canvas;
    context.clearRect(0, 0, width, height);
    if (!this.body) return;
    context.font = '12px system-ui, sans-serif';
    if (this.isString) this.drawString(context);
    else this.drawModes(context, width, height);
  }

  private drawString(context: CanvasRenderingContext2D) {
    const { picture, canvas } = this;
    context.strokeStyle = colour('line');
    context.beginPath();
    context.moveTo(this.x(0), this.y(0));
    context.lineTo(this.x(1), this.y(0));
    context.stroke();
    // Obstacles that cannot be moved.
    context.fillStyle = colour('soft');
    this.body!.places.forEach((place, i) => {
      if (i === this.body!.obstacle || i === this.body!.finger || i === this.body!.hammer) return;
      context.fillRect(this.x(place) - 1.5, this.y(this.body!.heights[i]), 3, 8);
    });
    context.strokeStyle = colour('c1');
    context.lineWidth = 2.5;
    context.beginPath();
    const pulled = this.grip?.what === 'pluck' ? this.grip : undefined;
    picture.forEach((u, i) => {
      const place = i / (picture.length - 1);
      let height = u;
      if (pulled) {
        const at = this.place(pulled.x);
        height += this.height(pulled.y) * (place < at ? place / at : (1 - place) / (1 - at));
      }
      context.lineTo(this.x(place), this.y(height));
    });
    context.stroke();
    context.lineWidth = 1;
    // The obstacle and the pickup, which can.
    const [ox, oy] = [this.x(this.obstacle.place), this.obstacleY()];
    context.fillStyle = colour('c2');
    context.beginPath();
    context.moveTo(ox, oy);
    context.lineTo(ox + 10, oy + 14);
    context.lineTo(ox - 10, oy + 14);
    context.fill();
    context.fillStyle = colour('c3');
    context.beginPath();
    context.arc(this.x(this.pickup), 16, 8, 0, 2 * Math.PI);
    context.fill();
    context.fillStyle = colour('soft');
    context.fillText('pickup', this.x(this.pickup) - 50, 20);
    context.fillText('obstacle', ox + 14, Math.min(oy + 12, canvas.clientHeight - 4));
    if (this.grip?.what === 'press') {
      context.fillStyle = colour('c4');
      context.beginPath();
      context.ellipse(this.grip.x, this.y(Math.min(0, this.height(this.grip.y))) - 14, 10, 14, 0, 0, 2 * Math.PI);
      context.fill();
    }
    if (Math.abs(this.hammer) < 4 * this.reach) {
      context.fillStyle = colour('c5');
      context.beginPath();
      context.arc(this.x(this.body!.strike_place), this.y(this.hammer) - 7, 7, 0, 2 * Math.PI);
      context.fill();
    }
  }

  /** A body of which only modes are known: each swings by itself. */
  private drawModes(context: CanvasRenderingContext2D, width: number, height: number) {
    const count = Math.min(this.body!.modes, this.picture.length);
    const step = (width - 2 * this.margin) / count;
    const half = height / 2;
    for (let j = 0; j < count; ++j) {
      const swing = (this.picture[j] / this.reach) * (half - 30);
      const x = this.margin + (j + 0.5) * step;
      context.fillStyle = colour('line');
      context.fillRect(x - 0.5, 20, 1, height - 40);
      context.fillStyle = colour(`c${(j % 5) + 1}`);
      context.beginPath();
      context.arc(x, half - swing, Math.max(3, Math.min(11, step / 3)), 0, 2 * Math.PI);
      context.fill();
    }
    context.fillStyle = colour('soft');
    context.fillText('Tap to strike, higher is harder; each disc is a mode as it swings, the lowest on the left.', this.margin, height - 6);
  }
}
