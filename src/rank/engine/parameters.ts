/**
 * Reads a method's parameters, from a program or from the command line: fills in defaults, and
 * refuses values out of range and unknown names, with the nearest known one.
 */
import { DrumlinError } from '../../base/errors.ts';
import { nearest } from '../../base/nearest.ts';
import { parseCount } from '../../base/units.ts';
import type { NodeWeights, Parameter, Parameters, Values } from './ranker.ts';

/**
 * What a program can give for a parameter: its value, or text to be parsed; nodes also as a plain
 * list of names.
 */
export type Given = number | string | NodeWeights | Iterable<string> | undefined;

export function checkParameters<P extends Parameters>(
  method: string,
  parameters: P,
  given: Readonly<Record<string, Given>>,
): Values<P> {
  for (const key of Object.keys(given)) {
    if (!(key in parameters)) throw unknownParameter(method, key, Object.keys(parameters));
  }
  const values = Object.entries(parameters).map(([key, parameter]) => [
    key,
    checked(key, parameter, given[key]),
  ]);
  return Object.fromEntries(values) as Values<P>;
}

/** `errorBound` → `error-bound`. */
export const flagOf = (key: string): string =>
  key.replace(/[A-Z]/g, (letter) => `-${letter.toLowerCase()}`);

function checked(
  key: string,
  parameter: Parameter,
  given: Given,
): number | string | NodeWeights | undefined {
  if (parameter.kind === 'nodes') return given === undefined ? undefined : nodesOf(key, given);
  const value = given ?? parameter.default;
  if (parameter.kind === 'choice') {
    if (typeof value === 'string' && parameter.of.includes(value)) return value;
    throw refused(
      key,
      `"${String(value)}" is not a choice.`,
      `Take one of ${parameter.of.join(', ')}.`,
    );
  }
  const number = typeof value === 'string' ? numberOf(key, parameter.kind, value) : value;
  const { least, most, kind } = parameter;
  const sound = typeof number === 'number' && (kind === 'number' || Number.isSafeInteger(number));
  if (sound && number >= least && number <= most) return number;
  const range = `${kind === 'count' ? 'a whole number' : 'a number'} from ${least} to ${most}`;
  throw refused(key, `${String(value)} is out of range.`, `Take ${range}.`);
}

function numberOf(key: string, kind: 'number' | 'count', text: string): number {
  if (kind === 'number') {
    const share = /^(.*\S)\s*%$/.exec(text.trim());
    if (share) return Number(share[1]) / 100;
    return text.trim() === '' ? Number.NaN : Number(text);
  }
  try {
    return parseCount(text);
  } catch (error) {
    if (error instanceof DrumlinError) throw refused(key, error.fact, error.remedy);
    throw error;
  }
}

function nodesOf(
  key: string,
  given: number | string | NodeWeights | Iterable<string>,
): NodeWeights {
  if (typeof given === 'number') throw refused(key, 'a number is no list of nodes.', 'Give names.');
  if (typeof given === 'string') return new Map([[given, 1]]);
  const nodes = new Map<string, number>();
  for (const entry of given) {
    const [name, weight] = typeof entry === 'string' ? [entry, 1] : entry;
    if (!(weight >= 0 && Number.isFinite(weight)))
      throw refused(key, `"${name}" has the weight ${weight}.`, 'Take 0 or more.');
    nodes.set(name, weight);
  }
  return nodes;
}

function refused(key: string, fact: string, remedy: string): DrumlinError {
  return new DrumlinError('PARAMETER', `${flagOf(key)}: ${fact}`, remedy);
}

function unknownParameter(method: string, key: string, known: readonly string[]): DrumlinError {
  const fact = `The method "${method}" has no parameter "${flagOf(key)}".`;
  if (known.length === 0)
    return new DrumlinError('PARAMETER', fact, 'It has no parameters: leave it out.');
  return new DrumlinError('PARAMETER', fact, `Did you mean "${flagOf(nearest(key, known))}"?`);
}
