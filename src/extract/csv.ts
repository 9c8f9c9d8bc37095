/** Rows of JSON as lines of CSV (RFC 4180). */

/** The values of a list are separated by this. */
const BETWEEN = ' | ';

export function csvLine(values: readonly unknown[]): string {
  return `${values.map(cell).join(',')}\r\n`;
}

function cell(value: unknown): string {
  const text = Array.isArray(value) ? value.join(BETWEEN) : String(value ?? '');
  return /[",\r\n]/.test(text) ? `"${text.replaceAll('"', '""')}"` : text;
}
