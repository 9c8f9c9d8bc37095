/**
 * A picture of cells over two logarithmic axes as SVG text: the brighter, the greater the value.
 * Cells without a value are dark, as the ground is.
 */
import { escaped } from './plot.ts';

/** A rectangle of the plane, and its value. */
export interface HeatCell {
  readonly x: readonly [from: number, to: number];
  readonly y: readonly [from: number, to: number];
  readonly value: number;
}

interface HeatMap {
  readonly title: string;
  readonly xLabel: string;
  readonly yLabel: string;
  /** Both axes go from 1 to this. */
  readonly most: number;
  readonly cells: readonly HeatCell[];
  /** A line y = factor · x. */
  readonly line?: { readonly label: string; readonly factor: number };
  /** What the values are, at the bar of colours. */
  readonly valueLabel: string;
  readonly format: (value: number) => string;
}

const SIDE = 520;
const [LEFT, TOP, BOTTOM, BAR] = [76, 16, 52, 110];
/** From dark to bright, even for readers who see no colours. */
const STOPS = ['#2b1055', '#7a1d6d', '#c13a50', '#ee7b2d', '#f9c74f', '#fcfdda'];
const LEVELS = 40;

export function heatMap(map: HeatMap): string {
  const span = Math.log(Math.max(2, map.most));
  const across = (x: number) => round(LEFT + (Math.log(x) / span) * SIDE);
  const up = (y: number) => round(TOP + SIDE - (Math.log(y) / span) * SIDE);
  const values = map.cells.map(({ value }) => value);
  const least = values.reduce((a, b) => Math.min(a, b), Number.POSITIVE_INFINITY);
  const greatest = values.reduce((a, b) => Math.max(a, b), Number.NEGATIVE_INFINITY);
  const level = (value: number) =>
    greatest > least ? Math.round(((value - least) / (greatest - least)) * LEVELS) : LEVELS;
  const parts = [
    `<rect x="${LEFT}" y="${TOP}" width="${SIDE}" height="${SIDE}" fill="#0d0b14"/>`,
    ...map.cells.map(({ x, y, value }) => {
      const [left, right, top, bottom] = [across(x[0]), across(x[1]), up(y[1]), up(y[0])];
      return `<path fill="${colourAt(level(value) / LEVELS)}" d="M${left} ${top}H${right}V${bottom}H${left}z"/>`;
    }),
    ...powersUpTo(map.most).flatMap((tick) => [
      `<text x="${across(tick)}" y="${TOP + SIDE + 18}" text-anchor="middle">${tick.toLocaleString('en')}</text>`,
      `<text x="${LEFT - 8}" y="${up(tick) + 4}" text-anchor="end">${tick.toLocaleString('en')}</text>`,
      `<path class="axis" d="M${across(tick)} ${TOP + SIDE}v5M${LEFT - 5} ${up(tick)}h5"/>`,
    ]),
    ...(map.line ? [drawLine(map.line, span)] : []),
    `<text class="name" x="${LEFT + SIDE / 2}" y="${TOP + SIDE + BOTTOM - 10}" text-anchor="middle">${escaped(map.xLabel)}</text>`,
    `<text class="name" transform="translate(14 ${TOP + SIDE / 2}) rotate(-90)" text-anchor="middle">${escaped(map.yLabel)}</text>`,
    ...(values.length > 0 ? bar(map, least, greatest) : []),
  ];
  const [width, height] = [LEFT + SIDE + BAR, TOP + SIDE + BOTTOM];
  return `<figure class="heat">\n<svg viewBox="0 0 ${width} ${height}" role="img" aria-label="${escaped(map.title)}" shape-rendering="crispEdges">\n${parts.join('\n')}\n</svg>\n</figure>`;
}

/** The part of y = factor · x that is on the plane. */
function drawLine({ label, factor }: NonNullable<HeatMap['line']>, span: number): string {
  const offset = Math.log(factor) / span;
  const from = Math.max(0, -offset);
  const to = Math.min(1, 1 - offset);
  if (from >= to) return '';
  const point = (t: number) =>
    `${round(LEFT + t * SIDE)} ${round(TOP + SIDE - (t + offset) * SIDE)}`;
  return `<path d="M${point(from)}L${point(to)}" fill="none" stroke="#6ee7ff" stroke-width="1.5" stroke-dasharray="6 4"><title>${escaped(label)}</title></path>`;
}

function bar({ valueLabel, format }: HeatMap, least: number, greatest: number): string[] {
  const left = LEFT + SIDE + 16;
  const height = SIDE / (LEVELS + 1);
  const steps = Array.from({ length: LEVELS + 1 }, (_, i) => {
    const top = round(TOP + SIDE - (i + 1) * height);
    return `<path fill="${colourAt(i / LEVELS)}" d="M${left} ${top}h14v${round(height + 0.5)}h-14z"/>`;
  });
  const label = (value: number, y: number) =>
    `<text x="${left + 18}" y="${y}">${escaped(format(value))}</text>`;
  return [
    ...steps,
    label(greatest, TOP + 10),
    label((least + greatest) / 2, TOP + SIDE / 2 + 4),
    label(least, TOP + SIDE),
    `<text class="name" x="${left}" y="${TOP + SIDE + 18}">${escaped(valueLabel)}</text>`,
  ];
}

function powersUpTo(most: number): number[] {
  const powers: number[] = [];
  for (let power = 1; power <= most; power *= 10) powers.push(power);
  return powers;
}

function colourAt(share: number): string {
  const at = share * (STOPS.length - 1);
  const first = Math.min(STOPS.length - 2, Math.floor(at));
  const parts = [1, 3, 5].map((digit) => {
    const of = (stop: string) => Number.parseInt(stop.slice(digit, digit + 2), 16);
    const [low, high] = [of(STOPS[first]), of(STOPS[first + 1])];
    return Math.round(low + (high - low) * (at - first));
  });
  return `#${parts.map((part) => part.toString(16).padStart(2, '0')).join('')}`;
}

function round(value: number): number {
  return Math.round(value * 10) / 10;
}
