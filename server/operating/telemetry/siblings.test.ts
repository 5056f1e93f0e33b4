import { EventEmitter } from 'node:events';
import { expect, test } from 'bun:test';
import { Counter, Registry } from 'prom-client';
import { createMetricsPage } from './metrics-page.ts';
import { createSiblings, type MessageChannel } from './siblings.ts';

/** Processes whose parent passes every message on to the others, as server/cli/workers.ts does. */
function family(count: number): MessageChannel[] {
  const members = Array.from({ length: count }, () => new EventEmitter());
  return members.map((member) => ({
    send: (message) => {
      const copy: unknown = structuredClone(message);
      for (const other of members) if (other !== member) queueMicrotask(() => other.emit('message', copy));
    },
    on: (event, listener) => member.on(event, listener),
    off: (event, listener) => member.off(event, listener),
  }));
}

function worker(channel: MessageChannel, count: number, calls: number) {
  const registry = new Registry();
  const counter = new Counter({
    name: 'calls_total',
    help: 'Calls.',
    labelNames: ['model'],
    registers: [registry],
  });
  counter.inc({ model: 'm' }, calls);
  const siblings = createSiblings(registry, count - 1, channel);
  const page = createMetricsPage(registry, { token: undefined, addresses: ['127.0.0.1'] }, siblings);
  return { page, siblings };
}

test('any worker answers for all of them; one that does not answer in time is left out', async () => {
  const channels = family(3);
  const workers = channels.map((channel, index) => worker(channel, 3, 10 ** index));
  const scrape = async () => (await workers[1]?.page(new Request('http://x/metrics'), '127.0.0.1'))?.text();
  expect(await scrape()).toContain('calls_total{model="m"} 111');
  workers[2]?.siblings.close();
  expect(await scrape()).toContain('calls_total{model="m"} 11\n');
});

test('a message of another shape is ignored, and another address is refused', async () => {
  const [one, two] = family(2) as [MessageChannel, MessageChannel];
  const { page } = worker(one, 2, 5);
  const { siblings } = worker(two, 2, 6);
  for (const message of [null, 'figures', { kind: 'figures-wanted' }, { kind: 'figures', question: 'x' }])
    two.send?.(message);
  expect(await siblings.figures()).toHaveLength(1);
  expect((await page(new Request('http://x/metrics'), '10.0.0.1')).status).toBe(401);
});
