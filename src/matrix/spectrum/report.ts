/** The page of a spectrum: the circle as in Figures 9 and 10 of the paper, facts, vectors. */
import { formatCount } from '../../base/units.ts';
import { circleFigure } from '../../report/circle.ts';
import { facts, page, section, table } from '../../report/page.ts';
import type { NamedVector } from './output.ts';
import type { Eigenvalue, Spectrum } from './spectrum.ts';

/** An eigenvalue with a greater residual is drawn as an estimate. */
const DRAWN = 1e-4;
/**
 * An eigenvalue whose rounding may move it further is not drawn: a multiple 0 of few vectors is
 * computed as a ring around 0.
 */
const BLURRED = 1e-3;

export function spectrumReport(
  title: string,
  found: Spectrum,
  vectors: readonly NamedVector[],
): string {
  const { subspaces, eigenvalues, core, alpha } = found;
  const sharp = eigenvalues.filter(({ condition }) => condition * Number.EPSILON < BLURRED ** 2);
  const pick = (accepts: (value: Eigenvalue) => boolean) =>
    sharp.filter(accepts).map(({ re, im }) => [re, im] as const);
  const figure = circleFigure(title, [
    {
      label: 'core, residual above 1e-4',
      colour: 'rule',
      size: 3,
      points: pick(({ subspace, residual }) => subspace === 0 && residual >= DRAWN),
    },
    {
      label: 'subspaces',
      colour: 'line-0',
      size: 3.5,
      points: pick(({ subspace }) => subspace !== 0),
    },
    {
      label: 'core',
      colour: 'bad',
      size: 3.5,
      points: pick(({ subspace, residual }) => subspace === 0 && residual < DRAWN),
    },
  ]);
  const left = eigenvalues.length - sharp.length;
  const text = `Eigenvalues of ${alpha === 1 ? 'S' : `G at α = ${alpha}`}. ${formatCount(found.zeros)} are exactly 0 and not drawn${left > 0 ? `, nor are ${formatCount(left)} that rounding blurs` : ''}.`;
  return page(title, [
    facts([
      `${formatCount(subspaces.nodes)} nodes, ${formatCount(subspaces.arcs)} arcs`,
      `N_s ${formatCount(subspaces.subspaceNodes)}`,
      `N_d ${formatCount(subspaces.subspaces)}`,
      `d_max ${formatCount(subspaces.largest)}`,
      `N_1 ${formatCount(subspaces.ones)}`,
      `N_circ ${formatCount(subspaces.circle)}`,
      ...(core
        ? [`core ${formatCount(core.nodes)} nodes: ${core.method}, ${core.dimension} vectors`]
        : []),
    ]),
    section('Spectrum', figure, text),
    section('Greatest eigenvalues', valueTable(eigenvalues)),
    ...vectors.map((vector) => vectorSection(vector)),
  ]);
}

const complex = ({ re, im }: Eigenvalue): string =>
  im === 0 ? re.toFixed(6) : `${re.toFixed(6)} ${im < 0 ? '−' : '+'} ${Math.abs(im).toFixed(6)} i`;

const partOf = ({ subspace }: Eigenvalue): string =>
  subspace === 0 ? 'core' : `subspace ${formatCount(subspace)}`;

/** The first of the core and of subspaces side by side would be mostly ones: core first. */
function valueTable(eigenvalues: readonly Eigenvalue[]): string {
  const first = [
    ...eigenvalues.filter(({ subspace }) => subspace === 0).slice(0, 20),
    ...eigenvalues.filter(({ subspace }) => subspace !== 0).slice(0, 10),
  ];
  return table([
    ['eigenvalue', 'modulus', 'residual', 'condition', 'part'],
    ...first.map((value) => [
      complex(value),
      value.modulus.toFixed(6),
      value.residual.toExponential(1),
      value.condition.toExponential(1),
      partOf(value),
    ]),
  ]);
}

function vectorSection({ value, participation, nodes }: NamedVector): string {
  const rows = nodes
    .slice(0, 10)
    .map(({ name, modulus, re, im }) => [name, modulus.toFixed(4), re.toFixed(4), im.toFixed(4)]);
  return section(
    `Eigenvector of ${complex(value)} (${partOf(value)})`,
    table([['node', '|ψ|', 'real', 'imaginary'], ...rows]),
    `Participation ratio ${participation.toFixed(1)}: it is on about so many nodes.`,
  );
}
