// Two nodes on one PostgreSQL; the network between one node and the database is cut, in each direction.
import { expect, setDefaultTimeout, test } from 'bun:test';
import { startChaosProxy, type ChaosProxy } from '#tests/support/chaos-proxy.ts';
import { startPostgres } from '#tests/support/postgres.ts';
import { isLong } from './extent.ts';
import { expectAgreement, playScene } from './scene.ts';

setDefaultTimeout(600_000);

/** Longer than a node may be silent: the other node then resolves its holds. */
const cutMilliseconds = isLong ? 50_000 : 2000;

const cuts: Record<
  string,
  { cut(this: void, proxy: ChaosProxy): void; mend(this: void, proxy: ChaosProxy): void }
> = {
  'nothing reaches the database': {
    cut: (proxy) => proxy.spoil({ toServer: { stallAfterBytes: 0 } }),
    mend: (proxy) => proxy.spoil({}),
  },
  'no answer comes back': {
    cut: (proxy) => proxy.spoil({ toClient: { stallAfterBytes: 0 } }),
    mend: (proxy) => proxy.spoil({}),
  },
  'connections are reset and refused': {
    cut(proxy) {
      proxy.refuse(true);
      expect(proxy.resetAll()).toBeGreaterThan(0);
    },
    mend: (proxy) => proxy.refuse(false),
  },
};

test('two nodes, the network of one is cut in each direction: every unit is accounted for', async () => {
  const postgres = await startPostgres();
  await using proxy = await startChaosProxy({ port: Number(new URL(postgres.url).port) });
  const cutUrl = Object.assign(new URL(postgres.url), { port: String(proxy.port) }).href;
  try {
    const aftermath = await playScene(
      { title: 'network cuts', nodes: [{ databaseUrl: postgres.url }, { databaseUrl: cutUrl }] },
      async ({ gateways, load, until, untilServed }) => {
        const isReady = async (node: number) =>
          (await fetch(`${gateways[node]?.url}/readyz`).catch(() => undefined))?.status === 200;
        for (const [name, { cut, mend }] of Object.entries(cuts)) {
          const { refused } = load;
          cut(proxy);
          await until(`${name}: the node refuses a call`, () => load.refused > refused);
          await Bun.sleep(cutMilliseconds);
          await until(`${name}: the other node serves`, () => isReady(0));
          mend(proxy);
          await until(`${name}: the node serves again`, () => isReady(1));
          await untilServed(20);
        }
      },
    );
    expectAgreement(aftermath);
  } finally {
    await postgres.stop();
  }
});
