/**
 * `drumlin.yaml`: settings under the names of their flags, and seeds.
 *
 *   seeds: [https://example.org/]
 *   max-pages: 20k
 *   delay: 2s
 *   exclude: ['*.zip', '*.iso']
 *
 * Idea      Every scalar is read as the text that is written there, like an argument of a command.
 *           So `10` is not a time here either.
 * Ensures   Unreadable values, unknown keys and repeated keys are refused with file and line. The
 *           file holds only text: no anchors, no tags, no nested maps.
 */
import {
  isAlias,
  isMap,
  isScalar,
  isSeq,
  LineCounter,
  type ParsedNode,
  parseDocument,
  type Range,
} from 'yaml';
import { DrumlinError } from '../base/errors.ts';
import { nearest } from '../base/nearest.ts';
import { type CrawlConfig, type CrawlOptions, readSetting, SETTING_ROWS } from './settings.ts';

export const CONFIGURATION_FILE = 'drumlin.yaml';
const LONGEST = 2 ** 20;

export interface ConfigurationFile {
  readonly path: string;
  readonly options: CrawlOptions;
  /** The line of each setting, counted from 1. */
  readonly lines: ReadonlyMap<keyof CrawlConfig, number>;
  /** URLs, or files of URLs. */
  readonly seeds: readonly string[];
}

const SEEDS = 'seeds';
const KEYS = new Map<string, keyof CrawlConfig>(SETTING_ROWS.map(([key, { flag }]) => [flag, key]));

type Refuse = (node: { range?: Range | null | undefined }, fact: string, remedy: string) => never;

export function parseConfiguration(text: string, path: string): ConfigurationFile {
  const counter = new LineCounter();
  const refuseLine = (line: number, fact: string, remedy: string): never => {
    throw new DrumlinError('CONFIGURATION', `${path}:${line}: ${fact}`, remedy);
  };
  if (text.length > LONGEST)
    refuseLine(1, 'the file is too long.', `Use at most ${LONGEST} characters.`);
  const document = parseDocument(text, {
    lineCounter: counter,
    prettyErrors: false,
    logLevel: 'silent',
  });
  const [error] = document.errors;
  if (error) {
    const words = error.message.replace(/\.$/, '').replace(/\n.*/s, '');
    refuseLine(
      counter.linePos(error.pos[0]).line,
      `${words}.`,
      'Write one setting per line, like "max-pages: 1000".',
    );
  }
  const lineOf: (node: Parameters<Refuse>[0]) => number = ({ range }) =>
    counter.linePos(range?.[0] ?? 0).line;
  const refuse: Refuse = (node, fact, remedy) => refuseLine(lineOf(node), fact, remedy);
  const { contents } = document;
  const options: Record<string, unknown> = {};
  const lines = new Map<keyof CrawlConfig, number>();
  let seeds: string[] = [];
  if (contents !== null && !isNothing(contents)) {
    if (!isMap<ParsedNode, ParsedNode | null>(contents)) {
      return refuse(
        contents,
        'this is not a list of settings.',
        'Write one setting per line, like "max-pages: 1000".',
      );
    }
    for (const { key, value } of contents.items) {
      const name = isScalar(key) ? String(key.value) : '';
      if (name === SEEDS) {
        seeds = [wordsOf(value ?? key, SEEDS, refuse)].flat();
        continue;
      }
      const setting = KEYS.get(name) ?? refuseUnknown(key, name, refuse);
      const words = wordsOf(value ?? key, name, refuse);
      try {
        readSetting(setting, words);
      } catch (error) {
        if (!(error instanceof DrumlinError)) throw error;
        refuse(key, error.fact, error.remedy);
      }
      options[setting] = words;
      lines.set(setting, lineOf(key));
    }
  }
  return { path, options: options as CrawlOptions, lines, seeds };
}

const isNothing = (node: ParsedNode): boolean =>
  isScalar(node) && node.value === null && !node.source;

function refuseUnknown(node: ParsedNode, name: string, refuse: Refuse): never {
  const known = nearest(name, [SEEDS, ...KEYS.keys()]);
  return refuse(node, `There is no setting "${name}".`, `Did you mean "${known}"?`);
}

/** One value or several, as text. */
function wordsOf(node: ParsedNode, name: string, refuse: Refuse): string | string[] {
  if (isSeq<ParsedNode>(node)) return node.items.map((item) => wordOf(item, name, refuse));
  return wordOf(node, name, refuse);
}

function wordOf(node: ParsedNode, name: string, refuse: Refuse): string {
  if (isAlias(node) || node.anchor !== undefined || node.tag !== undefined) {
    return refuse(
      node,
      `${name}: anchors, aliases and tags are not allowed.`,
      'Write the value itself.',
    );
  }
  if (!isScalar(node)) {
    return refuse(node, `${name}: this is not a value.`, 'Write one value, or a list of values.');
  }
  const { value, source } = node;
  if (value === null)
    return refuse(
      node,
      `${name} has no value.`,
      'Write one, write "" for none, or remove the line.',
    );
  return typeof value === 'string' ? value : (source ?? String(value));
}
