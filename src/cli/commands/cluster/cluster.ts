/** `drumlin cluster`: one crawl by many machines. */
import { type Command, InvalidArgumentError, Option } from 'commander';
import { examples } from '../../input/example.ts';
import { addSettings, givenLayers, givenSettings } from '../../input/setting-options.ts';
import type { DemoFlags } from './demo.ts';
import type {
  BrokerFlags,
  ConsoleFlags,
  CreateFlags,
  JoinFlags,
  StatusFlags,
  SteerFlags,
} from './work.ts';

const BROKERS = 'addresses of the NATS servers, such as nats://a:4222,nats://b:4222';

export function register(program: Command): void {
  const cluster = program
    .command('cluster')
    .description('one crawl by many machines, on NATS and an S3 store')
    .addHelpText(
      'after',
      examples(
        'cluster create news --brokers nats://a,nats://b,nats://c --objects s3://bucket/news --monitors http://a:8222,http://b:8222,http://c:8222 seeds.txt --contact you@example.com',
        'cluster join news --brokers nats://a,nats://b,nats://c --dir /data/news',
        'cluster status news --brokers nats://a',
      ),
    );
  registerCreate(cluster);
  registerJoin(cluster);
  registerOthers(cluster);
  registerSteer(cluster);
  registerConsole(cluster);
  registerDemo(cluster);
}

function withBrokers(command: Command): Command {
  return command.requiredOption('--brokers <addresses>', BROKERS);
}

function registerCreate(cluster: Command): void {
  const create = withBrokers(cluster.command('create'))
    .description('create the crawl of a cluster; workers join it')
    .argument('<name>', 'name of the cluster')
    .argument('<seeds...>', 'URLs or files of URLs')
    .requiredOption(
      '--objects <address>',
      'where checkpoints and pages go: s3://BUCKET/PREFIX; credentials are in the environment (AWS_…)',
    )
    .addOption(
      new Option(
        '--address-delay-scope <scope>',
        'whether --address-delay counts for the whole cluster, or for the agents of each worker',
      )
        .choices(['cluster', 'agent'])
        .default('cluster'),
    )
    .option('--monitors <addresses>', 'monitoring ports of the brokers: checks that they are fit')
    .option('--durable-brokers', 'vouch for "sync_interval: always" on brokers without --monitors')
    .option(
      '--replicas <number>',
      'copies of the book (default: one for each broker, at most 3)',
      wholeNumber,
    );
  addSettings(create);
  create
    .addHelpText(
      'after',
      examples(
        'cluster create news --brokers nats://a --objects s3://bucket/news --durable-brokers https://example.org/ --contact you@example.com',
      ),
    )
    .action(async (name: string, seeds: string[], flags: CreateFlags) => {
      const layers = givenLayers(create, givenSettings(create, { ...flags }, seeds));
      await (await import('./work.ts')).create(name, seeds, flags, layers);
    });
}

function registerJoin(cluster: Command): void {
  withBrokers(cluster.command('join'))
    .description('run agents of a cluster on this machine, until the crawl ends')
    .argument('<name>', 'name of the cluster')
    .requiredOption('--dir <folder>', 'folder of this worker')
    .option(
      '--weight <number>',
      'its share of the agents beside others (default: its cores)',
      wholeNumber,
    )
    .option('--commit <time>', 'time between two commits of an agent', '60s')
    .option(
      '--metrics-port <port>',
      'serve metrics of this worker for Prometheus at this port of 127.0.0.1',
      wholeNumber,
    )
    .option('--quiet', 'print errors only')
    .addHelpText('after', examples('cluster join news --brokers nats://a --dir /data/news'))
    .action(async (name: string, flags: JoinFlags) => {
      process.exitCode = await (await import('./work.ts')).join(name, flags);
    });
}

