/**
 * The console of a cluster: the same page and rules as that of crawls in folders, over the book.
 *
 * Ensures   It needs the brokers only. It holds no lease and runs no agent: any number of them may
 *           run, on any machine, and none of them matters to the crawl.
 */
import { systemClock } from '../../base/clock.ts';
import { DrumlinError } from '../../base/errors.ts';
import type { Millis } from '../../base/units.ts';
import type { Brokers } from '../../cluster/broker/connect.ts';
import type { Book } from '../../cluster/lease/book.ts';
import { parseReport, reportSubject } from '../../cluster/members/worker-report.ts';
import { Disk } from '../../disk/disk.ts';
import { requestError } from '../fields/schema.ts';
import { ROUTES } from '../routes.ts';
import { type Console, matchOf, type ServeOptions, serve } from '../serve.ts';
import { ClusterWatch } from './cluster-watch.ts';
import { CLUSTER_ROUTES } from './routes.ts';

export interface ClusterSource {
  readonly name: string;
  readonly book: Book;
  readonly brokers: Pick<Brokers, 'connection'>;
  /** The brokers, as the operator named them. */
  readonly named: string;
  /** Time between two looks at the workers. Default: two seconds. */
  readonly every?: Millis;
}

export async function serveClusterConsole(
  { name, book, brokers, named, every }: ClusterSource,
  options: ServeOptions,
): Promise<Console> {
  const { clock = systemClock } = options;
  const { connection } = brokers;
  const cluster = await ClusterWatch.open({
    ...{ name, book, clock, brokers: named.replace(/\/\/[^@/,]*@/g, '//') },
    ...{ every, even: () => performance.now() },
    ask: async (worker, timeout) => {
      const answer = await connection.request(reportSubject(name, worker), '', { timeout });
      return parseReport(answer.string());
    },
  });
  try {
    return await serve(options, () => ({
      routes: CLUSTER_ROUTES,
      parts: { disk: new Disk(), clock, cluster },
      crawl: async (id) => {
        if (id === name) return cluster;
        throw requestError('There is no such crawl here.', 'GET /api/v1/crawls lists them.');
      },
      watched: ({ events }) => ({
        key: name,
        status: async () => cluster.overview,
        logEnd: async () => events.end,
        logAfter: async (from) => events.after(from),
      }),
      missing: (path) => elsewhere(path, cluster),
      close: async () => cluster.close(),
    }));
  } catch (error) {
    cluster.close();
    throw error;
  }
}

/** What needs the files of agents or of the archive: the sentence says where they are. */
function elsewhere(path: string, { name, crawl }: ClusterWatch): DrumlinError | undefined {
  if (!ROUTES.some((route) => matchOf(route.path, path))) return undefined;
  const { objects = 'the object store' } = crawl ?? {};
  const word = path.split('/')[3];
  const [fact, remedy] = WHERE[word ?? ''] ?? WHERE.files;
  return new DrumlinError(
    'IN_THE_STORE',
    fact,
    remedy.replace('OBJECTS', objects).replace('NAME', name),
  );
}

const FILES = [
  'Captures of a cluster are in its object store, not here.',
  'Copy OBJECTS/archive and OBJECTS/indexes to a folder, and use "drumlin archive list FOLDER" on it; the index is there when the crawl has ended.',
] as const;

const WHERE: Readonly<Record<string, readonly [fact: string, remedy: string]>> = {
  files: FILES,
  captures: FILES,
  capture: FILES,
  download: FILES,
  search: [
    'Full text needs the files of the archive, which are in the object store.',
    'Copy OBJECTS/archive to a folder, and run "drumlin search index FOLDER --out INDEX".',
  ],
  hosts: [
    'Hosts in memory are in the folders of the workers.',
    'Look at a worker on its machine: the folder that "drumlin cluster join NAME" was given with --dir.',
  ],
  graph: [
    'Links between domains are in the folders of the workers.',
    'Extract them from a copy of OBJECTS/archive with "drumlin graph build FOLDER --level domain".',
  ],
  metrics: [
    'Metrics are those of each worker.',
    'Join workers with --metrics-port, and let Prometheus add them up.',
  ],
  healthz: ['Health is that of each worker.', 'Join workers with --metrics-port.'],
  seeds: ['A cluster takes no further seeds.', 'Create another cluster with them.'],
};
