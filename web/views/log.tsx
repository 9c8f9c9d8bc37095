/** The log: live, and back to its beginning. */
import { useState } from 'preact/hooks';
import { api, queryOf, type Row, useLoad } from '../api.ts';
import { moment } from '../format.ts';
import type { ViewProps } from '../main.tsx';
import { Action, Notice, Section } from '../parts.tsx';

export function LogView({ crawl, live }: ViewProps) {
  const [event, setEvent] = useState('');
  const [contains, setContains] = useState('');
  const [older, setOlder] = useState<{ lines: Row[]; before: number } | undefined>();
  const base = `/crawls/${encodeURIComponent(crawl)}/log`;
  const { value, error, isLoading } = useLoad(`${base}${queryOf({ event, contains, count: 100 })}`);
  const matches = (line: Row) =>
    (event === '' || line.event === event) &&
    (contains === '' || JSON.stringify(line).includes(contains));
  const before = older?.before ?? value?.before ?? 0;
  const news = live.log.filter(({ from }) => value && from >= value.end).map(({ line }) => line);
  const lines = [...news.filter(matches), ...(value?.lines ?? []), ...(older?.lines ?? [])];
  const names = [...new Set(lines.map((line) => line.event))].sort();
  const changed = (set: (text: string) => void) => (input: Event) => {
    set((input.target as HTMLInputElement).value);
    setOlder(undefined);
  };
  return (
    <Section
      title="Log"
      side={<small class="quiet">newest first; new lines appear by themselves</small>}
    >
      <form class="fields" onSubmit={(submit) => submit.preventDefault()}>
        <label>
          Event
          <input type="search" list="events" value={event} onChange={changed(setEvent)} />
          <datalist id="events">
            {names.map((name) => (
              <option key={name} value={name} />
            ))}
          </datalist>
        </label>
        <label>
          Contains (host, URL, …)
          <input type="search" value={contains} onInput={changed(setContains)} />
        </label>
      </form>
      <Notice error={error} isLoading={isLoading && !value} />
      <LogLines lines={lines} />
      {before > 0 && (
        <Action
          label="Older"
          act={() => api(`${base}${queryOf({ event, contains, before, count: 100 })}`)}
          onDone={(page) =>
            setOlder({ lines: [...(older?.lines ?? []), ...page.lines], before: page.before })
          }
        />
      )}
    </Section>
  );
}

export function LogLines({ lines }: { lines: readonly Row[] }) {
  if (lines.length === 0) return <p class="quiet">No events.</p>;
  return (
    <ol class="log" tabIndex={0} aria-label="Events">
      {lines.map(({ time, event, ...facts }, i) => (
        <li key={i}>
          <time>{moment(time)}</time>{' '}
          <b class={/failed|gone|given-up|trouble|refused|error/.test(event) ? 'bad' : ''}>
            {event}
          </b>{' '}
          {Object.entries(facts).map(([name, fact]) => (
            <span key={name} class="pair">
              <i>{name}</i> {typeof fact === 'string' ? fact : JSON.stringify(fact)}
            </span>
          ))}
        </li>
      ))}
    </ol>
  );
}
