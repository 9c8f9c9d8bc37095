/**
 * JSON with a checksum: the last field of the object, `"crc32"`, covers all bytes before it.
 *
 * Ensures   the text is still JSON, and other programs can read it. A change of any byte is
 *           noticed, unless it removes the whole field: the caller knows whether there must be one.
 */
import { crc32 } from 'node:zlib';

const FIELD = /,"crc32":"([0-9a-f]{8})"\}\n$/;

/** Adds the field to the text of an object with at least one field, and a line end. */
export function withSum(json: string): string {
  const body = json.slice(0, -1);
  return `${body},"crc32":"${hex(body)}"}\n`;
}

/** Whether the text has a checksum, and whether it is right. */
export function sumOf(text: string): 'right' | 'wrong' | 'none' {
  const field = FIELD.exec(text);
  if (!field) return text.includes('"crc32":') ? 'wrong' : 'none';
  return hex(text.slice(0, field.index)) === field[1] ? 'right' : 'wrong';
}

const hex = (text: string): string => crc32(text).toString(16).padStart(8, '0');
