/**
 * The connection of a worker to the brokers, and what is refused there by name.
 *
 * Ensures   Credentials and certificates come from files or the environment, and are in no error.
 *           The packages are loaded only here, so a crawl without a cluster needs none of them.
 */
import type { NatsConnection, NodeConnectionOptions } from '@nats-io/transport-node';
import { DrumlinError, EXIT } from '../../base/errors.ts';
import type { Millis } from '../../base/units.ts';
import { Disk } from '../../disk/disk.ts';
import type { Book } from '../lease/book.ts';

type Environment = Readonly<Record<string, string | undefined>>;

export interface Brokers {
  readonly connection: NatsConnection;
  /** The book of a cluster; creates its bucket if asked to. */
  book(name: string, create?: { readonly replicas: number }): Promise<Book | undefined>;
  close(): Promise<void>;
}

const OLDEST = [2, 15] as const;
const NAME = /^[a-z0-9][a-z0-9-]{0,31}$/;
const TIMEOUT: Millis = 5000;

/** `servers` as `nats://a,b,c` or a list of addresses. */
export async function connectBrokers(servers: string, env: Environment): Promise<Brokers> {
  const [{ connect }, { jetstream }, { Kvm }, { NatsBook }] = await Promise.all([
    import('@nats-io/transport-node'),
    import('@nats-io/jetstream'),
    import('@nats-io/kv'),
    import('./nats-book.ts'),
  ]).catch((cause) => {
    throw packagesMissing(cause);
  });
  const connection = await connect(await optionsOf(servers, env)).catch((cause) => {
    throw unreachable(servers, cause);
  });
  try {
    refuseOld(connection.info?.version ?? '');
  } catch (error) {
    await connection.close();
    throw error;
  }
  const js = jetstream(connection, { timeout: TIMEOUT });
  const kvm = new Kvm(js);
  return {
    connection,
    async book(name, create) {
      const bucket = bucketOf(name);
      if (create) {
        // Reads come from the leader of the stream: a follower may be behind.
        const { replicas } = create;
        const kv = await kvm.create(bucket, { replicas, history: 1, allow_direct: false });
        return new NatsBook(kv);
      }
      const manager = await js.jetstreamManager();
      const info = await manager.streams.info(`KV_${bucket}`).catch((error) => {
        if (error?.name === 'StreamNotFoundError') return undefined;
        throw error;
      });
      if (!info) return undefined;
      if ((info.config as { persist_mode?: string }).persist_mode === 'async')
        throw lazy(`The bucket ${bucket}`);
      return new NatsBook(await kvm.open(bucket, { allow_direct: false }));
    },
    close: () => connection.close(),
  };
}

/** The errors of the packages that mean: no answer for now. */
const SILENCE = new Set(['TimeoutError', 'NoResponders', 'RequestError', 'JetStreamNotEnabled']);
/** JetStream answers that it has no leader. */
const NO_LEADER = 10008;

/**
 * The error that a user sees instead, if the brokers are there and JetStream does not answer: too
 * few of them run, or they elect a leader. Otherwise the error itself.
 */
export function silentBrokers(error: unknown): unknown {
  const { name, code, message } = (error ?? {}) as { name?: string; code?: number } & Error;
  if (!SILENCE.has(name ?? '') && code !== NO_LEADER) return error;
  return new DrumlinError(
    'BROKER_SILENT',
    `The brokers are there, but JetStream does not answer (${message}).`,
    'Wait until more than half of the brokers run, and check that JetStream is on.',
    { exitCode: EXIT.unfit, cause: error },
  );
}

/** The bucket of a cluster. */
function bucketOf(name: string): string {
  if (NAME.test(name)) return `drumlin-${name}`;
  throw new DrumlinError(
    'CLUSTER_NAME',
    `"${name}" is not the name of a cluster.`,
    'Use up to 32 small letters, digits and dashes.',
  );
}

