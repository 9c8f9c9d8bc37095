/** Figures 1 and 2 of the paper for a whitelist, as a page. */
import { formatCount } from '../../base/units.ts';
import { facts, figure, page, section, table } from '../../report/page.ts';
import type { Plot } from '../../report/plot.ts';
import { logF1, type Ranked, type Whitelist } from './whitelist.ts';

/** Domains of one colour in Figure 1: by log10(100·F1), from this on. */
const BANDS = [0, -1, -2, -3, -Infinity];
const SHOWN = 200;
const percent = (share: number) => `${(100 * share).toFixed(2)} %`;

export function whitelistPage(title: string, list: Whitelist): string {
  const core = list.domains.slice(0, list.core);
  return page(title, [
    facts([
      `${formatCount(list.domains.length)} domains, ${formatCount(list.core)} in the core`,
      `${percent(list.covered.documents)} of the documents`,
      `${percent(list.covered.quality)} of the quality`,
    ]),
    section(
      'Quality and documents',
      figure(figure1(core)),
      'As Figure 1 of the paper: a point is a domain of the core. The line is the OLS bisector of the logarithms.',
    ),
    section('F1 by place', figure(figure2(core)), 'As Figure 2 of the paper.'),
    section('Domains', table(rows(list.domains.slice(0, SHOWN)))),
  ]);
}

/** A row as in Table 1 of the paper. */
export const rowOf = ({ place, f1, parents, inD, inC, name }: Ranked): string[] => [
  String(place),
  f1 > 0 ? logF1(f1).toFixed(3) : '-',
  String(parents),
  inD === undefined ? '-' : String(inD),
  String(inC),
  name,
];

export const HEAD = ['place', 'log 100 F1', 'parents', 'in D', 'in C', 'domain'];

const rows = (domains: readonly Ranked[]): string[][] => [HEAD, ...domains.map(rowOf)];

const power = (value: number) => value.toExponential(0).replace('e+', 'e');

/** The shares of the core's domains, coloured by F1. */
export function figure1(core: readonly Ranked[]): Plot {
  const drawable = core.filter(({ f1 }) => f1 > 0);
  const series = BANDS.map((low, i) => {
    const high = i === 0 ? Infinity : BANDS[i - 1];
    const inBand = drawable.filter(({ f1 }) => logF1(f1) >= low && logF1(f1) < high);
    // log10(100·F1) = -1 is F1 = 0.001.
    const label = low > -Infinity ? `F1 from 1e${low - 2}` : `F1 below 1e${high - 2}`;
    const points = inBand.map((each) => [each.documentShare, each.qualityShare] as const);
    return { label, colour: [1, 4, 2, 0, 6][i], points, dots: true };
  });
  const line = bisector(
    drawable.map((each) => [Math.log10(each.documentShare), Math.log10(each.qualityShare)]),
  );
  let [least, most] = [Infinity, -Infinity];
  for (const { documentShare } of drawable) {
    least = Math.min(least, documentShare);
    most = Math.max(most, documentShare);
  }
  const fitted = line
    ? [least, most].map((x) => [x, 10 ** (line.offset + line.slope * Math.log10(x))] as const)
    : [];
  return {
    title: 'Share of the quality by share of the documents',
    x: { label: 'p_d', scale: 'log', format: power },
    y: { label: 'p_c', scale: 'log', format: power },
    series: [...series, { label: 'OLS bisector', colour: 7, points: fitted }],
  };
}

/** F1 of the core by place. */
export function figure2(core: readonly Ranked[]): Plot {
  const points = core.filter(({ f1 }) => f1 > 0).map(({ place, f1 }) => [place, f1] as const);
  return {
    title: 'F1 by place',
    x: { label: 'place', scale: 'linear', format: formatCount },
    y: { label: 'F1', scale: 'log', format: power },
    series: [{ label: 'F1', colour: 0, points }],
  };
}

/**
 * The line that halves the angle between the regression of y on x and that of x on y (Isobe et al.
 * 1990); undefined where there is none.
 */
export function bisector(
  points: readonly (readonly number[])[],
): { readonly slope: number; readonly offset: number } | undefined {
  const n = points.length;
  const mean = (of: number) => points.reduce((sum, point) => sum + point[of], 0) / n;
  const [mx, my] = [mean(0), mean(1)];
  let [xx, yy, xy] = [0, 0, 0];
  for (const [x, y] of points) {
    xx += (x - mx) ** 2;
    yy += (y - my) ** 2;
    xy += (x - mx) * (y - my);
  }
  if (n < 2 || xx === 0 || xy === 0) return undefined;
  const [first, second] = [xy / xx, yy / xy];
  const slope =
    (first * second - 1 + Math.sqrt((1 + first ** 2) * (1 + second ** 2))) / (first + second);
  return { slope, offset: my - slope * mx };
}
