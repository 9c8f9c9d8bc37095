/**
 * A comparison of orders as a page: the costs, and LiveRank's Figures 1 to 6 for this collection.
 */
import { facts, figure, type Html, page, section, table } from '../../report/page.ts';
import type { Plot, Series } from '../../report/plot.ts';
import type { Correlation, OrderComparison, OrderCosts } from './compare.ts';
import { costRows, summaryOf } from './table.ts';

export function costPage(comparison: OrderComparison, title: string): string {
  const { inDegree, pageRank } = comparison;
  return page(title, [
    facts(summaryOf(comparison)),
    section('Costs', table(costRows(comparison)), COSTS_TEXT),
    section('Figure 1a: in-degree', figure(cumulative('links from other pages', inDegree))),
    section('Figure 1b: PageRank', figure(cumulative('PageRank', pageRank)), FIGURE_1_TEXT),
    ...FIGURES.map(({ heading, text, runs }) => costFigure(comparison, heading, text, runs)),
  ]);
}

const COSTS_TEXT =
  'Tests (with --hosts, requests) for each living page found, when a share α of the living pages is found. The sample counts. 1 is perfect. Where a sample is drawn, the cell is the mean over all draws and half the distance between the least and the most.';
const FIGURE_1_TEXT =
  'Where the line of the living is right of the others, pages with a high value are more often alive.';

interface Figure {
  readonly heading: string;
  readonly text: string;
  /** The runs that it shows, and what each is called in its legend. */
  runs(run: OrderCosts, z: number): string | undefined;
}

const STATIC = ['random', 'in', 'pagerank'];
/** Static orders, `pa` and `pa+-`, with one kind of sample. */
const mainOrders = (sample: string) => (run: OrderCosts, z: number) =>
  STATIC.includes(run.by) || (/^pa/.test(run.by) && run.sample === sample && run.z === z)
    ? run.by
    : undefined;

const FIGURES: readonly Figure[] = [
  {
    heading: 'Figure 2: static and sampled orders',
    text: 'The sample is the first pages by PageRank.',
    runs: mainOrders('pagerank'),
  },
  {
    heading: 'Figure 3a: the size of the sample',
    text: 'pa+-: a larger sample costs more at first, and less in the end.',
    runs: (run) => (run.by === 'pa+-' ? `${run.sample}, z = ${run.z}` : undefined),
  },
  {
    heading: 'Figure 3b: the choice of the sample',
    text: 'pa+- with samples of one size.',
    runs: (run, z) => (run.by === 'pa+-' && run.z === z ? run.sample : undefined),
  },
  {
    heading: 'Figure 4a: dynamic orders',
    text: 'A random sample.',
    runs: (run, z) =>
      ['pa+-', 'bfs', 'ai'].includes(run.by) && run.sample === 'random' && run.z === z
        ? run.by
        : undefined,
  },
  {
    heading: 'Figure 4b: the sample of dynamic orders',
    text: '',
    runs: (run) => (['bfs', 'ai'].includes(run.by) ? `${run.by} after ${run.sample}` : undefined),
  },
  {
    heading: 'Figure 5: static and sampled orders, random sample',
    text: 'The paper draws it for uk-2006, a collection one year old.',
    runs: mainOrders('random'),
  },
  {
    heading: 'Figure 6: active sites first',
    text: '',
    runs: (run, z) =>
      run.by === 'random' || run.by === 'asf'
        ? run.by
        : run.by === 'pa+-' && run.sample === 'random' && run.z === z
          ? 'pa+- after random'
          : undefined,
  },
];

function costFigure(
  { runs, alphas, z }: OrderComparison,
  heading: string,
  text: string,
  labelOf: Figure['runs'],
): Html {
  const shown = runs.flatMap((run): [OrderCosts, string][] => {
    const label = labelOf(run, z);
    return label === undefined ? [] : [[run, label]];
  });
  if (shown.length === 0) return '';
  const series = shown.map(
    ([run, label], colour): Series => ({
      label,
      colour,
      points: alphas.map((alpha, i) => [alpha, run.mean[i]] as const),
    }),
  );
  const drawing: Plot = {
    title: heading,
    x: { label: 'share of the living pages found, α', scale: 'linear', format: String },
    y: { label: 'tests for each', scale: 'linear', format: String },
    series,
  };
  return section(heading, figure(drawing), text);
}

function cumulative(label: string, correlation: Correlation): Plot {
  const names = ['alive', 'dead', 'all'] as const;
  return {
    title: `Cumulative distribution of ${label}`,
    // Zero has no place on a logarithmic axis.
    x: { label, scale: 'log', format: (value) => String(Number(value.toPrecision(1))) },
    y: { label: 'share of the pages', scale: 'linear', format: String },
    series: names.map((name, colour) => ({
      label: name,
      colour,
      points: correlation[name].filter(([x]) => x > 0),
    })),
  };
}
