/**
 * docs/reference/cli.md, from the program itself: every command with its arguments, flags and
 * examples.
 *
 * Ensures   The page has every command and flag of the program, and no other.
 */
import type { Command, Option } from 'commander';
import { createProgram } from '../../src/cli/program.ts';
import type { GeneratedPage } from './page.ts';

export const cliReference: GeneratedPage = { path: 'docs/reference/cli.md', text: cliPage };

const OPENING = `# Command line

Every command of \`drumlin\`, with its arguments, flags and examples. This page is generated from the
program (\`scripts/pages/cli.ts\`); \`drumlin help COMMAND\` prints the same in a terminal.

Flags of \`drumlin crawl\` are settings: each is also an environment variable, a key of \`drumlin.yaml\`
and an option of the library ([configuration](../configuration.md)). Exit codes have
[their own page](../exit-codes.md).

Sizes are written \`64Mi\` or \`1.5G\`, times \`250ms\`, \`10s\`, \`5m\` or \`2h\`, counts \`1000\`, \`20k\` or
\`5M\`. \`eval "$(drumlin completion bash)"\` completes commands, flags and values.
`;

export function cliPage(): string {
  const program = createProgram();
  const parts = [OPENING, contents(program)];
  let group = '';
  for (const command of visible(program)) {
    const heading = plain(command.helpGroup());
    if (heading !== group) parts.push(`## ${heading}\n`);
    group = heading;
    parts.push(...sections(command, `drumlin ${command.name()}`));
  }
  return parts.join('\n');
}

function contents(program: Command): string {
  const rows = visible(program).map((command) => {
    const path = `drumlin ${command.name()}`;
    return `| [\`${path}\`](#${path.replaceAll(' ', '-')}) | ${cell(sentence(command.description()))} |`;
  });
  return ['| command | what it does |', '|---|---|', ...rows, ''].join('\n');
}

/** A command, then those below it. */
function sections(command: Command, path: string): string[] {
  const own = [`### ${path}\n`, `${sentence(command.description())}\n`, usage(command, path)];
  const taken = command.registeredArguments.filter(({ description }) => description);
  if (taken.length > 0) {
    const rows = taken.map((one) => `| \`${one.name()}\` | ${cell(one.description)} |`);
    own.push(['| argument | meaning |', '|---|---|', ...rows, ''].join('\n'));
  }
  own.push(...flagTables(command, path), afterHelp(command));
  const below = visible(command).flatMap((one) => sections(one, `${path} ${one.name()}`));
  return [...own.filter(Boolean), ...below];
}

function usage(command: Command, path: string): string {
  return `\`\`\`\n${`${path} ${command.usage()}`.trim()}\n\`\`\`\n`;
}

/** \`config\` has the flags of \`crawl\`: they are listed once. */
function flagTables(command: Command, path: string): string[] {
  const groups = new Map<string, string[]>();
  const settings = path === 'drumlin config';
  for (const option of command.options.filter(({ hidden }) => !hidden)) {
    if (settings && option.envVar !== undefined) continue;
    const heading = plain(option.helpGroupHeading ?? 'Flags');
    groups.set(heading, [...(groups.get(heading) ?? []), flagRow(command, option)]);
  }
  const tables = [...groups].map(([heading, rows]) =>
    [`**${heading}**`, '', '| flag | meaning |', '|---|---|', ...rows, ''].join('\n'),
  );
  return settings ? ['All flags of [`drumlin crawl`](#drumlin-crawl), and:\n', ...tables] : tables;
}

function flagRow(command: Command, option: Option): string {
  const meaning = command.createHelp().optionDescription(threadsOfAnyMachine(option));
  return `| \`${option.flags}\` | ${cell(meaning.replace(/ \(env: \w+\)$/, ''))} |`;
}

/** The default of --threads is the number of cores, which is another on every machine. */
function threadsOfAnyMachine(option: Option): Option {
  return option.long === '--threads' ? option.default(option.defaultValue, 'one per core') : option;
}

/** Examples and remarks that stand behind the flags in the help. */
function afterHelp(command: Command): string {
  const written: string[] = [];
  command.configureOutput({ writeOut: (text) => void written.push(text) });
  command.outputHelp();
  const text = written.slice(1).join('').trim();
  return text === '' ? '' : `\`\`\`text\n${text}\n\`\`\`\n`;
}

const visible = (command: Command): Command[] =>
  command
    .createHelp()
    .visibleCommands(command)
    .filter((one) => one.name() !== 'help');

const sentence = (text: string): string =>
  `${text[0].toUpperCase()}${text.slice(1)}${text.endsWith('.') ? '' : '.'}`;

const plain = (heading: string): string => heading.replace(/:$/, '');

const cell = (text: string): string => text.replaceAll('|', '\\|').replaceAll('\n', ' ');
