/**
 * A plot as SVG text: lines, points or bars over linear or logarithmic axes. Enough for
 * docs/lab.md, without a dependency.
 */
export interface Series {
  readonly label: string;
  readonly points: readonly (readonly [x: number, y: number])[];
  readonly draw: 'line' | 'points' | 'dashes';
}

export interface Axis {
  readonly label: string;
  readonly log?: boolean;
  readonly min: number;
  readonly max: number;
  /** Where to write numbers; by default powers of ten, or five steps. */
  readonly ticks?: readonly number[];
}

const [WIDTH, HEIGHT] = [640, 400];
const [LEFT, RIGHT, TOP, BOTTOM] = [70, 20, 40, 55];
const COLOURS = ['#1f5fa8', '#c2410c', '#2f7d32', '#7b3fa0', '#8a6d00'];

export function plot(title: string, x: Axis, y: Axis, series: readonly Series[]): string {
  const px = (value: number): number => round(LEFT + position(x, value) * (WIDTH - LEFT - RIGHT));
  const py = (value: number): number =>
    round(HEIGHT - BOTTOM - position(y, value) * (HEIGHT - TOP - BOTTOM));
  const parts = [frame(title, x.label, y.label)];
  for (const tick of ticksOf(x)) {
    parts.push(`<path d="M${px(tick)} ${TOP}V${HEIGHT - BOTTOM}" stroke="#ddd"/>`);
    parts.push(
      `<text x="${px(tick)}" y="${HEIGHT - BOTTOM + 18}" text-anchor="middle">${name(tick)}</text>`,
    );
  }
  for (const tick of ticksOf(y)) {
    parts.push(`<path d="M${LEFT} ${py(tick)}H${WIDTH - RIGHT}" stroke="#ddd"/>`);
    parts.push(`<text x="${LEFT - 8}" y="${py(tick) + 4}" text-anchor="end">${name(tick)}</text>`);
  }
  series.forEach(({ label, points, draw }, i) => {
    const colour = COLOURS[i % COLOURS.length];
    const inside = points
      .filter(([a, b]) => within(x, a) && within(y, b))
      .map(([a, b]) => [px(a), py(b)]);
    if (draw === 'points')
      parts.push(...inside.map(([a, b]) => `<circle cx="${a}" cy="${b}" r="4" fill="${colour}"/>`));
    else {
      const dash = draw === 'dashes' ? ' stroke-dasharray="6 4"' : '';
      const path = inside.map(([a, b], j) => `${j ? 'L' : 'M'}${a} ${b}`).join('');
      parts.push(`<path d="${path}" fill="none" stroke="${colour}" stroke-width="2"${dash}/>`);
    }
    const at = TOP + 18 + i * 18;
    parts.push(
      `<rect x="${WIDTH - RIGHT - 12}" y="${at - 9}" width="10" height="10" fill="${colour}"/>`,
    );
    parts.push(
      `<text x="${WIDTH - RIGHT - 18}" y="${at}" text-anchor="end">${asText(label)}</text>`,
    );
  });
  return close(parts);
}

/** Horizontal bars, one group per name and one bar per series. */
export function bars(
  title: string,
  label: string,
  rows: readonly (readonly [name: string, ...values: number[]])[],
  legend: readonly string[],
): string {
  const height = TOP + BOTTOM + rows.length * 8 * (legend.length + 1);
  const most = Math.max(...rows.flatMap(([, ...values]) => values));
  const parts = [frame(title, label, '', height)];
  rows.forEach(([row, ...values], i) => {
    const top = TOP + i * 8 * (legend.length + 1);
    parts.push(
      `<text x="${LEFT + 20}" y="${top + 4 * legend.length + 4}" text-anchor="end">${row}</text>`,
    );
    values.forEach((value, j) => {
      const width = round((value / most) * (WIDTH - LEFT - RIGHT - 90));
      parts.push(
        `<rect x="${LEFT + 28}" y="${top + j * 8}" width="${width}" height="7" fill="${COLOURS[j]}"/>`,
      );
      if (value > 0)
        parts.push(
          `<text x="${LEFT + 32 + width}" y="${top + j * 8 + 7}" font-size="9">${(value * 100).toFixed(1)}%</text>`,
        );
    });
  });
  const legendTop = height - BOTTOM + 12 - 18 * legend.length;
  legend.forEach((text, j) => {
    parts.push(
      `<rect x="${WIDTH - 110}" y="${legendTop + j * 18}" width="10" height="10" fill="${COLOURS[j]}"/>`,
    );
    parts.push(`<text x="${WIDTH - 94}" y="${legendTop + 9 + j * 18}">${text}</text>`);
  });
  return close(parts);
}

function frame(title: string, x: string, y: string, height = HEIGHT): string {
  const axisY = y
    ? `<text transform="translate(16 ${height / 2}) rotate(-90)" text-anchor="middle">${asText(y)}</text>`
    : '';
  return (
    `<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 ${WIDTH} ${height}" width="${WIDTH}" height="${height}" ` +
    `font-family="sans-serif" font-size="12">\n<rect width="100%" height="100%" fill="#fff"/>\n` +
    `<text x="${WIDTH / 2}" y="22" text-anchor="middle" font-size="15">${asText(title)}</text>\n` +
    `<text x="${WIDTH / 2}" y="${height - 12}" text-anchor="middle">${asText(x)}</text>\n${axisY}`
  );
}

function close(parts: readonly string[]): string {
  return `${parts.join('\n')}\n</svg>\n`;
}

function position({ log, min, max }: Axis, value: number): number {
  if (!log) return (value - min) / (max - min);
  return Math.log(value / min) / Math.log(max / min);
}

function within({ min, max }: Axis, value: number): boolean {
  return value >= min && value <= max;
}

function ticksOf(axis: Axis): readonly number[] {
  if (axis.ticks) return axis.ticks;
  if (!axis.log)
    return Array.from({ length: 6 }, (_, i) => axis.min + ((axis.max - axis.min) * i) / 5);
  const ticks: number[] = [];
  for (let e = Math.ceil(Math.log10(axis.min) - 1e-9); 10 ** e <= axis.max * 1.0001; e++)
    ticks.push(10 ** e);
  return ticks;
}

/** Short names for numbers on axes. */
function name(value: number): string {
  if (value >= 1e6) return `${Number((value / 1e6).toPrecision(3))}M`;
  if (value >= 1e3) return `${Number((value / 1e3).toPrecision(3))}k`;
  return `${Number(value.toPrecision(3))}`;
}

function round(value: number): number {
  return Math.round(value * 10) / 10;
}

function asText(text: string): string {
  return text.replaceAll('&', '&amp;').replaceAll('<', '&lt;');
}
