/** Rows of text as columns: the first left, the others right, or all left. */
export function asColumns(
  rows: readonly (readonly string[])[],
  align: 'right' | 'left' = 'right',
): string {
  const widths = rows[0].map((_, i) => Math.max(...rows.map((row) => row[i].length)));
  const cell = (text: string, i: number) =>
    i === 0 || align === 'left' ? text.padEnd(widths[i]) : text.padStart(widths[i]);
  return rows.map((row) => `${row.map(cell).join('  ').trimEnd()}\n`).join('');
}
