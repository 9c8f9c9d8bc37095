/** What the views are made of. */
import type { ComponentChildren } from 'preact';
import { useState } from 'preact/hooks';
import type { Answer, Row } from './api.ts';

export interface Column {
  readonly name: string;
  readonly title: string;
  readonly show: (row: Row) => ComponentChildren;
  readonly isNumber?: boolean;
  /** Its text may be broken anywhere: URLs, sentences. */
  readonly isLong?: boolean;
  /** The word by which the server sorts. */
  readonly sort?: string;
}

interface TableProps {
  readonly label: string;
  readonly columns: readonly Column[];
  readonly rows: readonly Row[];
  readonly sort?: string;
  readonly onSort?: (sort: string) => void;
  readonly empty?: string;
}

export function Table({ label, columns, rows, sort, onSort, empty = 'Nothing.' }: TableProps) {
  if (rows.length === 0) return <p class="quiet">{empty}</p>;
  return (
    <div class="scroll" tabIndex={0} role="region" aria-label={label}>
      <table>
        <caption class="hidden">{label}</caption>
        <thead>
          <tr>
            {columns.map(({ name, title, isNumber, sort: word }) => (
              <th
                key={name}
                scope="col"
                class={isNumber ? 'number' : ''}
                aria-sort={word !== undefined && word === sort ? 'descending' : undefined}
              >
                {word !== undefined && onSort ? (
                  <button type="button" class="plain" onClick={() => onSort(word)}>
                    {title}
                    {word === sort ? ' *' : ''}
                  </button>
                ) : (
                  title
                )}
              </th>
            ))}
          </tr>
        </thead>
        <tbody>
          {rows.map((row, i) => (
            <tr key={i}>
              {columns.map(({ name, show, isNumber, isLong }) => (
                <td key={name} class={isNumber ? 'number' : isLong ? 'long' : ''}>
                  {show(row)}
                </td>
              ))}
            </tr>
          ))}
        </tbody>
      </table>
    </div>
  );
}

export function Fact({
  title,
  children,
  sub,
}: {
  title: string;
  children: ComponentChildren;
  sub?: ComponentChildren;
}) {
  return (
    <div class="fact">
      <dt>{title}</dt>
      <dd>
        <strong>{children}</strong>
        {sub !== undefined && <small>{sub}</small>}
      </dd>
    </div>
  );
}

export function Section({
  title,
  children,
  side,
}: {
  title: string;
  children: ComponentChildren;
  side?: ComponentChildren;
}) {
  return (
    <section>
      <header>
        <h2>{title}</h2>
        {side}
      </header>
      {children}
    </section>
  );
}

/** An error of the server, or that something is being loaded. */
export function Notice({
  error,
  reading,
  isLoading,
}: {
  error?: string | undefined;
  reading?: string | undefined;
  isLoading?: boolean;
}) {
  if (error !== undefined)
    return (
      <p class="error" role="alert">
        {error}
      </p>
    );
  return isLoading || reading !== undefined ? (
    <p class="quiet" role="status">
      {reading ?? 'Loading …'}
    </p>
  ) : null;
}

/** A bar for each word, largest first. */
export function Bars({ tally, label }: { tally: Record<string, number>; label: string }) {
  const rows = Object.entries(tally ?? {})
    .sort((a, b) => b[1] - a[1])
    .slice(0, 12);
  const most = Math.max(1, ...rows.map(([, n]) => n));
  if (rows.length === 0) return <p class="quiet">None.</p>;
  return (
    <ul class="bars" aria-label={label}>
      {rows.map(([name, n]) => (
        <li key={name}>
          <span class="name">{name}</span>
          <meter min={0} max={most} value={n} aria-label={name} />
          <span class="number">{n.toLocaleString('en')}</span>
        </li>
      ))}
    </ul>
  );
}

interface ActionProps {
  readonly label: string;
  readonly act: () => Promise<unknown>;
  readonly onDone?: (answer: Answer) => void;
  readonly confirm?: string;
  readonly kind?: string;
}

/** A button that says what came of it. */
export function Action({ label, act, onDone, confirm, kind = '' }: ActionProps) {
  const [state, setState] = useState('');
  const press = async () => {
    if (confirm !== undefined && !window.confirm(confirm)) return;
    setState('…');
    try {
      const answer = await act();
      setState('Done.');
      onDone?.(answer);
    } catch (error) {
      setState((error as Error).message);
    }
  };
  return (
    <span class="action">
      <button type="button" class={kind} onClick={press}>
        {label}
      </button>
      <output>{state}</output>
    </span>
  );
}
