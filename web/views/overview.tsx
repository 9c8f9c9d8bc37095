/** How the crawl is, in figures and over time. */
import { useEffect, useRef } from 'preact/hooks';
import uPlot from 'uplot';
import { type Row, useLoad } from '../api.ts';
import { bytes, count, duration, moment, share } from '../format.ts';
import type { ViewProps } from '../main.tsx';
import { Bars, Fact, Notice, Section, Table } from '../parts.tsx';

export function OverviewView({ crawl, live, at }: ViewProps) {
  const { status } = live;
  const { value, error } = useLoad(`/crawls/${encodeURIComponent(crawl)}/history`, 10_000);
  if (!status) return <Notice error={live.fault} isLoading />;
  const { counters, rate, disk, checkpoint } = status;
  const stretches: Row[] = value?.stretches ?? [];
  return (
    <>
      <dl class="facts">
        <Fact title="Pages" sub={rate && `${rate.pages.toFixed(1)} per second`}>
          {count(counters.pages)}
        </Fact>
        <Fact title="Data" sub={rate && `${bytes(rate.bytes)} per second`}>
          {bytes(counters.bytes)}
        </Fact>
        <Fact
          title="Front"
          sub={
            status.fetching === undefined
              ? undefined
              : `${count(status.fetching)} requests under way`
          }
        >
          {count(status.front)} hosts
        </Fact>
        <Fact
          title="Queued"
          sub={
            status.onDisk
              ? `${count(status.onDisk)} on disk`
              : `of ${count(status.urlsUnique)} discovered`
          }
        >
          {count(status.waiting)}
        </Fact>
        <Fact title="Hosts" sub={`of ${count(status.domains)} domains`}>
          {count(status.hosts)}
        </Fact>
        <Fact
          title="Duplicates"
          sub={status.shares.spam === undefined ? undefined : `${share(status.shares.spam)} spam`}
        >
          {share(status.shares.duplicate)}
        </Fact>
        <Fact title="Checkpoint" sub={checkpoint && `${count(checkpoint.pages)} pages`}>
          {checkpoint ? `${duration(Date.now() - checkpoint.savedAt)} ago` : 'none yet'}
        </Fact>
        <Fact title="Disk" sub={`${bytes(disk.archive)} archive, ${bytes(disk.agents)} state`}>
          {bytes(disk.free)} free
        </Fact>
        <Fact
          title="Process"
          sub={status.cpuSeconds === undefined ? undefined : `${count(status.cpuSeconds)} s CPU`}
        >
          {bytes(status.memory)}
        </Fact>
      </dl>
      <Limits limits={status.limits} />
      <OverTime stretches={stretches} error={error} />
      <Tallies counters={counters} />
      {status.top.length > 0 && (
        <Section title="Most pages">
          <Table
            label="Domains with the most pages"
            rows={status.top}
            columns={[
              {
                name: 'name',
                title: 'domain',
                show: ({ name }) => <a href={at('domains', { domain: name })}>{name}</a>,
              },
              { name: 'pages', title: 'pages', isNumber: true, show: ({ pages }) => count(pages) },
              { name: 'rank', title: 'rank', isNumber: true, show: ({ rank }) => count(rank) },
              {
                name: 'budget',
                title: 'budget',
                isNumber: true,
                show: ({ budget }) => count(budget),
              },
            ]}
          />
        </Section>
      )}
    </>
  );
}

export function Limits({ limits }: { limits: readonly Row[] }) {
  if (limits.length === 0) return null;
  return (
    <Section title="Limits">
      <ul class="bars limits" aria-label="Limits">
        {limits.map((limit) => (
          <li key={limit.of}>
            <span class="name">{limit.of}</span>
            <meter min={0} max={limit.limit} value={limit.done} aria-label={limit.of} />
            <span>
              {limit.of === 'bytes'
                ? bytes(limit.limit)
                : limit.of === 'time'
                  ? duration(limit.limit)
                  : count(limit.limit)}
              {limit.left !== undefined && limit.left !== null
                ? `, ${duration(limit.left)} left`
                : ''}
            </span>
          </li>
        ))}
      </ul>
    </Section>
  );
}

