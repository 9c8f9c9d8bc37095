/** The orders by name. */
import { DrumlinError } from '../../base/errors.ts';
import { nearest } from '../../base/nearest.ts';
import { ai } from './ai.ts';
import { asf } from './asf.ts';
import { bfs } from './bfs.ts';
import { inDegree } from './in-degree.ts';
import type { OrderMethod, OrderName } from './order.ts';
import { pa } from './pa.ts';
import { paPlusMinus } from './pa-plus-minus.ts';
import { pagerank } from './pagerank.ts';
import { random } from './random.ts';

const ORDERS: Readonly<Record<OrderName, OrderMethod>> = {
  random,
  in: inDegree,
  pagerank,
  pa,
  'pa+-': paPlusMinus,
  asf,
  bfs,
  ai,
};

export const ORDER_NAMES: readonly string[] = Object.keys(ORDERS);

export function findOrder(name: string): OrderMethod {
  if (Object.hasOwn(ORDERS, name)) return ORDERS[name as OrderName];
  throw new DrumlinError(
    'ORDER',
    `There is no order "${name}".`,
    `Did you mean "${nearest(name, ORDER_NAMES)}"? There are ${ORDER_NAMES.join(', ')}.`,
  );
}
