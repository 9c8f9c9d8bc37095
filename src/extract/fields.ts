/**
 * The fields that a crawl extracts, from a file of YAML:
 *
 *   title: h1                        # the text of the first element that matches
 *   price:
 *     selector: .price
 *     attribute: data-amount         # the value of an attribute instead of the text
 *   tags:
 *     selector: a[rel=tag]
 *     many: true                     # a list, of all elements that match
 */
import { parseDocument } from 'yaml';
import { DrumlinError } from '../base/errors.ts';
import type { Disk } from '../disk/disk.ts';
import { checkSelector } from './page-document.ts';

export interface Field {
  readonly name: string;
  readonly selector: string;
  /** Undefined: the text of the element. */
  readonly attribute: string | undefined;
  readonly many: boolean;
}

/** Columns that every row has. */
export const OWN_COLUMNS = ['url', 'status', 'time'] as const;

export async function readFields(disk: Disk, path: string): Promise<Field[]> {
  const document = parseDocument(await disk.readText(path), { prettyErrors: true });
  const [broken] = document.errors;
  if (broken) throw bad(path, broken.message.split('\n')[0]);
  return checkFields(document.toJS(), path);
}

async function checkFields(read: unknown, path: string): Promise<Field[]> {
  if (typeof read !== 'object' || read === null || Array.isArray(read))
    throw bad(path, 'It does not hold names with selectors.');
  const fields = Object.entries(read).map(([name, value]) => fieldOf(name, value, path));
  if (fields.length === 0) throw bad(path, 'It names no field.');
  for (const { name, selector } of fields) {
    await checkSelector(selector).catch((error) => {
      throw bad(path, `Field "${name}": ${(error as Error).message.split('\n')[0]}`);
    });
  }
  return fields;
}

const KEYS = new Set(['selector', 'attribute', 'many']);

function fieldOf(name: string, value: unknown, path: string): Field {
  if ((OWN_COLUMNS as readonly string[]).includes(name))
    throw bad(path, `Field "${name}" has the name of a column that every row has.`);
  const given = typeof value === 'string' ? { selector: value } : value;
  if (typeof given !== 'object' || given === null)
    throw bad(path, `Field "${name}" has no selector.`);
  const { selector, attribute, many = false } = given as Record<string, unknown>;
  const unknown = Object.keys(given).find((key) => !KEYS.has(key));
  if (unknown !== undefined) throw bad(path, `Field "${name}" has an unknown key "${unknown}".`);
  if (typeof selector !== 'string' || selector.trim() === '')
    throw bad(path, `Field "${name}" has no selector.`);
  if (attribute !== undefined && typeof attribute !== 'string')
    throw bad(path, `The attribute of field "${name}" is not a name.`);
  if (typeof many !== 'boolean') throw bad(path, `"many" of field "${name}" is not true or false.`);
  return { name, selector, attribute, many };
}

const bad = (path: string, fact: string): DrumlinError =>
  new DrumlinError(
    'FIELDS',
    `${path}: ${fact}`,
    'Write each field as "name: selector", or with the keys selector, attribute and many.',
  );
