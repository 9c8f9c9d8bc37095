/**
 * The values that a request may carry: one description reads them, gives their types, and is part
 * of the OpenAPI file.
 *
 * Ensures   `read` returns a value of its type or throws a `RequestError` with a sentence, whatever
 *           it is given.
 */
import { DrumlinError } from '../../base/errors.ts';

/** A request that cannot be answered: the sentence is for the one who made it. */
export function requestError(fact: string, remedy: string): DrumlinError {
  return new DrumlinError('REQUEST', fact, remedy);
}

export interface Field<T> {
  /** `value` is undefined if the request does not have it. */
  read(value: unknown, name: string): T;
  /** The field as a JSON Schema. */
  readonly json: Readonly<Record<string, unknown>>;
  readonly doc: string;
  readonly isOptional: boolean;
}

export type Fields = Readonly<Record<string, Field<unknown>>>;
export type Values<F extends Fields> = {
  readonly [K in keyof F]: F[K] extends Field<infer T> ? T : never;
};

const shown = (value: unknown): string => {
  const text = JSON.stringify(value) ?? 'nothing';
  return text.length > 60 ? `${text.slice(0, 60)}…` : text;
};

function field<T>(
  doc: string,
  json: Readonly<Record<string, unknown>>,
  what: string,
  read: (value: unknown) => T | undefined,
): Field<T> {
  return {
    doc,
    json,
    isOptional: false,
    read(value, name) {
      const result = value === undefined ? undefined : read(value);
      if (result !== undefined) return result;
      throw requestError(
        value === undefined ? `"${name}" is missing.` : `"${name}" is ${shown(value)}.`,
        `Give ${what}.`,
      );
    },
  };
}

/** A text of at most `most` characters, without control characters. */
export const text = (doc: string, most = 2048): Field<string> =>
  field(
    doc,
    { type: 'string', maxLength: most },
    `a text of at most ${most} characters`,
    (value) =>
      typeof value === 'string' && value.length <= most && !/[\0-\x08\x0b-\x1f]/.test(value)
        ? value
        : undefined,
  );

export const whole = (doc: string, least: number, most: number): Field<number> =>
  field(
    doc,
    { type: 'integer', minimum: least, maximum: most },
    `a whole number from ${least} to ${most}`,
    (value) => {
      const number = typeof value === 'string' && /^\d{1,15}$/.test(value) ? Number(value) : value;
      const fits =
        Number.isSafeInteger(number) && Number(number) >= least && Number(number) <= most;
      return fits ? Number(number) : undefined;
    },
  );

export const choice = <const T extends string>(doc: string, words: readonly T[]): Field<T> =>
  field(doc, { type: 'string', enum: words }, `one of ${words.join(', ')}`, (value) =>
    words.find((word) => word === value),
  );

export const yesNo = (doc: string): Field<boolean> =>
  field(doc, { type: 'boolean' }, 'true or false', (value) => {
    if (value === true || value === 'true') return true;
    return value === false || value === 'false' ? false : undefined;
  });

export const texts = (doc: string, mostTexts: number, most = 2048): Field<readonly string[]> =>
  field(
    doc,
    { type: 'array', maxItems: mostTexts, items: { type: 'string', maxLength: most } },
    `a list of at most ${mostTexts} texts`,
    (value) =>
      Array.isArray(value) &&
      value.length <= mostTexts &&
      value.every((one) => typeof one === 'string' && one.length <= most)
        ? value
        : undefined,
  );

/** Texts by name. */
export const textsByName = (
  doc: string,
  mostTexts: number,
): Field<Readonly<Record<string, string>>> =>
  field(
    doc,
    { type: 'object', additionalProperties: { type: 'string' }, maxProperties: mostTexts },
    'an object with texts as values',
    (value) => {
      if (typeof value !== 'object' || value === null || Array.isArray(value)) return undefined;
      const entries = Object.entries(value);
      const isFine = entries.every(([, one]) => typeof one === 'string' && one.length <= 4096);
      return isFine && entries.length <= mostTexts ? Object.fromEntries(entries) : undefined;
    },
  );

/** A field that a request may leave out. */
export function maybe<T>(inner: Field<T>): Field<T | undefined>;
export function maybe<T>(inner: Field<T>, preset: T): Field<T>;
export function maybe<T>(inner: Field<T>, preset?: T): Field<T | undefined> {
  return {
    doc: inner.doc,
    json: preset === undefined ? inner.json : { ...inner.json, default: preset },
    isOptional: true,
    read: (value, name) => (value === undefined || value === '' ? preset : inner.read(value, name)),
  };
}

/** Reads all fields; refuses names that there are not. */
export function readFields<F extends Fields>(
  fields: F,
  given: Readonly<Record<string, unknown>>,
): Values<F> {
  for (const name of Object.keys(given))
    if (!Object.hasOwn(fields, name))
      throw requestError(
        `There is no field ${shown(name)} here.`,
        `Known: ${Object.keys(fields).join(', ') || 'none'}.`,
      );
  const values: Record<string, unknown> = {};
  for (const [name, one] of Object.entries(fields))
    values[name] = one.read(Object.hasOwn(given, name) ? given[name] : undefined, name);
  return values as Values<F>;
}
