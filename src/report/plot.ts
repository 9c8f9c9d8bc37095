/**
 * Lines over two axes as SVG text. The page defines the colours (`--line-0` and following), so they
 * match its light or dark scheme.
 */
export interface Series {
  readonly label: string;
  /** Which of the page's colours; the same method has the same one in every plot. */
  readonly colour: number;
  readonly points: readonly (readonly [x: number, y: number])[];
  /** A count that holds until the next point, instead of a straight line to it. */
  readonly steps?: boolean;
  /** Points that are not joined. */
  readonly dots?: boolean;
}

interface Axis {
  readonly label: string;
  readonly scale: 'log' | 'linear';
  readonly format: (value: number) => string;
}

export interface Plot {
  readonly title: string;
  readonly x: Axis;
  readonly y: Axis;
  readonly series: readonly Series[];
}

/** Number of colours that a page defines; further lines are dashed. */
export const COLOURS = 8;
export const DASHES = ['', '7 4', '2 3'];

const [WIDTH, HEIGHT] = [760, 400];
const [LEFT, RIGHT, TOP, BOTTOM] = [76, 32, 16, 52];

/** The plot; empty if no series has a point. */
export function plot({ title, x, y, series }: Plot): string {
  const drawn = series.filter(({ points }) => points.length > 0);
  if (drawn.length === 0) return '';
  const points = drawn.flatMap((line) => line.points);
  const across = scaleOf(
    x,
    points.map(([a]) => a),
    LEFT,
    WIDTH - RIGHT,
  );
  const up = scaleOf(
    y,
    points.map(([, b]) => b),
    HEIGHT - BOTTOM,
    TOP,
  );
  const parts = [
    ...across.ticks.map((tick) => {
      const at = across.place(tick);
      return `<path class="grid" d="M${at} ${TOP}V${HEIGHT - BOTTOM}"/><text x="${at}" y="${HEIGHT - BOTTOM + 18}" text-anchor="middle">${escaped(x.format(tick))}</text>`;
    }),
    ...up.ticks.map((tick) => {
      const at = up.place(tick);
      return `<path class="grid" d="M${LEFT} ${at}H${WIDTH - RIGHT}"/><text x="${LEFT - 8}" y="${at + 4}" text-anchor="end">${escaped(y.format(tick))}</text>`;
    }),
    `<path class="axis" d="M${LEFT} ${TOP}V${HEIGHT - BOTTOM}H${WIDTH - RIGHT}"/>`,
    `<text class="name" x="${(LEFT + WIDTH - RIGHT) / 2}" y="${HEIGHT - 10}" text-anchor="middle">${escaped(x.label)}</text>`,
    `<text class="name" transform="translate(14 ${(TOP + HEIGHT - BOTTOM) / 2}) rotate(-90)" text-anchor="middle">${escaped(y.label)}</text>`,
    ...drawn.map((line) => drawLine(line, across.place, up.place)),
  ];
  return `<svg viewBox="0 0 ${WIDTH} ${HEIGHT}" role="img" aria-label="${escaped(title)}">\n${parts.join('\n')}\n</svg>`;
}

function drawLine(
  { label, colour, points, steps, dots }: Series,
  across: (x: number) => number,
  up: (y: number) => number,
): string {
  const dash = DASHES[Math.floor(colour / COLOURS) % DASHES.length];
  const path = points.map(([a, b], i) => {
    if (dots) return `M${across(a)} ${up(b)}h0`;
    if (i === 0) return `M${across(a)} ${up(b)}`;
    return steps ? `H${across(a)}V${up(b)}` : `L${across(a)} ${up(b)}`;
  });
  const style = `style="stroke:var(--line-${colour % COLOURS})"${dash && ` stroke-dasharray="${dash}"`}`;
  return `<path class="${dots ? 'line dots' : 'line'}" ${style} d="${path.join('')}"><title>${escaped(label)}</title></path>`;
}

interface Scale {
  readonly ticks: readonly number[];
  place(value: number): number;
}

/** From the first tick at or below the values to the first at or above. */
function scaleOf({ scale }: Axis, values: readonly number[], from: number, to: number): Scale {
  const [least, most] = values.reduce(
    ([a, b], v) => [Math.min(a, v), Math.max(b, v)],
    [Number.POSITIVE_INFINITY, Number.NEGATIVE_INFINITY],
  );
  const ticks = scale === 'log' ? logTicks(least, most) : linearTicks(most);
  const position = scale === 'log' ? Math.log : (value: number) => value;
  const low = position(ticks[0]);
  const high = position(ticks[ticks.length - 1]);
  const place = (value: number) =>
    round(from + ((position(value) - low) / (high - low)) * (to - from));
  return { ticks, place };
}

/** Powers of ten, with 2 and 5 between them if they are few. */
function logTicks(least: number, most: number): number[] {
  const first = Math.floor(Math.log10(least) + 1e-9);
  const last = Math.max(first + 1, Math.ceil(Math.log10(most) - 1e-9));
  const steps = last - first <= 2 ? [1, 2, 5] : [1];
  const ticks: number[] = [];
  for (let e = first; e < last; e++) ticks.push(...steps.map((step) => step * 10 ** e));
  ticks.push(10 ** last);
  const low = ticks.findLastIndex((tick) => tick <= least * (1 + 1e-9));
  const high = ticks.findIndex((tick) => tick >= most * (1 - 1e-9));
  const cut = ticks.slice(Math.max(0, low), high + 1);
  return cut.length > 1 ? cut : ticks;
}

/** About five ticks from 0. */
function linearTicks(most: number): number[] {
  const rough = Math.max(most, 1e-9) / 5;
  const power = 10 ** Math.floor(Math.log10(rough));
  const step = power * ([1, 2, 5, 10].find((s) => s * power >= rough * (1 - 1e-9)) ?? 10);
  return Array.from({ length: Math.ceil(most / step - 1e-9) + 1 }, (_, i) =>
    Number((i * step).toPrecision(12)),
  );
}

function round(value: number): number {
  return Math.round(value * 10) / 10;
}

/** Escapes text from the web, so that no part of it is read as markup. */
export function escaped(text: string): string {
  const entities: Record<string, string> = {
    '&': '&amp;',
    '<': '&lt;',
    '>': '&gt;',
    '"': '&quot;',
    "'": '&#39;',
  };
  return text.replace(/[&<>"']/g, (character) => entities[character]);
}
