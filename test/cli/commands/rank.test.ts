/** From the words of a command line to a printed ranking. */
import { mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { PassThrough } from 'node:stream';
import { text } from 'node:stream/consumers';
import { Command } from 'commander';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import {
  COMMAND_FLAGS,
  type RankFlags,
  rankCommand,
  register,
} from '../../../src/cli/commands/rank.ts';
import { readNameList } from '../../../src/cli/input/name-list.ts';
import { showEta } from '../../../src/cli/screen/eta.ts';
import { writeText } from '../../../src/cli/screen/text-output.ts';
import { importGraph } from '../../../src/graph/io/import.ts';
import { flagOf } from '../../../src/rank/engine/parameters.ts';
import { findRanker, RANKER_NAMES } from '../../../src/rank/index.ts';

const folder = mkdtempSync(join(tmpdir(), 'drumlin-rank-'));
const graph = join(folder, 'graph');
afterAll(() => rmSync(folder, { recursive: true }));

beforeAll(async () => {
  const edges = join(folder, 'edges.txt');
  // good is linked by three, bad by two, fine and poor by one each.
  const arcs = ['a good', 'b good', 'c good', 'a bad', 'b bad', 'good fine', 'bad poor'];
  writeFileSync(edges, `${arcs.join('\n').replaceAll(' ', '\t')}\n`);
  await importGraph([edges], graph, { format: 'edges' });
});

/** Parses the words as the program does, then ranks into memory. */
async function rank(...words: string[]): Promise<{ printed: string; told: string }> {
  const program = new Command().exitOverride();
  register(program);
  const command = program.commands[0];
  const output = new PassThrough();
  let told = '';
  const screen = { write: (line: string) => (told += line) };
  command.action((_, flags: RankFlags) => rankCommand(command.args, flags, { output, screen }));
  await program.parseAsync(['rank', ...words], { from: 'user' });
  output.end();
  return { printed: await text(output), told };
}

const file = (name: string, content: string) => {
  writeFileSync(join(folder, name), content);
  return join(folder, name);
};

describe('drumlin rank', () => {
  test('prints place, name and score, best first and equal scores by name', async () => {
    const { printed, told } = await rank(graph, '--by', 'in', '--top', '5');
    expect(printed).toBe('1\tgood\t3\n2\tbad\t2\n3\tfine\t1\n4\tpoor\t1\n5\ta\t0\n');
    expect(told).toMatch(/^in: 7 nodes, 7 arcs in .*; bytes read /);
  });

  test('prints all nodes when asked for all, or for more than there are', async () => {
    const all = (await rank(graph, '--by', 'opic', '--top', 'all')).printed;
    expect(all.split('\n')).toHaveLength(8);
    expect((await rank(graph, '--by', 'opic', '--top', '1k')).printed).toBe(all);
  });

  test('writes a complete file, and no other file', async () => {
    const out = join(folder, 'ranks.tsv');
    const { printed } = await rank('--by', 'in', '--top', '1', '--out', out, graph);
    expect(printed).toBe('');
    expect(readFileSync(out, 'utf8')).toBe('1\tgood\t3\n');
    expect(readdirSync(folder).filter((name) => name.includes('.tmp'))).toEqual([]);
  });

  test('prints what the score may be in truth, and warns of a rough estimate', async () => {
    const tse = ['--by', 'tse', '--p', '0.5', '--seed', '3'];
    const { printed, told } = await rank(graph, ...tse, '--interval', '--top', '1');
    const [place, name, score, low, high] = printed.trimEnd().split('\t');
    expect([place, name]).toEqual(['1', 'fine']);
    expect(Number(low)).toBeLessThanOrEqual(Number(score));
    expect(Number(high)).toBeGreaterThan(Number(score));
    expect(told).toMatch(/Warning: the standard error is \d+ % at place \d\. Give --error 3%/);
    const exact = await rank(graph, '--by', 'tse', '--error', '3%', '--top', '1');
    expect(exact.printed).toBe('1\tfine\t3\n');
    expect(exact.told).toContain('; p 1; ');
    expect(exact.told).not.toContain('Warning');
    await expect(rank(graph, '--by', 'in', '--interval')).rejects.toThrow('has no intervals');
    await expect(rank(graph, '--by', 'tse', '--error', '300%')).rejects.toThrow('out of range');
  });

  test('warns when a method ended before it converged, with what to give', async () => {
    const { told } = await rank(graph, '--by', 'pagerank', '--iterations', '2', '--json');
    expect(told).toMatch(
      /^Warning: pagerank did not converge: after 2 iterations the error is \S+\. Give more --iter/,
    );
    expect((await rank(graph, '--by', 'pagerank')).told).not.toMatch(/Warning/);
  });

  test('writes JSON with facts about the run', async () => {
    const { printed, told } = await rank(graph, '--by', 'pagerank', '--top', '2', '--json');
    const report = JSON.parse(printed);
    expect(report).toMatchObject({ by: 'pagerank', nodes: 7, arcs: 7, facts: { held: 'memory' } });
    expect(
      report.ranking.map(({ rank, name }: { rank: number; name: string }) => [rank, name]),
    ).toEqual([
      [1, 'fine'],
      [2, 'good'],
    ]);
    expect(told).toBe('');
    expect(
      JSON.parse((await rank(graph, '--by', 'in', '--top', '0', '--json')).printed).ranking,
    ).toEqual([]);
  });

  test("accepts a method's parameters as flags, anywhere and in either form", async () => {
    const plain = (await rank(graph, '--by', 'pagerank', '--alpha', '0.5', '--iterations', '2'))
      .printed;
    const mixed = (
      await rank('--alpha=0.5', '--by', 'pagerank', '--iterations', '2', graph, '--top', '100')
    ).printed;
    expect(mixed).toBe(plain);
    expect(plain).not.toBe((await rank(graph, '--by', 'pagerank')).printed);
  });

  test('reads the nodes that a parameter names from a file', async () => {
    const good = file('good.txt', '# trusted\nbad\r\nnowhere\n');
    const { printed, told } = await rank(graph, '--by', 'trustrank', '--good', good, '--top', '2');
    expect(printed.split('\n').map((line) => line.split('\t')[1])).toEqual([
      'bad',
      'poor',
      undefined,
    ]);
    expect(told).toContain('trusted 1');
  });

  test('prints places among a set beside places among all, and what the graph lacks', async () => {
    const set = file('set.txt', 'poor\nfime\nbad\na\n');
    const { printed, told } = await rank(graph, '--by', 'in', '--among', set);
    expect(printed).toBe('1\t2\tbad\t2\n2\t4\tpoor\t1\n3\t5\ta\t0\n');
    expect(told).toContain('1 of 4 names are not in the graph: "fime" (nearest: "fine")');
    const one = await rank(graph, '--by', 'in', '--among', set, '--top', '1', '--json');
    expect(JSON.parse(one.printed)).toMatchObject({
      among: { given: 4, found: 3, missing: ['fime'] },
      ranking: [{ rank: 1, overall: 2, name: 'bad', score: 2 }],
    });
  });

  test('refuses a set with a name twice, without names, or of which the graph has none', async () => {
    const among = (name: string, content: string) =>
      rank(graph, '--by', 'in', '--among', file(name, content));
    await expect(among('twice.txt', 'a\nb\na\n')).rejects.toThrow(
      /twice\.txt:3: "a" is in the set twice, first in line 1/,
    );
    await expect(among('none.txt', '# nothing\n')).rejects.toThrow(/The set has no names/);
    await expect(among('other.txt', 'godo\n')).rejects.toThrow(
      /None of the 1 name .* "godo" \(nearest: "good"\)/,
    );
  });

  test('lists every method with its parameters', async () => {
    const { printed } = await rank('--list');
    for (const name of RANKER_NAMES) expect(printed).toMatch(new RegExp(`^${name} `, 'm'));
    expect(printed).toMatch(
      /--alpha <number> .*probability of following a link.*\(default: 0.85\)/,
    );
    expect(printed).toMatch(/--dangling <uniform\|teleport\|lost>/);
  });

  test.each([
    [['--by', 'pagerang'], 'There is no ranking method "pagerang". Did you mean "pagerank"?'],
    [['--by', 'pagerank', '--alhpa', '1'], 'has no parameter --alhpa. Did you mean --alpha?'],
    [['--by', 'in', '--tpo', '5'], 'has no parameter --tpo. Did you mean --top?'],
    [['--by', 'pagerank', '-a', '1'], 'has no parameter --a.'],
    [['--by', 'pagerank', '--alpha'], 'alpha has no value. Write --alpha <value>.'],
    [['--by', 'pagerank', '--alpha', '7'], 'alpha: 7 is out of range.'],
    [
      ['--by', 'pagerank', '--teleport', 'no-such-file'],
      'The list of names "no-such-file" does not exist.',
    ],
    [['--by', 'in', 'another'], 'More than one graph is given.'],
    [['--by', 'in', '--top', 'some'], '"some" is not a whole number.'],
    [['--by', 'in', '--memory', 'much'], '"much" is not a size.'],
    [['--by', 'in', '--threads', '0'], '--threads must be at least 1.'],
    [['--by', 'in', '--out', '/no/such/folder/x'], '/no/such/folder'],
  ])('rejects %j', async (words, message) => {
    await expect(rank(graph, ...words)).rejects.toThrow(message);
  });

  test('leaves the flags after compare to compare', async () => {
    const program = new Command().exitOverride();
    register(program);
    const compare = program.commands[0].commands.find((command) => command.name() === 'compare');
    let flags: Record<string, unknown> = {};
    compare?.action(() => {
      flags = compare.opts();
    });
    await program.parseAsync(['rank', 'compare', graph, '--by', 'in,opic', '--top', '7'], {
      from: 'user',
    });
    expect(flags).toMatchObject({ by: 'in,opic', top: '7' });
  });

  test('rejects a folder without a graph', async () => {
    await expect(rank(folder, '--by', 'in')).rejects.toMatchObject({ name: 'DrumlinError' });
    await expect(rank('--by', 'in')).rejects.toThrow('No graph is given.');
  });

  test('no method has a parameter with the name of a flag of the command', async () => {
    for (const name of RANKER_NAMES) {
      const flags = Object.keys((await findRanker(name)).parameters).map(flagOf);
      expect(flags.filter((flag) => COMMAND_FLAGS.includes(flag))).toEqual([]);
    }
  });
});

test('a failed write leaves no file behind and the old file in place', async () => {
  const path = file('old.tsv', 'old\n');
  const failing = async function* () {
    yield 'new\n';
    throw new Error('cut off');
  };
  await expect(writeText(path, new PassThrough(), failing)).rejects.toThrow('cut off');
  expect(readFileSync(path, 'utf8')).toBe('old\n');
  expect(readdirSync(folder).filter((name) => name.includes('.tmp'))).toEqual([]);
});

test('a file that cannot be written is rejected before the computation', async () => {
  let made = false;
  const make = async function* () {
    made = true;
    yield '';
  };
  await expect(writeText('/no/such/folder/x', new PassThrough(), make)).rejects.toMatchObject({
    message: expect.stringContaining('there is no folder /no/such/folder'),
    remedy: expect.stringContaining('Make the folder'),
  });
  expect(made).toBe(false);
});

test('text is written at the speed of a slow reader', async () => {
  const output = new PassThrough({ highWaterMark: 1 });
  const long = 'x'.repeat(300_000);
  const lines = async function* () {
    yield long;
    yield 'end';
  };
  const read = text(output);
  await writeText(undefined, output, lines);
  output.end();
  expect(await read).toBe(`${long}end`);
});

describe('a list of names', () => {
  test('has one name per line, with an optional number', async () => {
    const path = file('names.txt', '# comment\n\n a.example \nb.example\t0.5\r\nc.example\t3');
    expect([...(await readNameList(path))]).toEqual([
      ['a.example', 1],
      ['b.example', 0.5],
      ['c.example', 3],
    ]);
  });

  test.each([
    'a\tmuch',
    'a\t-1',
    '\t1',
    'a\t1\t2',
    'a\t',
  ])('rejects the line %j and reports its number', async (line) => {
    const path = file('bad.txt', `fine\n${line}\n`);
    await expect(readNameList(path)).rejects.toThrow(`bad.txt:2: `);
  });
});

describe('the time that is left', () => {
  function drawn(
    isTTY: boolean,
    moments: readonly (readonly [now: number, done: number])[],
  ): string[] {
    let now = 0;
    const lines: string[] = [];
    const eta = showEta('ranking', { isTTY, write: (line) => lines.push(line) }, () => now);
    for (const [at, done] of moments) {
      now = at;
      eta.update(done);
    }
    eta.end();
    return lines;
  }

  test('is not shown for work of less than a second', () => {
    expect(
      drawn(true, [
        [10, 0.1],
        [999, 0.9],
      ]),
    ).toEqual([]);
  });

  test('is redrawn in a terminal, and erased at the end', () => {
    expect(
      drawn(true, [
        [1000, 0.25],
        [1100, 0.3],
        [2000, 0.5],
      ]),
    ).toEqual([
      '\r\x1b[2Kranking: 25 %, 3.0 s left',
      '\r\x1b[2Kranking: 50 %, 2.0 s left',
      '\r\x1b[2K',
    ]);
  });

  test('is a plain line every few seconds elsewhere', () => {
    expect(
      drawn(false, [
        [1000, 0],
        [2000, 0.5],
        [6000, 0.6],
      ]),
    ).toEqual(['ranking: 0 %\n', 'ranking: 60 %, 4.0 s left\n']);
  });
});
