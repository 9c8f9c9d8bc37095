/** A comparison of rankings as a page. */
import { facts, figure, page, section, swatch, tableOf } from '../../report/page.ts';
import { escaped, type Plot, type Series } from '../../report/plot.ts';
import type { Comparison, MethodReport } from './compare-run.ts';
import {
  AGREEMENT_TEXT,
  agreementRows,
  methodRows,
  percent,
  short,
  summaryOf,
} from './compare-table.ts';

export function reportPage(comparison: Comparison, title: string): string {
  const { methods, bad, good } = comparison;
  const sections = [
    facts(summaryOf(comparison)),
    section('Cost and quality', table(methodRows(comparison))),
    bad &&
      section('Bad nodes among the first r', figure(badPlot(comparison), 'admit none'), BAD_TEXT),
    good && section('Good nodes among the first r', figure(goodPlot(comparison), 'admit none')),
    methods.some(({ error }) => error) &&
      section(
        'Relative error against supporters',
        figure(errorPlot(comparison), 'exact'),
        ERROR_TEXT,
      ),
    section('Agreement at the top', table(agreementRows(comparison)), AGREEMENT_TEXT),
    section('The first of each', firstNames(methods)),
  ];
  return page(title, sections);
}

const BAD_TEXT =
  'A line steps up where a ranking admits a node of the bad list. Lower is better; a line that begins further right kept its top clean for longer.';
const ERROR_TEXT =
  'Nodes in the order of their exact supporters; each point is the mean of |estimate / exact − 1| around that rank.';
/** Rows of text, one for each method below the heading; each begins with a sample of its line. */
function table([heading, ...rows]: readonly (readonly string[])[]): string {
  const body = rows.map(([label, ...cells], method) => [
    `${swatch(method)}${escaped(label)}`,
    ...cells.map(escaped),
  ]);
  return tableOf(heading.map(escaped), body);
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

/** The most steps drawn: between two of several hundred, no difference can be seen in print. */
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
      // An exact score (error 0) has no place on a logarithmic axis.
      return [{ label, colour, points: error.curve.filter(([, value]) => value > 0) }];
    }),
  };
}

function firstNames(methods: readonly MethodReport[]): string {
  const length = Math.max(0, ...methods.map(({ first }) => first.length));
  const rows = Array.from({ length }, (_, place) => [
    `${place + 1}`,
    ...methods.map(({ first }) => {
      const node = first[place];
      if (!node) return '';
      return node.bad
        ? `<span class="bad" title="bad">${escaped(node.name)}</span>`
        : escaped(node.name);
    }),
  ]);
  return tableOf(['', ...methods.map(({ label }, i) => `${swatch(i)}${escaped(label)}`)], rows);
}
