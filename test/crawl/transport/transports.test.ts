import { expect, test } from 'vitest';
import { memoryTransports, soloTransport } from '../../../src/crawl/transport/memory-transport.ts';
import { portMesh, portTransport } from '../../../src/crawl/transport/port-transport.ts';
import { transportConformance } from './transport-conformance.ts';

transportConformance({ name: 'transports in memory', open: memoryTransports });
transportConformance({
  name: 'transports over message ports',
  open: (agents, { states, ...options } = {}) =>
    portMesh(agents).map((ports, agent) =>
      portTransport({ ...options, agent, agents, state: states?.[agent] }, ports),
    ),
});
test('a single agent needs neither ports nor memory', () => {
  const state = { agent: 0, agents: 1, received: [0], unacknowledged: [] };
  expect(soloTransport({ state }).state()).toEqual(state);
  expect(() => soloTransport().send(0, 0, new Uint8Array(1))).toThrow('no link to agent 0');
});

test('a port transport names a missing port', () => {
  expect(() => portTransport({ agent: 1, agents: 3 }, [])).toThrow(
    'Agent 1 was given no port to agent 0',
  );
});
