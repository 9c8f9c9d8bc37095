/** The plane of a graph as rows of text and as a page. */
import { formatCount } from '../../base/units.ts';
import { type HeatCell, heatMap } from '../../report/heat.ts';
import { facts, figure, page, section, table } from '../../report/page.ts';
import type { Plot } from '../../report/plot.ts';
import { CELLS, type Density } from './density.ts';
import type { Plane, PlaneCurve } from './plane.ts';

/** The figures, each with its name. */
export function planeRows(plane: Plane): (readonly [name: string, value: string])[] {
  const { nodes, arcs, alpha, correlator, ridge, converged } = plane;
  return [
    ['N', `${formatCount(nodes)} nodes`],
    ['arcs', `${formatCount(arcs)}`],
    ['alpha', `${alpha}${converged === 'no' ? ' (not converged: take a smaller --alpha)' : ''}`],
    ['kappa', correlator.toFixed(3).replace('-', '−')],
    ['P(K)', exponentText(plane.pagerank)],
    ['P*(K*)', exponentText(plane.cheirank)],
    [
      'ridge',
      ridge
        ? `ln K* = ln K ${signed(ridge.offset)}: ${percent(ridge.share)} of the nodes within ½ of it, ${percent(ridge.chance)} by chance`
        : 'none',
    ],
  ];
}

/** The first nodes by K, K* and K₂ side by side, under a heading. */
export function firstRows({ pagerank, cheirank, first2d }: Plane): string[][] {
  const rows = pagerank.first.map((name, i) => [
    String(i + 1),
    name,
    cheirank.first[i],
    first2d[i],
  ]);
  return [['', 'PageRank K', 'CheiRank K*', '2DRank K2'], ...rows];
}

export function planePage(plane: Plane, title: string): string {
  return page(title, [
    facts(planeRows(plane).map(([name, value]) => `${name}: ${value}`)),
    section('Probability by place', figure(curvesPlot(plane)), CURVES_TEXT),
    section('Density of nodes', heatMap(densityMap(plane)), DENSITY_TEXT),
    section('The first of each', table(firstRows(plane))),
  ]);
}

const CURVES_TEXT =
  'PageRank P by the place K, CheiRank P* by the place K*. The dashed lines are fitted: least squares at places equidistant in their logarithms, from the tenth place to the last node above the least value.';
const DENSITY_TEXT =
  'Cells equidistant in ln K and ln K*. The value is ln(N · density), where the density is the share of the cell’s pairs of places that hold a node: 0 is what chance would give, dark cells hold none. The dashed line is the ridge: around it most more nodes lie than by chance.';

function exponentText({ exponent: found }: PlaneCurve): string {
  if (!found) return 'one place';
  const { exponent, fit, from, to } = found;
  const range = `places ${formatCount(from)} to ${formatCount(to)}`;
  return `exponent ${exponent.toFixed(3)} over ${range} (R² ${fit.toFixed(3)})`;
}

const percent = (share: number) => `${(share * 100).toFixed(1)} %`;

const signed = (value: number) => `${value < 0 ? '−' : '+'} ${Math.abs(value).toFixed(2)}`;

function curvesPlot({ pagerank, cheirank }: Plane): Plot {
  const curves = [
    { label: 'P(K)', curve: pagerank },
    { label: 'P*(K*)', curve: cheirank },
  ];
  return {
    title: 'Probability by place',
    x: { label: 'K, K*', scale: 'log', format: (value) => formatCount(value) },
    y: { label: 'P, P*', scale: 'log', format: (value) => value.toExponential(0) },
    series: curves.flatMap(({ label, curve }, colour) => [
      { label, colour, points: curve.points },
      ...fittedLine(label, curve, colour + 8),
    ]),
  };
}

function fittedLine(label: string, { exponent: found }: PlaneCurve, colour: number) {
  if (!found) return [];
  const { exponent, intercept, from, to } = found;
  const at = (place: number) => [place, Math.exp(intercept - exponent * Math.log(place))] as const;
  return [{ label: `${label} ~ K^−${exponent.toFixed(2)}`, colour, points: [at(from), at(to)] }];
}

function densityMap({ nodes, density, ridge }: Plane) {
  return {
    title: 'Density of nodes',
    xLabel: 'place by PageRank, K',
    yLabel: 'place by CheiRank, K*',
    most: nodes + 1,
    cells: cellsOf(density, nodes),
    ...(ridge && {
      line: { label: `ln K* = ln K ${signed(ridge.offset)}`, factor: Math.exp(ridge.offset) },
    }),
    valueLabel: 'ln(N · density)',
    format: (value: number) => value.toFixed(1).replace('-', '−'),
  };
}

/**
 * The cells with nodes. Each reaches from its first place to the first of the next cell with
 * places: near the top, where places are further apart than cells, there are no gaps.
 */
function cellsOf({ density, bounds }: Density, nodes: number): HeatCell[] {
  const cells: HeatCell[] = [];
  for (let at = 0; at < density.length; at++) {
    if (density[at] === 0) continue;
    const [row, column] = [Math.floor(at / CELLS), at % CELLS];
    cells.push({
      x: [bounds[column], bounds[column + 1]],
      y: [bounds[row], bounds[row + 1]],
      value: Math.log(nodes * density[at]),
    });
  }
  return cells;
}
