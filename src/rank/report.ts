/**
 * A comparison as a page: one HTML file with its style and its plots inside, no script, nothing to load, light or dark as the reader
 * has it.
 */
import type { Comparison, MethodReport } from './compare-run.ts';
import { AGREEMENT_TEXT, agreementRows, methodRows, percent, short, summaryOf } from './compare-table.ts';
import { COLOURS, DASHES, escaped, type Plot, plot, type Series } from './report-plot.ts';
import { STYLE } from './report-style.ts';

export function reportPage(comparison: Comparison, title: string): string {
  const { methods, bad, good } = comparison;
  const sections = [
    summary(comparison),
    section('Cost and quality', table(methodRows(comparison))),
    bad && section('Bad nodes among the first r', figure(badPlot(comparison), 'admit none'), BAD_TEXT),
    good && section('Good nodes among the first r', figure(goodPlot(comparison), 'admit none')),
    methods.some(({ error }) => error) &&
      section('Relative error against supporters', figure(errorPlot(comparison), 'exact'), ERROR_TEXT),
    section('Agreement at the top', table(agreementRows(comparison)), AGREEMENT_TEXT),
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
function section(heading: string, body: string, text = ''): string {
  return `<section>\n<h2>${heading}</h2>\n${text && `<p>${text}</p>\n`}${body}\n</section>`;
}

function summary(comparison: Comparison): string {
  const facts = summaryOf(comparison).map((fact) => `<li>${fact}</li>`);
  return `<ul class="facts">${facts.join('')}</ul>`;
}

/** Rows of text, one for each method below the heading, which begin with a bit of its line. */
function table([heading, ...rows]: readonly (readonly string[])[]): string {
  const body = rows.map(([label, ...cells], method) => [
    `${swatch(method)}${escaped(label)}`,
    ...cells.map(escaped),
  ]);
  return tableOf(heading.map(escaped), body);
}

/** Cells of markup. */
function tableOf(heading: readonly string[], rows: readonly (readonly string[])[]): string {
  const cells = (row: readonly string[], tag: string) =>
    row.map((cell) => `<${tag}>${cell}</${tag}>`).join('');
  const body = rows.map((row) => `<tr>${cells(row, 'td')}</tr>`).join('\n');
  return `<div class="wide"><table>\n<thead><tr>${cells(heading, 'th')}</tr></thead>\n<tbody>\n${body}\n</tbody>\n</table></div>`;
}

const ranks = { label: 'rank r', scale: 'log', format: short } as const;

function badPlot({ methods, top }: Comparison): Plot {
  return {
    title: 'Bad nodes among the first r',
    x: ranks,
    y: { label: 'bad nodes u(r)', scale: 'log', format: short },
    series: methods.map(({ badPlaces, label }, colour) => curve(badPlaces, top, label, colour)),
  };
}

function goodPlot({ methods, top }: Comparison): Plot {
  return {
    title: 'Good nodes among the first r',
    x: ranks,
    y: { label: 'good nodes', scale: 'linear', format: short },
    series: methods.map(({ goodPlaces, label }, colour) => curve(goodPlaces, top, label, colour)),
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
  return { label, colour, steps: true, points: [...points, [top, places.length]] };
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
  return tableOf(['', ...methods.map(({ label }, i) => `${swatch(i)}${escaped(label)}`)], rows);
}

/** A bit of the method's line. */
function swatch(colour: number): string {
  const dash = DASHES[Math.floor(colour / COLOURS) % DASHES.length];
  const style = `style="stroke:var(--line-${colour % COLOURS})"${dash && ` stroke-dasharray="${dash}"`}`;
  return `<svg class="swatch" viewBox="0 0 24 10" aria-hidden="true"><path class="line" ${style} d="M1 5H23"/></svg>`;
}
