// Two nodes on a PostgreSQL with a synchronous standby, and every fault at random: killed and stopped nodes, a cut network in
// each direction, a crashed and a replaced database, full disks, upstreams that break and callers that leave.
import { readFileSync } from 'node:fs';
import { expect, setDefaultTimeout, test } from 'bun:test';
import { startChaosProxy, type ChaosProxy } from '#tests/support/chaos-proxy.ts';
import { startPostgresPair, type PostgresPair } from '#tests/support/postgres-pair.ts';
import { dice, seed } from '#tests/support/random.ts';
import { crashPostgres } from './crash-postgres.ts';
import { isLong, printFigures, soakMinutes } from './extent.ts';
import type { Mischief } from './load.ts';
import { expectAgreement, playScene, type Scene } from './scene.ts';
import { diceOf } from './seeded.ts';
import { mayMount, mountSmallDisk, type SmallDisk } from './small-disk.ts';

const soakMilliseconds = Math.max(15_000, soakMinutes * 60_000);
setDefaultTimeout(300_000 + soakMilliseconds * 2);

/** Longer than a node may be silent. */
const longestMilliseconds = 45_000;

const mischiefs: readonly (() => Mischief)[] = [
  () => ({ leaveMilliseconds: dice.between(1, 300) }),
  () => ({ behaviour: { resetAfterEvents: dice.between(0, 30) } }),
  () => ({ behaviour: { cutAfterEvents: dice.between(0, 30) } }),
  () => ({ behaviour: { status: 500 } }),
  () => ({ behaviour: { stall: { afterEvents: dice.between(0, 5), milliseconds: 400 } } }),
];
const oneInThree = (): Mischief => (dice.between(0, 2) === 0 ? dice.pick(mischiefs)() : {});

interface Stage {
  scene: Scene;
  pair: PostgresPair;
  proxies: readonly ChaosProxy[];
  disks: readonly (SmallDisk | undefined)[];
  hasFailedOver: boolean;
}

/** Each fault ends itself, and throws when it did not happen. */
type Fault = (stage: Stage, node: number) => Promise<void>;

const lasting = () => Bun.sleep(dice.between(500, longestMilliseconds));

function cut(spoils: Parameters<ChaosProxy['spoil']>[0]): Fault {
  return async ({ proxies }, node) => {
    const proxy = proxies[node];
    expect(proxy?.connections()).toBeGreaterThan(0);
    proxy?.spoil(spoils);
    await lasting();
    proxy?.spoil({});
  };
}

const faults: Record<string, Fault> = {
  'a node is killed': async ({ scene }, node) => {
    await scene.gateways[node]?.kill9();
    await scene.restart(node);
  },
  'a node is stopped for a while': async ({ scene }, node) => {
    const pid = scene.gateways[node]?.pid ?? 0;
    process.kill(pid, 'SIGSTOP');
    await Bun.sleep(200);
    expect(readFileSync(`/proc/${pid}/stat`, 'utf8')).toMatch(/\) T /);
    await lasting();
    process.kill(pid, 'SIGCONT');
  },
  'nothing reaches the database': cut({ toServer: { stallAfterBytes: 0 } }),
  'no answer comes back': cut({ toClient: { stallAfterBytes: 0 } }),
  'connections are reset and refused': async ({ proxies }, node) => {
    proxies[node]?.refuse(true);
    expect(proxies[node]?.resetAll()).toBeGreaterThan(0);
    await lasting();
    proxies[node]?.refuse(false);
  },
  'the database crashes': async ({ pair, hasFailedOver }) =>
    crashPostgres((hasFailedOver ? pair.standby : pair.primary).pid),
  'the disk of a node is full': async ({ disks }, node) => {
    const disk = disks[node];
    disk?.fill();
    expect(disk?.freeBytes()).toBe(0);
    await lasting();
    disk?.empty();
  },
  'the standby takes over': async (stage) => {
    stage.hasFailedOver = true;
    stage.pair.killPrimary();
    await stage.pair.promote();
    for (const proxy of stage.proxies) {
      proxy.redirect({ port: Number(new URL(stage.pair.standby.url).port) });
      proxy.resetAll();
    }
  },
};
const once = 'the standby takes over';
const repeated = Object.keys(faults).filter(
  (name) => name !== once && (mayMount || name !== 'the disk of a node is full'),
);

const title = `two-node soak, seed ${seed}`;

test('a seed repeats its faults', () => {
  const drawn = () => {
    const repeatedDice = diceOf(seed);
    return Array.from({ length: 50 }, () => repeatedDice.pick(repeated));
  };
  expect(drawn()).toEqual(drawn());
  expect(new Set(drawn()).size).toBeGreaterThan(3);
});

// Too long for `npm test`.
test.skipIf(!isLong && soakMinutes < 1)(
  'M24 two nodes and all faults at random: every unit is accounted for',
  async () => {
    const pair = await startPostgresPair();
    const disks = [0, 1].map(() => (mayMount ? mountSmallDisk(32) : undefined));
    const target = { port: Number(new URL(pair.primary.url).port) };
    const proxies = [await startChaosProxy(target), await startChaosProxy(target)];
    const urlOf = (port: number | string) =>
      Object.assign(new URL(pair.primary.url), { port: String(port) }).href;
    const counts: Record<string, number> = {};
    try {
      const nodes = proxies.map(({ port }, node) => {
        const dataDir = disks[node]?.directory;
        return { databaseUrl: urlOf(port), ...(dataDir === undefined ? {} : { dataDir }) };
      });
      const booksUrl = () => urlOf(new URL(pair.standby.url).port);
      const aftermath = await playScene({ title, nodes, mischief: oneInThree, booksUrl }, async (scene) => {
        const stage: Stage = { scene, pair, proxies, disks, hasFailedOver: false };
        const play = async (name: string) => {
          await faults[name]?.(stage, dice.between(0, 1));
          counts[name] = (counts[name] ?? 0) + 1;
          await Bun.sleep(dice.between(0, 2000));
        };
        const endsAt = performance.now() + soakMilliseconds;
        // Each once at least, in random order, then as many as there is time for.
        const order = repeated.toSorted(() => dice.next() - 0.5);
        order.splice(dice.between(0, order.length), 0, once);
        for (const name of order) await play(name);
        while (performance.now() < endsAt) await play(dice.pick(repeated));
        await scene.untilServed(20);
      });
      printFigures(`${title}: faults`, counts);
      expect(counts[once]).toBe(1);
      for (const name of repeated) expect(counts[name], name).toBeGreaterThan(0);
      expectAgreement(aftermath, { wasKilled: (counts['a node is killed'] ?? 0) > 0 });
    } finally {
      for (const proxy of proxies) await proxy.stop();
      await pair.stop();
      for (const disk of disks) disk?.[Symbol.dispose]();
    }
  },
);
