/**
 * Points of the complex plane around the unit circle as SVG text.
 *
 * Points that fall on the same tenth of a pixel are drawn once, so a page stays small whatever the
 * number of points. Series are drawn in their order: later ones on top.
 */
import { escaped } from './plot.ts';

interface Dots {
  readonly label: string;
  /** A colour of the page's style: `bad`, `line-0`. */
  readonly colour: string;
  /** Diameter in pixels. */
  readonly size: number;
  readonly points: readonly (readonly [re: number, im: number])[];
}

const SIZE = 640;
const MARGIN = 44;
/** What the plot shows: −1.08 to 1.08 on both axes. */
const REACH = 1.08;
const TICKS = [-1, -0.5, 0, 0.5, 1];

/** The plane with its circle, axes and a legend that counts the points of each series. */
export function circleFigure(title: string, series: readonly Dots[]): string {
  const place = (value: number) =>
    Math.round(10 * (MARGIN + ((value + REACH) / (2 * REACH)) * (SIZE - 2 * MARGIN))) / 10;
  const up = (value: number) => place(-value);
  const [low, high] = [place(-REACH), place(REACH)];
  const parts = [
    ...TICKS.map(
      (tick) =>
        `<path class="grid" d="M${place(tick)} ${low}V${high}M${low} ${up(tick)}H${high}"/>` +
        `<text x="${place(tick)}" y="${high + 18}" text-anchor="middle">${tick}</text>` +
        `<text x="${low - 8}" y="${up(tick) + 4}" text-anchor="end">${tick}</text>`,
    ),
    `<circle cx="${place(0)}" cy="${place(0)}" r="${place(1) - place(0)}" fill="none" style="stroke:var(--line-2)"/>`,
    ...series.map(({ label, colour, size, points }) => {
      const seen = new Set(points.map(([re, im]) => `M${place(re)} ${up(im)}h0`));
      const style = `stroke:var(--${colour});stroke-width:${size};stroke-linecap:round;fill:none`;
      return `<path style="${style}" d="${[...seen].join('')}"><title>${escaped(label)}</title></path>`;
    }),
    `<text class="name" x="${SIZE / 2}" y="${SIZE - 4}" text-anchor="middle">real part</text>`,
    `<text class="name" transform="translate(12 ${SIZE / 2}) rotate(-90)" text-anchor="middle">imaginary part</text>`,
  ];
  const legend = series.map(
    ({ label, colour, points }) =>
      `<li><svg class="swatch" viewBox="0 0 24 10" aria-hidden="true"><circle cx="12" cy="5" r="4" style="fill:var(--${colour})"/></svg>${escaped(label)}: ${points.length.toLocaleString('en')}</li>`,
  );
  return `<figure style="max-width:44rem;margin:auto">\n<svg viewBox="0 0 ${SIZE} ${SIZE}" role="img" aria-label="${escaped(title)}">\n${parts.join('\n')}\n</svg>\n<figcaption><ul class="legend">${legend.join('')}</ul></figcaption>\n</figure>`;
}