export function OverTime({
  stretches,
  error,
}: {
  stretches: readonly Row[];
  error: string | undefined;
}) {
  return (
    <Section
      title="Over time"
      side={<small class="quiet">UTC; drag to zoom, double-click to see all</small>}
    >
      <Notice error={error} />
      <div class="plots">
        <Plot
          title="pages per second"
          stretches={stretches}
          lines={[['pages', perSecond('pages')]]}
        />
        <Plot
          title="kB per second"
          stretches={stretches}
          lines={[['kB', (s) => perSecond('bytes')(s) / 1000]]}
        />
        <Plot
          title="queued URLs"
          stretches={stretches}
          lines={[
            ['queued', (s) => s.queued],
            ['on disk', (s) => s.backlog],
          ]}
        />
        <Plot
          title="requests under way, hosts in front"
          stretches={stretches}
          lines={[
            ['requests', (s) => s.fetching],
            ['front', (s) => s.front],
          ]}
        />
      </div>
    </Section>
  );
}

/** Pages by status, and what was not fetched. */
export function Tallies({ counters }: { counters: Row }) {
  const skipped = {
    ...counters.refused,
    ...(counters.disallowed > 0 && { 'robots.txt': counters.disallowed }),
  };
  return (
    <div class="columns">
      <Section title="Statuses">
        <Bars tally={counters.statuses} label="Pages by status" />
      </Section>
      <Section title="Failed">
        <Bars tally={counters.errors} label="URLs that failed, by fault" />
      </Section>
      <Section title="Skipped">
        <Bars tally={skipped} label="URLs skipped, by reason" />
      </Section>
      <Section title="Retries">
        <Bars tally={counters.retries} label="Retries, by fault" />
      </Section>
    </div>
  );
}

const perSecond =
  (column: string) =>
  (stretch: Row): number =>
    stretch.millis > 0 ? stretch[column] / (stretch.millis / 1000) : 0;

const DAY = 86_400;

/** Times of an axis in UTC, as everywhere in the console; with dates where it is long. */
function clockTimes(times: readonly number[]): string[] {
  const [first = 0, second = first] = times;
  const isLong = (times.at(-1) ?? first) - first >= DAY;
  return times.map((time) => {
    const text = new Date(time * 1000).toISOString();
    if (isLong) return `${text.slice(5, 10)} ${text.slice(11, 16)}`;
    return second - first < 60 ? text.slice(11, 19) : text.slice(11, 16);
  });
}

type Line = readonly [name: string, value: (stretch: Row) => number];

/** A plot that can be zoomed; a table of the same numbers would be too long to read aloud. */
function Plot({
  title,
  stretches,
  lines,
}: {
  title: string;
  stretches: readonly Row[];
  lines: readonly Line[];
}) {
  const place = useRef<HTMLDivElement>(null);
  const plot = useRef<uPlot | undefined>(undefined);
  const data = [
    stretches.map(({ begins }) => begins / 1000),
    ...lines.map(([, value]) => stretches.map(value)),
  ] as uPlot.AlignedData;
  useEffect(() => {
    const { current } = place;
    if (!current || stretches.length < 2) return;
    if (plot.current) {
      plot.current.setData(data);
      return;
    }
    const style = getComputedStyle(document.documentElement);
    const colour = (name: string) => style.getPropertyValue(name).trim();
    const axis = {
      stroke: colour('--quiet'),
      grid: { stroke: colour('--line'), width: 1 },
      ticks: { show: false },
    };
    plot.current = new uPlot(
      {
        width: current.clientWidth,
        height: 160,
        legend: { show: lines.length > 1 },
        cursor: { y: false },
        axes: [
          { ...axis, space: 80, values: (_, times) => clockTimes(times) },
          { ...axis, size: 70 },
        ],
        series: [
          {},
          ...lines.map(([label], i) => ({
            label,
            stroke: colour(i === 0 ? '--accent' : '--second'),
            width: 1.5,
            ...(i === 0 && { fill: colour('--wash') }),
          })),
        ],
      },
      data,
      current,
    );
    const resized = new ResizeObserver(() =>
      plot.current?.setSize({ width: current.clientWidth, height: 160 }),
    );
    resized.observe(current);
  });
  useEffect(() => () => plot.current?.destroy(), []);
  const last = stretches.at(-1);
  const spoken = last
    ? `${title}: ${lines.map(([name, value]) => `${name} ${count(value(last))}`).join(', ')} at ${moment(last.begins)}`
    : title;
  return (
    <figure>
      <figcaption>{title}</figcaption>
      {stretches.length < 2 ? (
        <p class="quiet">Not enough data yet.</p>
      ) : (
        <div ref={place} role="img" aria-label={spoken} />
      )}
    </figure>
  );
}
