/**
 * The live view of a running crawl: a picture redrawn in a terminal, a plain line every few seconds
 * elsewhere.
 *
 * Cost      Two pictures per second, half a millisecond each.
 */
import type { Clock } from '../../base/clock.ts';
import type { Millis } from '../../base/units.ts';
import { troubleOf } from '../../crawl/monitor/health.ts';
import { Rates } from '../../crawl/monitor/rates.ts';
import type { Progress } from '../../crawl/record/progress.ts';
import { Canvas, type Screen } from './canvas.ts';
import { printable } from './printable.ts';
import { plainLine } from './progress.ts';
import { drawView } from './view.ts';

const REDRAW: Millis = 500;
const PLAIN_LINE: Millis = 5000;
const RATE_WINDOW: Millis = 3000;
const PACE_WINDOW: Millis = 60_000;
const HISTORY_EVERY: Millis = 1000;
const HISTORY = 60;

interface View {
  /** Adds a line that stays. */
  note(text: string): void;
  /** Stops drawing; in a terminal the last picture stays. A second call does nothing. */
  end(): void;
}

interface ViewOptions {
  readonly title: string;
  readonly clock: Clock;
  readonly colours: boolean;
  /** Show only notes. */
  readonly quiet?: boolean;
}

export function showLive(progress: () => Progress, screen: Screen, options: ViewOptions): View {
  if (options.quiet) return { note: (text) => void screen.write(`${text}\n`), end: () => {} };
  return screen.isTTY
    ? new LiveView(progress, screen, options)
    : plainLines(progress, screen, options);
}

function plainLines(progress: () => Progress, screen: Screen, { clock }: ViewOptions): View {
  const rates = new Rates(RATE_WINDOW);
  let cancel = () => {};
  const next = () => {
    cancel = clock.after(PLAIN_LINE, () => {
      const now = progress();
      const trouble = troubleOf(now);
      screen.write(`${plainLine(now, rates.update(now))}\n`);
      if (trouble) screen.write(`trouble: ${printable(`${trouble.fact} ${trouble.remedy}`)}\n`);
      next();
    });
  };
  next();
  return { note: (text) => void screen.write(`${text}\n`), end: () => cancel() };
}

class LiveView implements View {
  readonly #progress: () => Progress;
  readonly #screen: Screen;
  readonly #options: ViewOptions;
  readonly #canvas: Canvas;
  readonly #rates = new Rates(RATE_WINDOW);
  readonly #pace = new Rates(PACE_WINDOW);
  readonly #history: number[] = [];
  #counted: { elapsed: Millis; pages: number } = { elapsed: 0, pages: 0 };
  readonly #notes: string[] = [];
  #ended = false;
  #cancel = () => {};

  constructor(progress: () => Progress, screen: Screen, options: ViewOptions) {
    this.#progress = progress;
    this.#screen = screen;
    this.#options = options;
    this.#canvas = new Canvas(screen, options.colours, () => this.#draw());
    this.#tick();
  }

  note(text: string): void {
    this.#notes.push(text);
    // After the end a picture would hide the cursor for good.
    if (this.#ended) this.#screen.write(`${text}\n`);
    else this.#draw();
  }

  end(): void {
    if (this.#ended) return;
    this.#ended = true;
    this.#draw();
    this.#cancel();
    this.#canvas.end();
  }

  #tick(): void {
    this.#draw();
    this.#cancel = this.#options.clock.after(REDRAW, () => this.#tick());
  }

  #draw(): void {
    const now = this.#progress();
    this.#remember(now);
    const snapshot = {
      title: this.#options.title,
      now,
      rate: this.#rates.update(now),
      pace: this.#pace.update(now),
      history: this.#history,
      trouble: troubleOf(now),
      notes: this.#notes,
      ended: this.#ended,
    };
    this.#canvas.draw(drawView(snapshot, this.#canvas.size));
  }

  #remember({ elapsed, pages }: Progress): void {
    const time = elapsed - this.#counted.elapsed;
    if (time < HISTORY_EVERY) return;
    this.#history.push(((pages - this.#counted.pages) / time) * 1000);
    this.#history.splice(0, this.#history.length - HISTORY);
    this.#counted = { elapsed, pages };
  }
}
