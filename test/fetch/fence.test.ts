/** No request leaves an agent whose lease was not renewed in time. */
import { setImmediate as turn } from 'node:timers/promises';
import { describe, expect, test } from 'vitest';
import { closeFence, LeaseFence, openFence, shareFence } from '../../src/cluster/lease/fence.ts';
import { leaseTimes } from '../../src/cluster/lease/lease-times.ts';
import { client, faultOf, server } from './client-fixture.ts';
import { send, silence } from './scripted-server.ts';

const hello = 'HTTP/1.1 200 OK\r\nContent-Length: 5\r\n\r\nhello';
const TIMES = leaseTimes(1);

/** A fence on clocks that the test moves. */
function fenceAt() {
  const time = { even: 50_000, wall: 1_000_000 };
  const shared = shareFence();
  const clock = { even: () => time.even, wall: () => time.wall };
  const fence = new LeaseFence(shared, TIMES, clock);
  const renew = () => openFence(shared, { ...time });
  const pass = (span: number) => {
    time.even += span;
    time.wall += span;
  };
  return { fence, shared, time, renew, pass };
}

describe('the send-time check', () => {
  test('refuses a request whose connection stood only after the lease had run out', async () => {
    const { url, address, requests } = await server(send(hello));
    const { fence, renew, pass } = fenceAt();
    renew();
    const fetching = client({ fence }).fetch({ url: url('/'), address });
    // The request was begun in time; the process is stopped until the connection stands.
    pass(TIMES.send);
    expect(await faultOf(fetching)).toBe('fenced');
    expect(requests).toEqual([]);
  });

  test('refuses a request on a kept connection, and lets it through after a renewal', async () => {
    const { url, address, requests } = await server(send(hello));
    const { fence, renew, pass } = fenceAt();
    const http = client({ fence });
    renew();
    await http.fetch({ url: url('/one'), address });
    pass(TIMES.send);
    expect(await faultOf(http.fetch({ url: url('/two'), address }))).toBe('fenced');
    renew();
    await http.fetch({ url: url('/three'), address });
    expect(requests.map((request) => request.split(' ')[1])).toEqual(['/one', '/three']);
  });

  test('cuts what is under way when the lease is about to end', async () => {
    const { url, address, requests } = await server(silence);
    const { fence, renew, pass } = fenceAt();
    renew();
    const fetching = client({ fence }).fetch({ url: url('/'), address });
    while (requests.length === 0) await turn();
    pass(TIMES.cut);
    expect(await faultOf(fetching)).toBe('fenced');
  });
});

describe('a fence', () => {
  test('is closed before the first renewal, and when the lease is lost', () => {
    const { fence, shared, renew } = fenceAt();
    expect([fence.open, fence.cut]).toEqual([false, true]);
    renew();
    expect([fence.open, fence.cut]).toEqual([true, false]);
    closeFence(shared);
    expect([fence.open, fence.cut]).toEqual([false, true]);
  });

  test('closes by either clock: one stands still while the machine sleeps, the other can be set', () => {
    const { fence, time, renew } = fenceAt();
    renew();
    time.even += TIMES.send - 1;
    expect(fence.open).toBe(true);
    time.even += 1;
    expect(fence.open).toBe(false);
    renew();
    time.wall += 60_000;
    expect(fence.open).toBe(false);
    renew();
    time.wall -= 60_000;
    expect(fence.open).toBe(true);
  });
});
