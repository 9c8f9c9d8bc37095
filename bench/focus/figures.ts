/**
 * Figures 1 and 2 of the paper for a synthetic web, as pictures for docs/focus.md, and in numbers.
 *
 * The counts are the lab's truth: every document of the web, and every citation among its papers.
 * Lists and figures are those of `drumlin focus rank`.
 */
import { mkdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { formatCount } from '../../src/base/units.ts';
import { domainOf } from '../../src/focus/book/keys.ts';
import { bisector, figure1, figure2 } from '../../src/focus/rank/figures.ts';
import { logF1, type Ranked, type Whitelist, whitelist } from '../../src/focus/rank/whitelist.ts';
import { documentTruths } from '../../src/lab/judge/document-truth.ts';
import { webOf } from '../../src/lab/server/lab.ts';
import { COLOURS, escaped, type Plot, plot } from '../../src/report/plot.ts';
import { STYLE } from '../../src/report/style.ts';

const PORTS = { http: 8080, https: 8443, dns: 0, control: 0 };
const TOP = 8000;
const LEGEND = 28;
/** log10(100·F1) by place in Table 1 of the paper. */
const TABLE_1: readonly (readonly [place: number, logF1: number])[] = [
  ...([
    [1, 0.443],
    [2, 0.335],
    [3, 0.281],
    [4, 0.194],
    [5, 0.049],
  ] as const),
  ...([
    [203, -1.075],
    [262, -1.226],
    [347, -1.375],
    [513, -1.657],
    [630, -1.805],
  ] as const),
  ...([
    [1089, -2.377],
    [1256, -2.513],
    [1623, -2.784],
    [2061, -3.049],
    [3313, -4.602],
  ] as const),
];

export async function drawFigures(folder: string, domains: number, pages: number): Promise<void> {
  const list = await trueList(domains, pages);
  const core = list.domains.slice(0, list.core);
  mkdirSync(folder, { recursive: true });
  writeFileSync(join(folder, 'figure-1.svg'), pictureOf(figure1(core)));
  writeFileSync(join(folder, 'figure-2.svg'), pictureOf(figure2(core)));
  printNumbers(list, core);
}

async function trueList(domains: number, pages: number): Promise<Whitelist> {
  const web = webOf({ seed: 1, scenario: 'papers', domains, pages }, PORTS);
  const counts = new Map<
    string,
    { name: string; documents: number; quality: number; parents: number }
  >();
  for (const { url, citations } of documentTruths(web)) {
    const name = domainOf(url);
    const found = counts.get(name) ?? { name, documents: 0, quality: 0, parents: 0 };
    counts.set(name, found);
    found.documents++;
    found.quality += citations;
  }
  return whitelist(counts.values(), TOP);
}

function printNumbers(list: Whitelist, core: readonly Ranked[]): void {
  const percent = (share: number) => `${(100 * share).toFixed(2)} %`;
  print(
    `${formatCount(list.domains.length)} domains in the list, ${formatCount(list.core)} in the core`,
  );
  print(
    `covered: ${percent(list.covered.documents)} of the documents, ${percent(list.covered.quality)} of the quality`,
  );
  const line = bisector(core.map((each) => [log(each.documentShare), log(each.qualityShare)]));
  if (line) print(`OLS bisector: slope ${line.slope.toFixed(2)}`);
  for (const [from, to] of [
    [1, 500],
    [501, 2000],
    [2001, core.length],
  ])
    print(
      `standard deviation of log10(p_c/p_d) at places ${from} to ${to}: ${spread(core.slice(from - 1, to)).toFixed(2)}`,
    );
  print('| place | log 100 F1, paper | ours | place in D | place in C |');
  print('|---|---|---|---|---|');
  for (const [place, paper] of TABLE_1) {
    const ours = core[place - 1];
    if (ours)
      print(`| ${place} | ${paper} | ${logF1(ours.f1).toFixed(3)} | ${ours.inD} | ${ours.inC} |`);
  }
}

const log = Math.log10;

function spread(domains: readonly Ranked[]): number {
  const values = domains.map((each) => log(each.qualityShare / each.documentShare));
  const mean = values.reduce((sum, value) => sum + value, 0) / values.length;
  return Math.sqrt(values.reduce((sum, value) => sum + (value - mean) ** 2, 0) / values.length);
}

/** A plot as a file of its own, with its style and a legend. */
function pictureOf(drawing: Plot): string {
  const inner = plot(drawing).replace(/^<svg viewBox="0 0 (\d+) (\d+)"[^>]*>/, '');
  const [, width, height] = /viewBox="0 0 (\d+) (\d+)"/.exec(plot(drawing))?.map(Number) ?? [];
  const shown = drawing.series.filter(({ points }) => points.length > 0);
  const legend = shown.map(({ label, colour }, i) => {
    const x = 76 + i * ((width - 76) / shown.length);
    return `<path class="line" style="stroke:var(--line-${colour % COLOURS})" d="M${x} ${height + 8}h24"/><text x="${x + 30}" y="${height + 12}">${escaped(label)}</text>`;
  });
  return `<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 ${width} ${height + LEGEND}" role="img" aria-label="${escaped(drawing.title)}">
<style>${STYLE}</style>
<rect width="100%" height="100%" style="fill:var(--ground)"/>
${legend.join('\n')}
${inner}
`;
}

const print = (line: string) => void process.stdout.write(`${line}\n`);
