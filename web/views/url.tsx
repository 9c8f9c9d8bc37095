/** The life of a URL: why was this page not crawled? */
import { useState } from 'preact/hooks';
import { type Answer, queryOf, useLoad } from '../api.ts';
import { moment } from '../format.ts';
import type { ViewProps } from '../main.tsx';
import { Notice, Section, Table } from '../parts.tsx';
import { LogLines } from './log.tsx';

export function UrlView({ crawl, params, go, at }: ViewProps) {
  const asked = params.get('url') ?? '';
  const [typed, setTyped] = useState(asked);
  const path =
    asked === '' ? undefined : `/crawls/${encodeURIComponent(crawl)}/url${queryOf({ url: asked })}`;
  const { value, error, reading, isLoading } = useLoad(path);
  return (
    <>
      <Section title="Why was this page not crawled?">
        <form
          class="fields wide"
          onSubmit={(event) => {
            event.preventDefault();
            go('url', { url: typed });
          }}
        >
          <label>
            URL
            <input
              type="text"
              inputMode="url"
              value={typed}
              placeholder="https://example.org/page"
              onInput={(event) => setTyped((event.target as HTMLInputElement).value)}
            />
          </label>
          <button type="submit" class="main">
            Inspect
          </button>
        </form>
        <Notice error={error} reading={reading} isLoading={isLoading} />
        {value && !isLoading && (
          <>
            <p class={`answer ${value.reason}`} role="status">
              <span class="tag">{value.reason}</span> {value.answer}
            </p>
            <ol class="steps">
              {value.steps.map((step: Answer, i: number) => (
                <li key={i} class={step.verdict}>
                  <span class="sign">{step.verdict}</span>
                  <strong>{step.part}</strong>
                  <span>{step.fact}</span>
                </li>
              ))}
            </ol>
            {value.asOf !== undefined && (
              <p class="quiet">Queues as of the checkpoint of {moment(value.asOf)} UTC.</p>
            )}
          </>
        )}
      </Section>
      {value && value.captures.length > 0 && (
        <Section title="Captures">
          <Table
            label="Captures of the URL"
            rows={value.captures}
            columns={[
              {
                name: 'time',
                title: 'time',
                show: ({ timestamp, url }) => (
                  <a href={at('archive', { url, time: timestamp })}>{moment(timestamp)}</a>
                ),
              },
              { name: 'status', title: 'status', show: ({ status }) => status },
              {
                name: 'mime',
                title: 'type',
                show: ({ mime }) => (mime === 'warc/revisit' ? 'revisit' : mime),
              },
              {
                name: 'digest',
                title: 'digest',
                isLong: true,
                show: ({ digest }) => <code>{digest}</code>,
              },
            ]}
          />
        </Section>
      )}
      {value && value.log.length > 0 && (
        <Section title="Events">
          <LogLines lines={value.log} />
        </Section>
      )}
    </>
  );
}
