/** A comparison of orders as cells, for the terminal and for the page. */
import { formatCount } from '../../base/units.ts';
import type { OrderComparison, OrderCosts } from './compare.ts';

/** The alphas that a table shows. */
const SHOWN: readonly number[] = [0.1, 0.2, 0.3, 0.5, 0.7, 0.8, 0.9, 1];

export function summaryOf({ pages, links, living, z, seeds, unit }: OrderComparison): string[] {
  return [
    `${formatCount(pages)} pages`,
    `${formatCount(links)} links`,
    `${formatCount(living)} alive (${((100 * living) / pages).toFixed(1)} %)`,
    `a test of all costs ${(pages / living).toFixed(2)} for each living page`,
    `a sample of ${formatCount(z)} pages (${((100 * z) / pages).toFixed(2)} %)`,
    `${seeds} ${seeds === 1 ? 'draw' : 'draws'}`,
    `costs in ${unit}`,
  ];
}

/** One row for each run: its costs, and half their spread where it was drawn more than once. */
export function costRows({ runs, alphas }: OrderComparison): string[][] {
  const shown = SHOWN.map((alpha) => alphas.findIndex((one) => Math.abs(one - alpha) < 1e-9));
  const heading = ['order', 'sample', 'size', ...SHOWN.map((alpha) => alpha.toFixed(1))];
  return [heading, ...runs.map((run) => [...named(run), ...shown.map((i) => costCell(run, i))])];
}

const named = ({ by, sample, z }: OrderCosts) => [by, sample || '–', z > 0 ? formatCount(z) : '–'];

function costCell({ mean, least, most, seeds }: OrderCosts, i: number): string {
  const spread = seeds > 1 ? ` ±${((most[i] - least[i]) / 2).toFixed(2)}` : '';
  return `${mean[i].toFixed(2)}${spread}`;
}
