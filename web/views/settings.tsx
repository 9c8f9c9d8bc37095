/** What holds, where it comes from, and what may change while the crawl runs. */
import { useState } from 'preact/hooks';
import { type Answer, api, useLoad } from '../api.ts';
import type { ViewProps } from '../main.tsx';
import { Action, Notice, Section, Table } from '../parts.tsx';

export function SettingsView({ crawl }: ViewProps) {
  const path = `/crawls/${encodeURIComponent(crawl)}/settings`;
  const { value, error, isLoading, again } = useLoad(path);
  const { value: schema } = useLoad('/schema');
  const [search, setSearch] = useState('');
  const [changes, setChanges] = useState<Record<string, string>>({});
  if (!value) return <Notice error={error} isLoading={isLoading} />;
  const rows = value.settings.filter(({ flag, doc }: Answer) =>
    `${flag} ${doc}`.includes(search.toLowerCase()),
  );
  const tunable = value.settings.filter((setting: Answer) => setting.isTunable);
  return (
    <>
      <Section
        title="Change while it runs"
        side={
          <small class="quiet">
            checked first, applied by every agent at a checkpoint, kept when you resume, logged
          </small>
        }
      >
        <div class="tuning">
          {tunable.map(({ key, flag, value: now, placeholder, doc, source }: Answer) => (
            <label key={key} class={/Filter$/.test(key) ? 'wide' : ''}>
              <span>
                {flag} <small class="quiet">{source === 'default' ? '' : source}</small>
              </span>
              <input
                value={changes[key] ?? now}
                placeholder={/Filter$/.test(key) ? 'none: everything passes' : placeholder}
                title={doc}
                onInput={(event) =>
                  setChanges({ ...changes, [key]: (event.target as HTMLInputElement).value })
                }
              />
            </label>
          ))}
        </div>
        <Action
          label="Apply"
          kind="main"
          act={async () => {
            const changed = Object.entries(changes).filter(
              ([key, text]) => tunable.find((one: Answer) => one.key === key)?.value !== text,
            );
            if (changed.length === 0) throw new Error('Nothing was changed.');
            return api(path, { settings: Object.fromEntries(changed) }, 'PATCH');
          }}
          onDone={() => {
            setChanges({});
            again();
          }}
        />
        {schema && (
          <details>
            <summary>Predicates for filters</summary>
            <Table
              label="Predicates"
              rows={schema.predicates}
              columns={[
                {
                  name: 'example',
                  title: 'example',
                  isLong: true,
                  show: ({ example }) => <code>{example}</code>,
                },
                { name: 'from', title: 'known from', show: ({ from }) => from },
                { name: 'doc', title: 'meaning', isLong: true, show: ({ doc }) => doc },
              ]}
            />
          </details>
        )}
      </Section>
      <Section title="All settings">
        <form class="fields" onSubmit={(event) => event.preventDefault()}>
          <label>
            Search{' '}
            <input
              type="search"
              value={search}
              onInput={(event) => setSearch((event.target as HTMLInputElement).value)}
            />
          </label>
        </form>
        <Table
          label="All settings"
          rows={rows}
          empty="No setting matches."
          columns={[
            { name: 'flag', title: 'setting', show: ({ flag }) => <code>{flag}</code> },
            { name: 'value', title: 'value', isLong: true, show: (row) => row.value || 'none' },
            { name: 'source', title: 'from', show: ({ source }) => source },
            { name: 'doc', title: 'meaning', isLong: true, show: ({ doc }) => doc },
          ]}
        />
      </Section>
    </>
  );
}
