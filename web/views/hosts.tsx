/** The hosts in memory: who is paused and why, who is slow, who fails, who shares an address. */
import { useState } from 'preact/hooks';
import { queryOf, useLoad } from '../api.ts';
import { count, duration, moment } from '../format.ts';
import type { ViewProps } from '../main.tsx';
import { Bars, Notice, Section, Table } from '../parts.tsx';
import { hostState } from './domains.tsx';

const SORTS = [
  ['ready', 'paused longest'],
  ['slow', 'slowest'],
  ['failing', 'most failing'],
  ['queued', 'most queued'],
  ['fetched', 'most fetched'],
  ['host', 'by name'],
] as const;

export function HostsView({ crawl, live, at }: ViewProps) {
  const [sort, setSort] = useState('ready');
  const [contains, setContains] = useState('');
  const query = queryOf({ sort, contains, count: 100 });
  const { value, error, isLoading } = useLoad(
    `/crawls/${encodeURIComponent(crawl)}/hosts${query}`,
    10_000,
  );
  const paused = live.status?.pausedHosts;
  return (
    <>
      {paused && (
        <Section title="Paused for longer than usual">
          <Bars tally={paused.causes} label="Paused hosts by cause" />
          <p>
            The first pause ends at {moment(paused.until)}: {paused.host}.
          </p>
        </Section>
      )}
      <Section
        title="Hosts in memory"
        side={
          value && (
            <small class="quiet">
              {count(value.hosts)}, as of {moment(value.savedAt)}
            </small>
          )
        }
      >
        <form class="fields" onSubmit={(event) => event.preventDefault()}>
          <label>
            Order
            <select
              value={sort}
              onChange={(event) => setSort((event.target as HTMLSelectElement).value)}
            >
              {SORTS.map(([word, title]) => (
                <option key={word} value={word}>
                  {title}
                </option>
              ))}
            </select>
          </label>
          <label>
            Name contains, or address
            <input
              type="search"
              value={contains}
              onInput={(event) => setContains((event.target as HTMLInputElement).value)}
            />
          </label>
        </form>
        <Notice error={error} isLoading={isLoading && !value} />
        {value && (
          <Table
            label="Hosts in memory"
            rows={value.rows}
            empty="No host matches."
            columns={[
              {
                name: 'host',
                title: 'host',
                show: ({ host, domain }) => <a href={at('domains', { domain })}>{host}</a>,
              },
              { name: 'address', title: 'address', show: ({ addresses }) => addresses[0] ?? '–' },
              { name: 'state', title: 'state', show: (host) => hostState(host) },
              { name: 'ready', title: 'ready at', show: ({ readyAt }) => moment(readyAt) },
              {
                name: 'queued',
                title: 'queued',
                isNumber: true,
                show: ({ queued, hasBacklog }) => `${count(queued)}${hasBacklog ? ' +' : ''}`,
              },
              {
                name: 'fetched',
                title: 'fetched',
                isNumber: true,
                show: ({ fetched }) => count(fetched),
              },
              {
                name: 'time',
                title: 'response',
                isNumber: true,
                show: ({ responseTime }) => duration(responseTime),
              },
              {
                name: 'failures',
                title: 'failures',
                isNumber: true,
                show: ({ failures }) => count(failures),
              },
            ]}
          />
        )}
      </Section>
      {value && (
        <Section title="Shared addresses">
          <Table
            label="Addresses with the most hosts"
            rows={value.addresses}
            empty="None."
            columns={[
              {
                name: 'ip',
                title: 'address',
                show: ({ ip }) => (
                  <button type="button" class="plain" onClick={() => setContains(ip)}>
                    {ip}
                  </button>
                ),
              },
              { name: 'hosts', title: 'hosts', isNumber: true, show: ({ hosts }) => count(hosts) },
              {
                name: 'queued',
                title: 'queued',
                isNumber: true,
                show: ({ queued }) => count(queued),
              },
            ]}
          />
        </Section>
      )}
    </>
  );
}