async function optionsOf(servers: string, env: Environment): Promise<NodeConnectionOptions> {
  const list = servers
    .split(',')
    .map((server) => server.trim())
    .filter(Boolean);
  const disk = new Disk();
  const { DRUMLIN_NATS_CREDS, DRUMLIN_NATS_USER, DRUMLIN_NATS_PASSWORD, DRUMLIN_NATS_TOKEN } = env;
  const { DRUMLIN_NATS_CA, DRUMLIN_NATS_CERT, DRUMLIN_NATS_KEY } = env;
  const { credsAuthenticator } = await import('@nats-io/transport-node');
  const creds = DRUMLIN_NATS_CREDS && (await disk.readText(DRUMLIN_NATS_CREDS));
  const tls = {
    ...(DRUMLIN_NATS_CA && { caFile: DRUMLIN_NATS_CA }),
    ...(DRUMLIN_NATS_CERT && { certFile: DRUMLIN_NATS_CERT }),
    ...(DRUMLIN_NATS_KEY && { keyFile: DRUMLIN_NATS_KEY }),
  };
  return {
    servers: list,
    name: 'drumlin',
    // A worker outlives its brokers.
    maxReconnectAttempts: -1,
    reconnectTimeWait: 500,
    pingInterval: 3000,
    maxPingOut: 2,
    timeout: TIMEOUT,
    ...(Object.keys(tls).length > 0 && { tls }),
    ...(creds && { authenticator: credsAuthenticator(Buffer.from(creds)) }),
    ...(DRUMLIN_NATS_TOKEN && { token: DRUMLIN_NATS_TOKEN }),
    ...(DRUMLIN_NATS_USER && { user: DRUMLIN_NATS_USER, pass: DRUMLIN_NATS_PASSWORD ?? '' }),
  };
}

function refuseOld(version: string): void {
  const [major = 0, minor = 0] = version.split('.').map(Number);
  if (major > OLDEST[0] || (major === OLDEST[0] && minor >= OLDEST[1])) return;
  throw new DrumlinError(
    'BROKER_VERSION',
    `The broker is nats-server ${version || 'of an unknown version'}; a cluster needs ${OLDEST.join('.')} or later.`,
    'Install a later nats-server on every broker.',
    { exitCode: EXIT.unfit },
  );
}

/** What a broker's monitoring port says of its disk. */
interface Varz {
  readonly server_name?: string;
  readonly jetstream?: { readonly config?: { readonly sync_always?: boolean } };
}

/**
 * Refuses brokers that acknowledge writes before they are durable. Only their monitoring ports
 * tell; without any, the user must vouch for them.
 */
export async function refuseLazyBrokers(
  monitors: readonly string[],
  vouched: boolean,
): Promise<void> {
  if (monitors.length === 0 && !vouched) throw unknownFsync();
  for (const monitor of monitors) {
    const answer = await fetch(new URL('/varz', monitor)).catch((cause) => {
      throw unreachable(monitor, cause);
    });
    const { server_name = monitor, jetstream } = (await answer.json()) as Varz;
    if (jetstream?.config?.sync_always !== true) throw lazy(`The broker ${server_name}`);
  }
}

function lazy(who: string): DrumlinError {
  return new DrumlinError(
    'BROKER_FSYNC',
    `${who} acknowledges writes before they are on disk: a power failure would undo commits.`,
    'Set "sync_interval: always" in the jetstream block of every broker, and start it again.',
    { exitCode: EXIT.unfit },
  );
}

function unknownFsync(): DrumlinError {
  return new DrumlinError(
    'BROKER_FSYNC',
    'Whether the brokers make writes durable before they acknowledge them is not known.',
    'Name their monitoring ports with --monitors http://HOST:8222,…, or vouch for "sync_interval: always" with --durable-brokers.',
    { exitCode: EXIT.unfit },
  );
}

function unreachable(servers: string, cause: unknown): DrumlinError {
  const where = servers.replace(/\/\/[^@/,]*@/g, '//');
  const why = cause instanceof Error ? cause.message : String(cause);
  return new DrumlinError(
    'BROKER_UNREACHABLE',
    `No broker answers at ${where}: ${why}.`,
    'Check the addresses, the network, and the credentials in DRUMLIN_NATS_…',
    { exitCode: EXIT.unfit, cause },
  );
}

function packagesMissing(cause: unknown): DrumlinError {
  return new DrumlinError(
    'CLUSTER_PACKAGES',
    'A cluster needs packages that are not installed.',
    'Run "npm install @nats-io/transport-node@3.3.1 @nats-io/jetstream@3.3.1 @nats-io/kv@3.3.1" beside drumlin.',
    { cause },
  );
}
