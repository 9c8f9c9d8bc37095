/**
 * A comparison as a page: one HTML file with its style and its plots inside, no script, nothing to load, light or dark as the reader
 * has it.
 */
import { formatBytes, formatCount, formatDuration } from '../units.ts';
import { countUpTo } from './compare.ts';
import type { Comparison, MethodReport } from './compare-run.ts';
import { COLOURS, DASHES, escaped, type Plot, plot, type Series } from './report-plot.ts';
import { STYLE } from './report-style.ts';

export function reportPage(comparison: Comparison, title: string): string {
  const { methods, bad, good } = comparison;
  const sections = [
    summary(comparison),
    section('Cost and quality', methodTable(comparison)),
    bad && section('Bad nodes among the first r', figure(badPlot(comparison), 'admit none'), BAD_TEXT),
    good && section('Good nodes among the first r', figure(goodPlot(comparison), 'admit none')),
    methods.some(({ error }) => error) &&
      section('Relative error against supporters', figure(errorPlot(comparison), 'exact'), ERROR_TEXT),
    section('Agreement at the top', agreement(comparison), AGREEMENT_TEXT),
    section('The first of each', firstNames(methods)),
  ];
  return `<!doctype html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<title>${escaped(title)}</title>
<style>${STYLE}</style>
</head>
<body>
<main>
<h1>${escaped(title)}</h1>
${sections.filter(Boolean).join('\n')}
</main>
</body>
</html>
`;
}

const BAD_TEXT =
  'Steps go up where a ranking admits a node of the list of bad ones. Lower is better; a line that begins further right kept its top clean for longer.';
const ERROR_TEXT =
  'Nodes in the order of their exact supporters; each point is the mean of |estimate / exact − 1| around that rank.';
const AGREEMENT_TEXT =
  "Below the diagonal, the part of the top that two rankings share. Above it, Kendall's τ over the nodes in either top, those that are not in one standing together behind it: 1 is the same order, −1 the order turned round.";

function section(heading: string, body: string, text = ''): string {
  return `<section>\n<h2>${heading}</h2>\n${text && `<p>${text}</p>\n`}${body}\n</section>`;
}

function summary({ nodes, arcs, top, bad, good, leftOut }: Comparison): string {
  const list = (name: string, found: { given: number; found: number } | undefined) =>
    found && `${formatCount(found.found)} of ${formatCount(found.given)} ${name} names are in the graph`;
  const facts = [
    `${formatCount(nodes)} nodes`,
    `${formatCount(arcs)} arcs`,
    `rankings compared up to place ${formatCount(top)}`,
    list('bad', bad),
    list('good', good),
    leftOut > 0 &&
      `${formatCount(leftOut)} trusted ${leftOut === 1 ? 'node is' : 'nodes are'} left out of every ranking`,
  ];
  return `<ul class="facts">${facts
    .filter(Boolean)
    .map((fact) => `<li>${fact}</li>`)
    .join('')}</ul>`;
}

function methodTable({ methods, top, bad, good }: Comparison): string {
  const depths = [10, 100, 1000, 10_000, 100_000].filter((r) => r < top).concat(top);
  const withErrors = methods.some(({ error }) => error);
  const head = [
    'method',
    'time',
    'CPU',
    'memory',
    'read',
    ...(bad ? ['first bad', ...depths.map((r) => `bad in ${short(r)}`)] : []),
    ...(good ? [`good in ${short(top)}`] : []),
    ...(withErrors ? ['mean error', 'worst error'] : []),
  ];
  const rows = methods.map((method, i) => [
    `${swatch(i)}${escaped(method.label)}`,
    formatDuration(method.milliseconds),
    formatDuration(method.cpuMilliseconds),
    formatBytes(method.memoryBytes),
    formatBytes(method.bytesRead),
    ...(bad
      ? [
          method.badPlaces.length > 0 ? formatCount(method.badPlaces[0]) : '–',
          ...depths.map((r) => formatCount(countUpTo(method.badPlaces, r))),
        ]
      : []),
    ...(good ? [formatCount(method.goodPlaces.length)] : []),
    ...(withErrors ? [percent(method.error?.mean), percent(method.error?.worst)] : []),
  ]);
  return table(head, rows);
}

function table(head: readonly string[], rows: readonly (readonly string[])[]): string {
  const cells = (row: readonly string[], tag: string) =>
    row.map((cell) => `<${tag}>${cell}</${tag}>`).join('');
  const body = rows.map((row) => `<tr>${cells(row, 'td')}</tr>`).join('\n');
  return `<div class="wide"><table>\n<thead><tr>${cells(head, 'th')}</tr></thead>\n<tbody>\n${body}\n</tbody>\n</table></div>`;
}

