/** Pause, resume, stop, checkpoint, seeds; and the command of a new crawl. */
import { useState } from 'preact/hooks';
import { type Answer, api, useLoad } from '../api.ts';
import type { ViewProps } from '../main.tsx';
import { Action, Section } from '../parts.tsx';

export function ControlView({ crawl, live }: ViewProps) {
  const base = `/crawls/${encodeURIComponent(crawl)}`;
  const control = (action: string) => () => api(`${base}/control`, { action });
  const [seeds, setSeeds] = useState('');
  const isRunning = live.status?.state === 'running';
  return (
    <>
      <Section title="This crawl">
        {!isRunning && (
          <p class="quiet">It is not running: a pause and seeds apply when you resume it.</p>
        )}
        <div class="buttons">
          {live.status?.paused ? (
            <Action label="Resume" kind="main" act={control('resume')} />
          ) : (
            <Action label="Pause" kind="main" act={control('pause')} />
          )}
          <Action label="Checkpoint now" act={control('checkpoint')} />
          <Action
            label="Stop"
            kind="danger"
            confirm="Stop the crawl? It can be resumed from its folder."
            act={control('stop')}
          />
        </div>
        <p class="quiet">
          A running crawl acts within a few seconds. The log says when every agent has.
        </p>
      </Section>
      <Section title="Add seeds">
        <label>
          One URL per line
          <textarea
            rows={4}
            value={seeds}
            onInput={(event) => setSeeds((event.target as HTMLTextAreaElement).value)}
          />
        </label>
        <Action
          label="Add"
          kind="main"
          act={() => api(`${base}/seeds`, { seeds: seeds.split(/\s+/).filter(Boolean) })}
          onDone={() => setSeeds('')}
        />
      </Section>
      <NewCrawl />
    </>
  );
}

/** The settings that most crawls need; the others can be searched. */
const USUAL = [
  'dir',
  'contact',
  'scope',
  'delay',
  'fetches',
  'maxPages',
  'maxTime',
  'exclude',
  'agents',
];

function NewCrawl() {
  const { value } = useLoad('/schema');
  const [seeds, setSeeds] = useState('https://example.org/');
  const [given, setGiven] = useState<Record<string, string>>({ dir: 'my-crawl' });
  const [more, setMore] = useState('');
  if (!value) return null;
  const shown = value.settings.filter(
    ({ key, flag }: Answer) =>
      USUAL.includes(key) || given[key] !== undefined || (more !== '' && flag.includes(more)),
  );
  const flags = value.settings
    .filter(({ key }: Answer) => (given[key] ?? '') !== '')
    .map(({ key, flag, placeholder }: Answer) =>
      placeholder === '' ? `--${flag}` : `--${flag} ${quoted(given[key])}`,
    );
  const command = [
    'drumlin crawl',
    ...seeds.split(/\s+/).filter(Boolean).map(quoted),
    ...flags,
  ].join(' ');
  return (
    <Section title="New crawl" side={<small class="quiet">type the command in a terminal</small>}>
      <label>
        Seeds
        <textarea
          rows={2}
          value={seeds}
          onInput={(event) => setSeeds((event.target as HTMLTextAreaElement).value)}
        />
      </label>
      <div class="tuning">
        {shown.map(({ key, flag, placeholder, doc, preset }: Answer) => (
          <label key={key}>
            <span>
              {flag} <small class="quiet">{placeholder}</small>
            </span>
            <input
              value={given[key] ?? ''}
              placeholder={preset || 'none'}
              title={doc}
              onInput={(event) =>
                setGiven({ ...given, [key]: (event.target as HTMLInputElement).value })
              }
            />
          </label>
        ))}
        <label>
          <span>another setting</span>
          <input
            type="search"
            value={more}
            placeholder="search"
            onInput={(event) => setMore((event.target as HTMLInputElement).value)}
          />
        </label>
      </div>
      <pre class="command" tabIndex={0}>
        {command}
      </pre>
    </Section>
  );
}

/** As a shell takes it. */
const quoted = (text: string): string =>
  /^[\w./:=@%+,-]+$/.test(text) ? text : `'${text.replaceAll("'", `'\\''`)}'`;
