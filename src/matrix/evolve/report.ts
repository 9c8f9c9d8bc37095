/** Snapshots as tables of text and as a page. The first row of a table is its heading. */
import { formatCount } from '../../base/units.ts';
import { beside, facts, figure, page, section, table } from '../../report/page.ts';
import type { Plot } from '../../report/plot.ts';
import type { Evolution, Followed } from './evolve.ts';
import { KINDS, type Kind, type SubspaceRow } from './snapshot.ts';

const TITLES: Readonly<Record<Kind, string>> = { k: 'K', kStar: 'K*', k2: 'K2' };

/** The paper's Table 1, with κ. */
export function sizeRows({ snapshots }: Evolution): string[][] {
  const cleaned = snapshots.some(({ dropped }) => dropped > 0);
  return [
    ['snapshot', 'N', 'arcs', 'kappa', ...(cleaned ? ['dropped'] : [])],
    ...snapshots.map(({ label, nodes, arcs, correlator, dropped }) => [
      label,
      formatCount(nodes),
      formatCount(arcs),
      decimal(correlator, 3),
      ...(cleaned ? [formatCount(dropped)] : []),
    ]),
  ];
}

/** The paper's Table 2: a star marks the reversed arcs. */
export function subspaceRows({ snapshots }: Evolution): string[][] {
  const cells = (row: SubspaceRow) =>
    [row.subspaceNodes, row.subspaces, row.largest, row.circle, row.ones].map(formatCount);
  return [
    ['snapshot', 'N_s', 'N_d', 'd_max', 'N_circ', 'N_1'],
    ...snapshots.flatMap(({ label, forward, reverse }) => [
      [label, ...cells(forward)],
      [`${label}*`, ...cells(reverse)],
    ]),
  ];
}

/** Overlap and τ of the tops of successive snapshots. */
export function stepRows({ steps }: Evolution): string[][] {
  return [
    ['step', ...KINDS.flatMap((kind) => [`${TITLES[kind]} shared`, `${TITLES[kind]} tau`])],
    ...steps.map(({ from, to, overlap, tau }) => [
      `${from} to ${to}`,
      ...KINDS.flatMap((kind) => [percent(overlap[kind]), decimal(tau[kind], 2)]),
    ]),
  ];
}

/** The places of the first ten of the last snapshot, over time. */
export function followedRows({ snapshots, followed }: Evolution, kind: Kind): string[][] {
  return [
    [`by ${TITLES[kind]}`, ...snapshots.map(({ label }) => label)],
    ...followed[kind].map(({ name, places }) => [
      name,
      ...places.map((place) => (place === undefined ? '–' : formatCount(place))),
    ]),
  ];
}

/** Shares of categories among the first 30; undefined without categories. */
export function categoryRows({ snapshots }: Evolution, kind: 'k' | 'k2'): string[][] | undefined {
  if (snapshots.every(({ categories }) => categories === undefined)) return undefined;
  const all = new Map<string, number>();
  for (const { categories } of snapshots)
    for (const [name, share] of categories?.[kind] ?? [])
      all.set(name, (all.get(name) ?? 0) + share);
  const names = [...all].sort((a, b) => b[1] - a[1]).map(([name]) => name);
  return [
    [`first 30 by ${TITLES[kind]}`, ...snapshots.map(({ label }) => label)],
    ...names.map((name) => [
      name,
      ...snapshots.map(({ categories }) => percent(categories?.[kind].get(name) ?? 0)),
    ]),
  ];
}

export function againstRows({ snapshots, against }: Evolution): string[][] | undefined {
  if (!against) return undefined;
  return [
    ['', ...snapshots.map(({ label }) => label)],
    ['of the other list’s first ten among ours', ...against.map(String)],
  ];
}

export function evolvePage(found: Evolution, title: string): string {
  const categories = (['k', 'k2'] as const).flatMap((kind) => {
    const rows = categoryRows(found, kind);
    return rows ? [section(`Categories by ${TITLES[kind]}`, table(rows))] : [];
  });
  const against = againstRows(found);
  return page(title, [
    found.notes.length > 0 && facts(found.notes),
    section('Snapshots', table(sizeRows(found))),
    section('Invariant subspaces', table(subspaceRows(found)), 'A star marks the reversed arcs.'),
    section('Tops of successive snapshots', table(stepRows(found)), stepText(found)),
    ...KINDS.map((kind) =>
      section(
        `${TITLES[kind]} over time`,
        figure(placesPlot(found, kind)) + table(followedRows(found, kind)),
        'The first ten of the last snapshot; places among all nodes.',
      ),
    ),
    categories.length > 0 && beside(categories),
    against && section('Another list', table(against)),
  ]);
}

function stepText({ top }: Evolution): string {
  return `Of the first ${formatCount(top)}: the share in both, and Kendall’s τ over the nodes in either. 1 is the same order.`;
}

function placesPlot({ snapshots, followed }: Evolution, kind: Kind): Plot {
  return {
    title: `${TITLES[kind]} over time`,
    x: {
      label: 'snapshot',
      scale: 'linear',
      format: (at) => (Number.isInteger(at) ? (snapshots[at]?.label ?? '') : ''),
    },
    y: { label: TITLES[kind], scale: 'log', format: (value) => formatCount(value) },
    series: followed[kind].map((node, colour) => ({
      label: node.name,
      colour,
      points: points(node),
    })),
  };
}

function points({ places }: Followed): (readonly [number, number])[] {
  return places.flatMap((place, at) => (place === undefined ? [] : [[at, place] as const]));
}

const percent = (share: number) => `${Math.round(share * 100)} %`;
const decimal = (value: number, digits: number) => value.toFixed(digits).replace('-', '−');
