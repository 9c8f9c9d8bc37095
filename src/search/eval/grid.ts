/** A grid of settings: `alpha=0,0.5,1:expand=0,100` stands for six combinations. */
import { DrumlinError } from '../../base/errors.ts';
import { type ChangedOptions, ORDERS, type Order } from '../changed/order.ts';

const MOST_ROWS = 1000;

/**
 * All combinations of a grid; what it does not name is as given, `by` in all orders of the list.
 */
export function gridOf(
  text: string,
  base: Omit<ChangedOptions, 'by'>,
  orders: readonly Order[],
): ChangedOptions[] {
  let rows: ChangedOptions[] = [{ ...base, by: orders[0] }];
  const axes = new Map<keyof ChangedOptions, readonly (string | number)[]>([['by', orders]]);
  for (const axis of text === '' ? [] : text.split(':')) {
    const [name, list] = axis.split('=');
    if (!Object.hasOwn(VALUES, name) || !list) throw bad(axis);
    const field = name as keyof typeof VALUES;
    axes.set(
      field,
      list.split(',').map((value) => {
        const parsed = VALUES[field](value);
        if (parsed === undefined) throw bad(axis);
        return parsed;
      }),
    );
  }
  for (const [field, values] of axes)
    rows = rows.flatMap((row) => values.map((value) => ({ ...row, [field]: value })));
  if (rows.length <= MOST_ROWS) return rows;
  throw new DrumlinError(
    'GRID',
    `The grid has ${rows.length} combinations.`,
    `Leave some values out: at most ${MOST_ROWS} are measured.`,
  );
}

const numberIn = (least: number, most: number, isWhole: boolean) => (text: string) => {
  const value = Number(text);
  const isRight = text.trim() !== '' && value >= least && value <= most;
  return isRight && (!isWhole || Number.isInteger(value)) ? value : undefined;
};

const VALUES = {
  alpha: numberIn(0, 1, false),
  expand: numberIn(0, 9999, true),
  seeds: numberIn(1, 9999, true),
  by: (text: string) => ORDERS.find((order) => order === text),
};

function bad(axis: string): DrumlinError {
  return new DrumlinError(
    'GRID',
    `"${axis}" is no part of a grid.`,
    `Write it like alpha=0,0.5,1:expand=0,100:seeds=10,100:by=${ORDERS.join(',')}.`,
  );
}
