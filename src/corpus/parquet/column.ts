/** The columns of a Parquet file, their values, and how the format describes them. */
import type { SchemaElement } from 'hyparquet';

type CellKind = 'text' | 'binary' | 'truth' | 'short' | 'int' | 'long' | 'double' | 'time';

/**
 * `text` and `binary` are bytes, `truth` is a boolean, the others are numbers; a time is in
 * milliseconds.
 */
export type Cell = Uint8Array | number | boolean | null;

export interface Column {
  readonly name: string;
  readonly kind: CellKind;
  readonly nullable: boolean;
  /** Whether many rows have the same text: the file then holds each once per row group. */
  readonly repeats?: boolean;
}

type Physical = Partial<SchemaElement> & { readonly type: NonNullable<SchemaElement['type']> };

export const PHYSICAL: Readonly<Record<CellKind, Physical>> = {
  text: { type: 'BYTE_ARRAY', converted_type: 'UTF8', logical_type: { type: 'STRING' } },
  binary: { type: 'BYTE_ARRAY' },
  truth: { type: 'BOOLEAN' },
  // Without a logical type: the library writes its width as four bytes, which others refuse.
  short: { type: 'INT32', converted_type: 'INT_16' },
  int: { type: 'INT32' },
  long: { type: 'INT64' },
  double: { type: 'DOUBLE' },
  time: {
    type: 'INT64',
    converted_type: 'TIMESTAMP_MILLIS',
    logical_type: { type: 'TIMESTAMP', isAdjustedToUTC: true, unit: 'MILLIS' },
  },
};

export function schemaOf(columns: readonly Column[]): SchemaElement[] {
  const root: SchemaElement = { name: 'schema', num_children: columns.length };
  return [
    root,
    ...columns.map(({ name, kind, nullable }): SchemaElement => {
      const repetition_type = nullable ? 'OPTIONAL' : 'REQUIRED';
      return { name, repetition_type, ...PHYSICAL[kind] };
    }),
  ];
}
