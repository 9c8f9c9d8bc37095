/** Rows of text as columns: the first ones left, the others right. */
export function asColumns(rows: readonly (readonly string[])[], left = 1): string {
  const widths = rows[0].map((_, i) =>
    rows.reduce((width, row) => Math.max(width, row[i].length), 0),
  );
  const cell = (text: string, i: number) =>
    i < left ? text.padEnd(widths[i]) : text.padStart(widths[i]);
  return rows.map((row) => `${row.map(cell).join('  ').trimEnd()}\n`).join('');
}
