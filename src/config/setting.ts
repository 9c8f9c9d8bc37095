/** One row of the table of settings. */
import type { ValueType } from './value-types.ts';

export interface Setting<T> {
  /** The name of its flag, which is also its key in `drumlin.yaml`. */
  readonly flag: string;
  readonly type: ValueType<T>;
  readonly default: T;
  /** What it does: a phrase for help texts, `docs/configuration.md` and editors. */
  readonly doc: string;
  /** The smallest value, where it is a number. */
  readonly least: number;
  /** The largest value, where it is a number. */
  readonly most: number;
}

export const setting = <T>(
  flag: string,
  type: ValueType<T>,
  value: T,
  doc: string,
  least = 0,
  most = Infinity,
): Setting<T> => ({ flag, type, default: value, doc, least, most });

export const environmentName = ({ flag }: Pick<Setting<unknown>, 'flag'>): string =>
  `DRUMLIN_${flag.toUpperCase().replaceAll('-', '_')}`;
