/**
 * All predicates: the built-in ones, and those of users, from a module or as functions.
 *
 *   export const IsBlog = ({ url }) => url.includes('/blog/');
 *   export const Kilobytes = { from: 'parse', value: ({ response }) => response.length / 1e3 };
 */
import { resolve } from 'node:path';
import { pathToFileURL } from 'node:url';
import { DrumlinError } from '../base/errors.ts';
import { DOMAIN_PREDICATES } from './domain-predicates.ts';
import type { Predicate, Predicates } from './predicate.ts';
import { RESPONSE_PREDICATES } from './response-predicates.ts';
import { STAGES, type Stage, type Subject } from './subject.ts';
import { URL_PREDICATES } from './url-predicates.ts';

export const BUILT_IN: Predicates = new Map(
  [...URL_PREDICATES, ...DOMAIN_PREDICATES, ...RESPONSE_PREDICATES].map((each) => [
    each.name,
    each,
  ]),
);

/**
 * A user predicate. It receives the known facts and its arguments. If it returns a number, the
 * filter must compare it.
 */
type UserFunction = (subject: Subject, ...values: string[]) => boolean | number;
/** A bare function is allowed at every stage; facts that are not known yet are undefined. */
type UserPredicate = UserFunction | { readonly from: Stage; readonly value: UserFunction };
export type UserPredicates = Readonly<Record<string, UserPredicate>>;

const NAME = /^[A-Z][A-Za-z0-9]*$/;

export function withUserPredicates(users: UserPredicates): Predicates {
  const all = new Map(BUILT_IN);
  for (const [name, definition] of Object.entries(users))
    all.set(name, predicateOf(name, definition));
  return all;
}

/**
 * The built-in predicates and the exports of a module; only the built-in ones if the path is empty.
 */
export async function loadPredicates(path: string): Promise<Predicates> {
  if (path === '') return BUILT_IN;
  const { default: _, ...exports } = await importModule(path);
  return withUserPredicates(exports as UserPredicates);
}

async function importModule(path: string): Promise<Record<string, unknown>> {
  try {
    return await import(pathToFileURL(resolve(path)).href);
  } catch (cause) {
    throw new DrumlinError(
      'PREDICATES',
      `${path} cannot be loaded: ${(cause as Error)?.message ?? cause}.`,
      'Use a JavaScript module that exports functions, like: export const IsBlog = ({ url }) => url.includes("/blog/").',
      { cause },
    );
  }
}

function predicateOf(name: string, definition: UserPredicate): Predicate {
  const { from, value } =
    typeof definition === 'function' ? { from: STAGES[0], value: definition } : (definition ?? {});
  const fits = typeof value === 'function' && STAGES.includes(from);
  if (!fits || !NAME.test(name) || BUILT_IN.has(name)) {
    throw new DrumlinError(
      'PREDICATES',
      BUILT_IN.has(name)
        ? `The predicate ${name} exists already.`
        : `"${name}" is not a predicate.`,
      `Export a function or { from, value } under a new name of letters and digits that begins with a capital; from is one of ${STAGES.join(', ')}.`,
    );
  }
  return {
    name,
    from,
    gives: 'either',
    parameters: [{ kind: 'text', optional: true, many: true }],
    doc: 'user predicate',
    example: name,
    bind: (values) => (subject) => value(subject, ...values),
  };
}
