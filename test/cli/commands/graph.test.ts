import { readdirSync, readFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { PassThrough } from 'node:stream';
import { gunzipSync } from 'node:zlib';
import { Command } from 'commander';
import { describe, expect, test } from 'vitest';
import { WarcWriter } from '../../../src/archive/write/warc-writer.ts';
import {
  buildFromCrawl,
  describe as describeGraph,
  exportGraph,
  importFiles,
  Meter,
  register,
} from '../../../src/cli/commands/graph.ts';
import { makeExchange } from '../../archive/warc/fixtures.ts';
import { linking } from '../../crawl/small-site.ts';
import { temporaryFolder } from '../../disk/temporary-folder.ts';
import { contentOf, fileOf, newPlace } from '../../graph/fixtures.ts';

/** An output that collects its text. */
class Paper {
  text = '';
  readonly isTTY: boolean;
  constructor(isTTY = false) {
    this.isTTY = isTTY;
  }
  write(text: string): boolean {
    this.text += text;
    return true;
  }
}

const MEMORY = { memory: '2Mi' };

async function smallGraph(): Promise<string> {
  const out = newPlace();
  const files = [fileOf('a.org b.org\nb.org a.org\nc.org a.org\n')];
  await importFiles(files, { out, format: 'edges', level: 'domain', ...MEMORY }, new Paper());
  return out;
}

async function exported(folder: string, flags: object = {}): Promise<string> {
  const output = new PassThrough();
  const pieces: Buffer[] = [];
  output.on('data', (piece) => pieces.push(piece));
  await exportGraph(folder, { format: 'edges', ...MEMORY, ...flags }, output, new Paper());
  return Buffer.concat(pieces).toString();
}

describe('drumlin graph import', () => {
  test('prints the result, and no progress for short work', async () => {
    const paper = new Paper();
    const out = newPlace();
    await importFiles([fileOf('1 2\n2 3\n')], { out, format: 'edges', ...MEMORY }, paper);
    expect(paper.text).toBe(`${out}: 4 nodes, 2 arcs\n`);
  });

  test('skips bad lines on request: quotes the first, or writes all to a file', async () => {
    const good = Array.from({ length: 12 }, (_, i) => `n${i};n${i + 1}`);
    const bad = Array.from({ length: 12 }, (_, i) => `wrong${i}`);
    const lines = good.flatMap((line, i) => [line, bad[i]]);
    const path = fileOf(`${lines.join('\n')}\n`);
    const flags = { format: 'edges', separator: ';', ...MEMORY } as const;
    const paper = new Paper();
    await importFiles([path], { ...flags, out: newPlace(), skipBad: true }, paper);
    const said = paper.text.split('\n');
    expect(said[0]).toBe('12 lines skipped, the first of them:');
    expect(said[1]).toBe(`  ${path}, line 2: has 1 field instead of two, "from to".`);
    expect(said).toHaveLength(1 + 10 + 1 + 1);
    expect(said[11]).toMatch(/: 13 nodes, 12 arcs$/);

    const list = join(temporaryFolder(), 'skipped.txt');
    const other = new Paper();
    await importFiles([path], { ...flags, out: newPlace(), skipBad: list }, other);
    expect(other.text).toContain(`12 lines skipped; ${list} lists them.`);
    expect(readFileSync(list, 'utf8').split('\n')).toHaveLength(13);
  });

  test('rejects a malformed file with exit code 2 and a folder in use with 5, and leaves nothing behind', async () => {
    const out = newPlace();
    const flags = { out, format: 'edges', ...MEMORY } as const;
    await expect(importFiles([fileOf('1 2\n3\n')], flags, new Paper())).rejects.toMatchObject({
      exitCode: 2,
    });
    expect(readdirSync(dirname(out))).toEqual([]);
    await importFiles([fileOf('1 2\n')], flags, new Paper());
    await expect(importFiles([fileOf('1 2\n')], flags, new Paper())).rejects.toMatchObject({
      exitCode: 5,
    });
    const wrongSize = { ...flags, out: newPlace(), memory: 'lots' };
    await expect(importFiles([fileOf('1 2\n')], wrongSize, new Paper())).rejects.toMatchObject({
      exitCode: 2,
    });
  });

  test.each([
    [['graph', 'import', 'e.txt'], "required option '--out <folder>' not specified"],
    [['graph', 'import', '--out', 'x'], "missing required argument 'files'"],
    [['graph', 'import', 'e.txt', '--out', 'x', '--format', 'gml'], "argument 'gml' is invalid"],
    [['graph', 'build', 'crawl'], "required option '--level <level>' not specified"],
  ])('wrong flags (%j) are reported', async (args, reason) => {
    const program = new Command().exitOverride().configureOutput({ writeErr: () => {} });
    register(program);
    for (const command of program.commands.flatMap((c) => [c, ...c.commands]))
      command.exitOverride().configureOutput({ writeErr: () => {} });
    await expect(program.parseAsync(args, { from: 'user' })).rejects.toThrow(reason);
  });
});

describe('drumlin graph export', () => {
  test('writes arcs by name to the output or to a file, compressed if its name ends in .gz', async () => {
    const folder = await smallGraph();
    const text = 'a.org\tb.org\nb.org\ta.org\nc.org\ta.org\n';
    expect(await exported(folder)).toBe(text);
    const out = join(temporaryFolder(), 'edges.gz');
    expect(await exported(folder, { out })).toBe('');
    expect(gunzipSync(readFileSync(out)).toString()).toBe(text);
  });

  test('writes the two files of Common Crawl into a folder, which must be named', async () => {
    const folder = await smallGraph();
    const out = newPlace();
    await exported(folder, { format: 'common-crawl', out });
    expect(readdirSync(out).sort()).toEqual(['domain-edges.txt.gz', 'domain-vertices.txt.gz']);
    expect(gunzipSync(readFileSync(join(out, 'domain-vertices.txt.gz'))).toString()).toBe(
      '0\torg.a\n1\torg.b\n2\torg.c\n',
    );
    await expect(exported(folder, { format: 'common-crawl' })).rejects.toMatchObject({
      exitCode: 2,
    });
  });
});

describe('drumlin graph info', () => {
  test('describes a graph as text', async () => {
    const paper = new Paper();
    await describeGraph(await smallGraph(), MEMORY, paper, new Paper());
    expect(paper.text.split('\n').map((line) => line.trim().split(/\s{2,}/))).toEqual([
      ['nodes', '3 domains'],
      ['arcs', '3, 0 of them from a node to itself'],
      ['out-degree', 'mean 1.00, deviation 0.00, skewness 0.0, largest 1 (a.org)'],
      ['in-degree', 'mean 1.00, deviation 0.82, skewness 0.0, largest 2 (a.org)'],
      ['dangling', '0 (0.0 %) have no links out'],
      ['unlinked', '1 (33.3 %) have no links in, 0 (0.0 %) have no links at all'],
      ['reciprocity', '66.7 % of the arcs between two nodes go both ways'],
      ['components', '2 strongly connected, the largest has 2 (66.7 %) nodes'],
      [
        'disk',
        expect.stringMatching(
          /^\d+ B out \([\d.]+ per arc\), \d+ B in \([\d.]+ per arc\), \d+ B names$/,
        ),
      ],
      [''],
    ]);
  });

  test('describes it as JSON, and prints the memory that components would need if it is too small', async () => {
    const folder = await smallGraph();
    const [json, text] = [new Paper(), new Paper()];
    await describeGraph(folder, { ...MEMORY, json: true }, json, new Paper());
    expect(JSON.parse(json.text)).toMatchObject({
      nodes: 3,
      arcs: 3,
      level: 'domain',
      named: true,
      components: { count: 2 },
    });
    await describeGraph(folder, { memory: '10' }, text, new Paper());
    expect(text.text).toContain('not computed: needs --memory 1M');
  });

  test('rejects a folder without a graph with exit code 5', async () => {
    await expect(
      describeGraph(temporaryFolder(), MEMORY, new Paper(), new Paper()),
    ).rejects.toMatchObject({
      exitCode: 5,
    });
  });
});

describe('drumlin graph build', () => {
  test('builds the graph of a crawl, by default in its folder', async () => {
    const dir = join(temporaryFolder(), 'crawl');
    const origin = 'http://a.test';
    const writer = await WarcWriter.open(join(dir, 'archive'), {
      info: { software: 'drumlin/test' },
    });
    for (const [path, links] of [
      ['/', ['/a', '/b', 'http://elsewhere.test/']],
      ['/a', ['/', '/a']],
    ] as const)
      await writer.write(
        makeExchange({ url: `${origin}${path}`, wire: [Buffer.from(linking(...links))] }),
      );
    const head = 'HTTP/1.1 302 Found\r\nLocation: /a\r\n\r\n';
    await writer.write(makeExchange({ url: `${origin}/b`, head, wire: [] }));
    await writer.close();
    const paper = new Paper();
    await buildFromCrawl(dir, { level: 'page', ...MEMORY }, paper);
    expect(paper.text).toBe(`${join(dir, 'graph', 'page')}: 4 nodes, 6 arcs\n`);
    expect((await contentOf(join(dir, 'graph', 'page'))).arcs).toEqual([
      `${origin}/ ${origin}/a`,
      `${origin}/ ${origin}/b`,
      `${origin}/ http://elsewhere.test/`,
      `${origin}/a ${origin}/`,
      `${origin}/a ${origin}/a`,
      `${origin}/b ${origin}/a`,
    ]);
    const out = newPlace();
    await buildFromCrawl(dir, { level: 'host', out, ...MEMORY }, paper);
    expect((await contentOf(out)).arcs).toEqual(['a.test elsewhere.test']);
  });
});

describe('progress', () => {
  const tell = (paper: Paper) => {
    let now = 0;
    const meter = new Meter(paper, () => now);
    for (; now <= 12_000; now += 100) {
      if (now <= 4000) meter.show('reading', now / 4000);
      else meter.show('writing', (now - 4000) / 16_000);
    }
    meter.note('done');
    return paper.text;
  };

  test('is a line every few seconds, with the time left in the step', () => {
    expect(tell(new Paper())).toBe(
      'reading: 25 %, 3.0 s left in this step (1.0 s so far)\n' +
        'writing: 12 %, 13.3 s left in this step (6.0 s so far)\n' +
        'writing: 43 %, 8.9 s left in this step (11.0 s so far)\n' +
        'done\n',
    );
  });

  test('is one redrawn line in a terminal, erased at the end', () => {
    const text = tell(new Paper(true));
    expect(text.match(/\r\x1b\[2K[^\r]+/g)?.length).toBeGreaterThan(30);
    expect(text.endsWith('\r\x1b[2Kdone\n')).toBe(true);
    expect(text.replace(/done\n$/, '')).not.toContain('\n');
  });
});
