/** The main module of the thread of a cluster's agent. */
import type { MessagePort } from 'node:worker_threads';
import { systemClockFrom } from '../../base/clock.ts';
import type { Millis } from '../../base/units.ts';
import type { AgentStart } from '../../crawl/agent/open-agent.ts';
import { runAgent } from '../../crawl/agent/running-agent.ts';
import type { AgentReport } from '../../crawl/crew.ts';
import { limitGarbage } from '../../crawl/heap-growth.ts';
import type { AgentProgress } from '../../crawl/record/counters.ts';
import { reportsTo, servedBy } from '../../crawl/thread-ends.ts';
import { serveAgentThread } from '../../crawl/threads/agent-thread.ts';
import { ThreadLink } from '../../crawl/threads/thread-link.ts';
import { SharedAddressTable } from '../../crawl/transport/address-table.ts';
import { Allowance } from '../../crawl/transport/allowance.ts';
import { SharedHostTable } from '../../crawl/transport/host-table.ts';
import { Disk } from '../../disk/disk.ts';
import { loadPredicates } from '../../filter/predicates.ts';
import { ClusterAddressTable } from '../addresses/address-table.ts';
import type { HoldTimes } from '../addresses/hold-times.ts';
import { ClusterHostTable } from '../addresses/host-table.ts';
import { LeaseFence, type SharedFence } from '../lease/fence.ts';
import type { LeaseTimes } from '../lease/lease-times.ts';
import { ClusterTransport } from '../parcels/cluster-transport.ts';
import type { AgentClusterCalls, WorkerClusterCalls } from './agent-calls.ts';
import { ClusterKeeper } from './keeper.ts';
import { ownerOfHost } from './sharing.ts';

/** What the thread of a cluster's agent is started with. */
export interface ClusterAgentStart extends AgentStart {
  readonly worker: MessagePort;
  readonly fence: SharedFence;
  readonly times: LeaseTimes;
  /** Undefined where the delay of an address counts for each worker by itself. */
  readonly holdTimes: HoldTimes | undefined;
  /** From one commit to the next. */
  readonly commitEvery: Millis;
  readonly ownsProcess: boolean;
  readonly clockOrigin: Millis;
}

/** Lost parcels are sent again a little after a renewal was due, so that heirs get them soon. */
const timingOf = ({ renew }: LeaseTimes) => ({
  retry: (4 / 3) * renew,
  longest: (16 / 3) * renew,
  receipt: renew / 3,
  parcelAge: renew / 3,
});

/** Undefined where the delay of an address counts for each worker by itself. */
function addressesOf(
  { agent, config, addresses, holdTimes }: ClusterAgentStart,
  worker: ThreadLink<WorkerClusterCalls, AgentClusterCalls>,
): ClusterAddressTable | undefined {
  if (!addresses || !holdTimes) return undefined;
  return new ClusterAddressTable({
    times: holdTimes,
    local: new SharedAddressTable(addresses, agent),
    // A table of delays may name a longer one: `--delays` counts in the agent's own turns. The
    // delay of hosts, which may shorten it, can change while the cluster runs.
    delayOf: () => Math.max(config.addressDelay, config.slowAddressDelay),
    want: (ip, delay) => worker.tell('want', { ip, delay }),
    unused: (ip, readyAt) => worker.tell('unused', { ip, readyAt }),
  });
}

function hostsOf(
  { agent, agents, hosts, times }: ClusterAgentStart,
  worker: ThreadLink<WorkerClusterCalls, AgentClusterCalls>,
): ClusterHostTable {
  const table = new ClusterHostTable({
    local: new SharedHostTable(hosts, agent),
    isOurs: (host) => ownerOfHost(host, agents) === agent,
    want: (host) =>
      void worker.ask('leave', host).then(
        (answer) => table.answered(host, answer),
        () => table.answered(host, 'refused'),
      ),
    asked: (host, delay) => worker.tell('asked', { host, delay }),
    retry: times.renew / 6,
  });
  return table;
}

await serveAgentThread<ClusterAgentStart, AgentReport, AgentProgress>(
  async (start, coordinator) => {
    const { agent, agents, incarnation, worker: port } = start;
    if (start.ownsProcess) limitGarbage();
    const clock = systemClockFrom(start.clockOrigin);
    const worker = new ThreadLink<WorkerClusterCalls, AgentClusterCalls>(port, (error) => {
      throw error;
    });
    let transport: ClusterTransport | undefined;
    const addresses = addressesOf(start, worker);
    const hosts = hostsOf(start, worker);
    const allowance = new Allowance(start.allowance);
    const starved = () => allowance.exhausted !== undefined;
    const keeper = new ClusterKeeper({
      clock: clock.pace,
      every: start.commitEvery,
      stage: (saved) => worker.ask('stage', saved),
      commit: (saved) => worker.ask('commit', saved),
      overdue: () => transport?.overdue ?? false,
    });
    const running = await runAgent(start, {
      clock,
      disk: new Disk(),
      connect: (state) => {
        const post = (to: number, bytes: Uint8Array) => worker.tell('post', { to, bytes });
        const timing = timingOf(start.times);
        const options = { agent, agents, incarnation, state, clock: clock.pace, post, timing };
        transport = new ClusterTransport(options);
        return transport;
      },
      ...reportsTo(coordinator),
      onError: undefined,
      predicates: await loadPredicates(start.config.predicates),
      onPage: undefined,
      cluster: { fence: new LeaseFence(start.fence, start.times), keeper, addresses, hosts },
    });
    const { before } = running;
    worker.serve({
      frame: ({ from, bytes }) => transport?.deliver(from, bytes),
      peer: (peer) => transport?.peer(peer.agent, peer.epoch, peer.received),
      held: ({ ip, until }) => addresses?.held(ip, until),
      revoked: (ip) => addresses?.revoked(ip),
      look: () => {
        const { queued, fetching, ...counted } = running.progress();
        const received = transport?.received ?? [];
        const pages = counted.pages + before.pages;
        return {
          ...{ idle: running.activity().idle, starved: starved(), pages, queued, received },
          bytes: counted.bytes + before.bytes,
          safe: keeper.holds({ pages, received, waiting: queued + fetching }),
          heads: transport?.heads ?? [],
        };
      },
    });
    return servedBy(running, coordinator, () => port.close());
  },
);
