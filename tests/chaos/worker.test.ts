// Several workers share one data directory. One of them gets no connection to PostgreSQL for longer than a node may be
// silent, while the other works: its spool must stay its own.
import { once } from 'node:events';
import { connect, createServer, type AddressInfo } from 'node:net';
import { expect, setDefaultTimeout, test } from 'bun:test';
import { startChaosProxy } from '#tests/support/chaos-proxy.ts';
import { startPostgres } from '#tests/support/postgres.ts';
import { childrenOf } from '#tests/support/postgres-pair.ts';
import { portsOf } from '#tests/support/process-ports.ts';
import { isLong } from './extent.ts';
import { expectAgreement, playScene } from './scene.ts';

setDefaultTimeout(400_000);

/** A silent node counts as dead after 30 seconds, and its spool is looked for in the next turn of the job. */
const awayMilliseconds = 50_000;
/** They begin before the fault and end when the sibling has seen the silence. */
const longCalls = 10;

test('a connection is recognised by the process that opened it', async () => {
  const server = createServer().listen(0, '127.0.0.1');
  await once(server, 'listening');
  const client = connect((server.address() as AddressInfo).port, '127.0.0.1');
  await once(client, 'connect');
  expect(portsOf(process.pid).has(client.localPort ?? 0)).toBe(true);
  expect(portsOf(process.ppid).has(client.localPort ?? 0)).toBe(false);
  client.destroy();
  server.close();
});

// Too long for `npm test`.
test.skipIf(!isLong)(
  'M1 a worker without connections for a minute: what it acknowledged is booked, once',
  async () => {
    const postgres = await startPostgres();
    await using proxy = await startChaosProxy({ port: Number(new URL(postgres.url).port) });
    const databaseUrl = Object.assign(new URL(postgres.url), { port: String(proxy.port) }).href;
    let calls = 0;
    try {
      const aftermath = await playScene(
        {
          title: 'worker without connections',
          nodes: [{ databaseUrl, environment: { WORKERS: '2' } }],
          callers: 16,
          mischief: () => {
            calls += 1;
            return calls <= longCalls ? { pace: { outputTokens: 60, chunkDelayMilliseconds: 800 } } : {};
          },
        },
        async ({ gateways, load, until, untilServed }) => {
          const [victim, sibling] = childrenOf(gateways[0]?.pid ?? 0);
          if (victim === undefined || sibling === undefined) throw new Error('there are no two workers');
          const isVictim = (port: number) => portsOf(victim).has(port);
          const { refused } = load;
          const endsAt = performance.now() + awayMilliseconds;
          proxy.refuse(isVictim);
          expect(proxy.resetAll(isVictim)).toBeGreaterThan(0);
          await until('the worker refuses calls', () => load.refused > refused);
          await until('the sibling sees the silence', () => performance.now() > endsAt);
          // The sibling works on.
          await untilServed(5);
          proxy.refuse(false);
          await untilServed(50);
        },
      );
      expectAgreement(aftermath);
    } finally {
      await postgres.stop();
    }
  },
);