const ranks = { label: 'rank r', scale: 'log', format: short } as const;

function badPlot({ methods, top }: Comparison): Plot {
  const series = methods.map((method, colour) => ({
    ...curve(method.badPlaces, top, method.label, colour),
    steps: true,
  }));
  return {
    title: 'Bad nodes among the first r',
    x: ranks,
    y: { label: 'bad nodes u(r)', scale: 'log', format: short },
    series,
  };
}

function goodPlot({ methods, top }: Comparison): Plot {
  const series = methods.map((method, colour) => ({
    ...curve(method.goodPlaces, top, method.label, colour),
    steps: true,
  }));
  return {
    title: 'Good nodes among the first r',
    x: ranks,
    y: { label: 'good nodes', scale: 'linear', format: short },
    series,
  };
}

/** Steps at some hundreds of places at most: what lies between two of them in print cannot be seen. */
const MOST_STEPS = 400;

function curve(places: readonly number[], top: number, label: string, colour: number): Series {
  if (places.length === 0) return { label, colour, points: [] };
  const every = Math.ceil(places.length / MOST_STEPS);
  const points = places
    .map((place, i) => [place, i + 1] as const)
    .filter((_, i) => i < 20 || i % every === 0);
  return { label, colour, points: [...points, [top, places.length]] };
}

function errorPlot({ methods }: Comparison): Plot {
  return {
    title: 'Relative error against supporters',
    x: { ...ranks, label: 'rank by supporters' },
    y: { label: 'relative error', scale: 'log', format: (value) => percent(value) },
    series: methods.flatMap(({ label, error }, colour) => {
      if (!error) return [];
      // What is exact has no place on an axis of powers.
      return [{ label, colour, points: error.curve.filter(([, value]) => value > 0) }];
    }),
  };
}

/** With its legend, which also names the methods without a line, and says why. */
function figure(drawing: Plot, without: string): string {
  const svg = plot(drawing);
  const lines = drawing.series.filter(({ points }) => points.length > 0);
  const others = drawing.series.filter(({ points }) => points.length === 0);
  const entries = lines.map(({ label, colour }) => `<li>${swatch(colour)}${escaped(label)}</li>`);
  if (others.length > 0)
    entries.push(`<li class="none">${without}: ${others.map(({ label }) => escaped(label)).join(', ')}</li>`);
  return `<figure>\n${svg}\n<figcaption><ul class="legend">${entries.join('')}</ul></figcaption>\n</figure>`;
}

function agreement({ methods, overlap, kendallTau }: Comparison): string {
  const head = ['', ...methods.map(({ label }) => escaped(label))];
  const rows = methods.map(({ label }, i) => [
    `${swatch(i)}${escaped(label)}`,
    ...methods.map((_, j) => {
      if (i === j) return '';
      return j < i ? percent(overlap[i][j]) : kendallTau[i][j].toFixed(2).replace('-', '−');
    }),
  ]);
  return table(head, rows);
}

function firstNames(methods: readonly MethodReport[]): string {
  const length = Math.max(0, ...methods.map(({ first }) => first.length));
  const rows = Array.from({ length }, (_, place) => [
    `${place + 1}`,
    ...methods.map(({ first }) => {
      const node = first[place];
      if (!node) return '';
      return node.bad ? `<span class="bad" title="bad">${escaped(node.name)}</span>` : escaped(node.name);
    }),
  ]);
  return table(['', ...methods.map(({ label }, i) => `${swatch(i)}${escaped(label)}`)], rows);
}

/** A bit of the method's line. */
function swatch(colour: number): string {
  const dash = DASHES[Math.floor(colour / COLOURS) % DASHES.length];
  const style = `style="stroke:var(--line-${colour % COLOURS})"${dash && ` stroke-dasharray="${dash}"`}`;
  return `<svg class="swatch" viewBox="0 0 24 10" aria-hidden="true"><path class="line" ${style} d="M1 5H23"/></svg>`;
}

function percent(value: number | undefined): string {
  if (value === undefined) return '–';
  if (value === 0) return '0 %';
  const hundredths = value * 100;
  return `${hundredths >= 100 ? formatCount(hundredths) : Number(hundredths.toPrecision(2))} %`;
}

function short(value: number): string {
  if (value >= 1e6) return `${Number((value / 1e6).toPrecision(3))}M`;
  if (value >= 1e4) return `${Number((value / 1e3).toPrecision(3))}k`;
  return formatCount(value);
}