function registerOthers(cluster: Command): void {
  withBrokers(cluster.command('status'))
    .description('show the workers and agents of a cluster')
    .argument('<name>', 'name of the cluster')
    .option('--json', 'print JSON')
    .addHelpText('after', examples('cluster status news --brokers nats://a'))
    .action(async (name: string, flags: StatusFlags) => {
      await (await import('./work.ts')).status(name, flags);
    });
  withBrokers(cluster.command('drain'))
    .description('let a worker give its agents to others, and end')
    .argument('<name>', 'name of the cluster')
    .argument('<worker>', 'name of the worker, as "cluster status" shows it')
    .addHelpText('after', examples('cluster drain news host-1f2e --brokers nats://a'))
    .action(async (name: string, worker: string, flags: BrokerFlags) => {
      await (await import('./work.ts')).drain(name, worker, flags);
    });
  withBrokers(cluster.command('stop'))
    .description('stop the crawl on all workers; everything is kept')
    .argument('<name>', 'name of the cluster')
    .addHelpText('after', examples('cluster stop news --brokers nats://a'))
    .action(async (name: string, flags: BrokerFlags) => {
      await (await import('./work.ts')).stop(name, flags);
    });
  withBrokers(cluster.command('resume'))
    .description('let a crawl that was stopped run again; then join it with workers')
    .argument('<name>', 'name of the cluster')
    .addHelpText('after', examples('cluster resume news --brokers nats://a'))
    .action(async (name: string, flags: BrokerFlags) => {
      await (await import('./work.ts')).resume(name, flags);
    });
}

function registerSteer(cluster: Command): void {
  withBrokers(cluster.command('steer'))
    .description('change filters, or decisions for domains, on all workers of a running crawl')
    .argument('<name>', 'name of the cluster')
    .option('--filters <file>', 'the filters from now on, written as filters.txt of a crawl')
    .option('--domains <file>', 'decisions for domains, written as domains.tsv of a crawl')
    .addHelpText('after', examples('cluster steer news --brokers nats://a --filters filters.txt'))
    .action(async (name: string, flags: SteerFlags) => {
      await (await import('./work.ts')).steer(name, flags);
    });
  withBrokers(cluster.command('set'))
    .description('change settings on all workers of a running crawl, or pause it')
    .argument('<name>', 'name of the cluster')
    .argument('<changes...>', 'KEY=VALUE: delay, slow-delay, fetches, budget, or paused=yes|no')
    .addHelpText(
      'after',
      examples(
        'cluster set news delay=2s --brokers nats://a',
        'cluster set news paused=yes --brokers nats://a',
      ),
    )
    .action(async (name: string, words: string[], flags: BrokerFlags) => {
      await (await import('./work.ts')).set(name, words, flags);
    });
}

function registerConsole(cluster: Command): void {
  withBrokers(cluster.command('console'))
    .description('show a cluster in a browser: workers, agents, figures, domains; and steer it')
    .argument('<name>', 'name of the cluster')
    .option('--port <port>', 'port to listen on; 0 takes a free one', '9420')
    .option('--host <address>', 'address to listen on (default: 127.0.0.1, this machine only)')
    .option('--token <text>', 'token instead of a random one; required with another --host')
    .addHelpText('after', examples('cluster console news --brokers nats://a,nats://b,nats://c'))
    .action(async (name: string, flags: ConsoleFlags) => {
      await (await import('./work.ts')).console(name, flags);
    });
}

function registerDemo(cluster: Command): void {
  cluster
    .command('demo')
    .description('crawl the built-in synthetic web with several workers; needs a nats-server')
    .option('--brokers <addresses>', BROKERS, 'nats://127.0.0.1:4222')
    .option('--dir <folder>', 'folder for workers and objects (default: a new one in crawls/)')
    .option('--workers <number>', 'workers, all in this process', wholeNumber, 4)
    .option('--agents <number>', 'agents of the crawl', wholeNumber, 8)
    .option('--max-time <time>', 'stop after this time', '30s')
    .addHelpText('after', examples('cluster demo', 'cluster demo --workers 2 --max-time 2m'))
    .action(async (flags: DemoFlags) => {
      process.exitCode = await (await import('./demo.ts')).demo(flags);
    });
}

function wholeNumber(text: string): number {
  const number = Number(text);
  if (Number.isSafeInteger(number) && number > 0) return number;
  throw new InvalidArgumentError('Give a whole number above 0.');
}
