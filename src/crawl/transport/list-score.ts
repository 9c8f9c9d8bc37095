/** The score of a domain with `--rank list`: its value in the list, 0 if it is not listed. */
import { ListTable, type SharedList } from '../../filter/list-table.ts';

export function listScore(list: SharedList): (domain: { readonly name: string }) => number {
  const table = new ListTable(list);
  return ({ name }) => Math.max(0, table.valueOf(name) ?? 0);
}
