/** Progress of long work, with the time left. Silent for the first second: most work is short. */
import { formatDuration, type Millis } from '../../base/units.ts';

const SILENCE: Millis = 1000;
const REDRAW: Millis = 250;
const PLAIN_LINE: Millis = 5000;

interface Screen {
  readonly isTTY?: boolean;
  write(text: string): unknown;
}

interface Eta {
  /** Shows the share that is done, 0 to 1. May be called at any rate. */
  update(done: number): void;
  /** Erases the line. */
  end(): void;
}

/** Redraws one line in a terminal; writes a plain line every few seconds elsewhere. */
export function showEta(
  title: string,
  screen: Screen,
  now: () => Millis = () => performance.now(),
): Eta {
  const start = now();
  const pause = screen.isTTY ? REDRAW : PLAIN_LINE;
  let next = start + SILENCE;
  let drawn = false;
  return {
    update(done) {
      const at = now();
      if (at < next) return;
      next = at + pause;
      const left = done > 0 ? `, ${formatDuration(((at - start) * (1 - done)) / done)} left` : '';
      const line = `${title}: ${Math.floor(done * 100)} %${left}`;
      screen.write(screen.isTTY ? `\r\x1b[2K${line}` : `${line}\n`);
      drawn = true;
    },
    end() {
      if (drawn && screen.isTTY) screen.write('\r\x1b[2K');
      drawn = false;
    },
  };
}
