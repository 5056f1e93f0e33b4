// kill -9 at each step of the spool, on both databases. The next process (on PostgreSQL: two that race for the spool) books every
// acknowledged end exactly once and leaves no spool behind.
import { afterAll, describe, expect, setDefaultTimeout, test } from 'bun:test';
import { readdirSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { checkInvariants } from '#server/money/audit/invariants.ts';
import { databaseFile } from '#server/platform/store/sqlite/open.ts';
import { openStore, type Store } from '#server/platform/store/store.ts';
import { startChaosProxy, type ChaosProxy } from '#tests/support/chaos-proxy.ts';
import { applicationWriter, temporaryPlace, type DatabaseLabel } from '#tests/support/databases.ts';
import { faultSeen } from '#tests/support/fault-report.ts';
import { createWorld, type World } from './world.ts';

setDefaultTimeout(60_000);

const balance = 10_000;
const steps = [
  'append before write',
  'append before sync',
  'append after sync',
  'drain after read',
  'drain before write',
  'drain before sync',
  'drain after sync',
  'none',
];

/** Reads the words of the child up to one of these, or to its end. */
async function wordsUntil(words: AsyncIterator<string>, last: string): Promise<string[]> {
  const seen: string[] = [];
  for (;;) {
    const { value, done } = await words.next();
    if (done === true) return seen;
    seen.push(value);
    if (value === last) return seen;
  }
}

async function* linesOf(stream: ReadableStream<Uint8Array>): AsyncGenerator<string> {
  const decoder = new TextDecoder();
  let rest = '';
  for await (const chunk of stream) {
    const lines = (rest + decoder.decode(chunk, { stream: true })).split('\n');
    rest = lines.pop() ?? '';
    yield* lines;
  }
}

async function proxied(databaseUrl: string): Promise<{ proxy: ChaosProxy; url: string }> {
  const address = new URL(databaseUrl);
  const proxy = await startChaosProxy({ port: Number(address.port) });
  address.port = String(proxy.port);
  return { proxy, url: address.href };
}

for (const label of ['sqlite', 'postgres'] as const satisfies DatabaseLabel[]) {
  describe(`killed at a step of the spool: ${label} (plan C3)`, () => {
    let killed = 0;
    afterAll(() => {
      if (killed > 0) faultSeen('C3', `${label}: killed at ${killed} steps of the spool`);
    });

    for (const step of steps) {
      test(`${step}: every acknowledged end is booked once`, async () => {
        const place = await temporaryPlace(label);
        const { dataDir, databaseUrl } = place;
        const open = () => openStore({ dataDir, databaseUrl, writerEntry: applicationWriter, onFault() {} });
        const preparing = await open();
        const first = await createWorld(preparing);
        const userId = await first.user(balance);
        await first.close();
        await preparing.close();

        const between = databaseUrl === undefined ? undefined : await proxied(databaseUrl);
        const faultFile = `${databaseFile(dataDir)}.fault`;
        const script = new URL('spool-child.ts', import.meta.url).pathname;
        const child = Bun.spawn(
          [process.execPath, script, dataDir, between?.url ?? '', String(userId), step],
          { stdin: 'pipe', stdout: 'pipe', stderr: 'inherit' },
        );
        const words = linesOf(child.stdout);
        const goOn = () => {
          void child.stdin.write('\n');
          void child.stdin.flush();
        };
        expect((await wordsUntil(words, 'reserved')).at(-1)).toBe('reserved');
        if (between === undefined) writeFileSync(faultFile, 'SQLITE_FULL');
        else {
          between.proxy.refuse(true);
          between.proxy.resetAll();
        }
        goOn();
        const heard = await wordsUntil(words, 'spooled');
        if (between === undefined) rmSync(faultFile);
        else between.proxy.refuse(false);
        if (step === 'none') {
          await wordsUntil(words, 'available');
          goOn();
        }
        await child.exited;
        expect(child.signalCode).toBe(step === 'none' ? null : 'SIGKILL');
        if (child.signalCode === 'SIGKILL') killed += 1;
        const acknowledged = heard.filter((word) => word.startsWith('settled')).length;
        expect(acknowledged).toBe(step.startsWith('append') ? 2 : 5);

        const { worlds, stores } = await successors(label, open, dataDir);
        const [world] = worlds;
        if (world === undefined) throw new Error('no successor');
        const user = await world.findUser(userId);
        const booked = user.used_quota / 321;
        // A line that was written but not acknowledged may be booked: its call did end.
        expect([acknowledged, Math.min(5, acknowledged + 1)]).toContain(booked);
        expect(user).toMatchObject({
          quota: balance - user.used_quota,
          held_quota: 0,
          request_count: booked,
        });
        const logs = await world.store.db.selectFrom('logs').select('id').where('type', '=', 2).execute();
        expect(logs).toHaveLength(booked);
        expect(await checkInvariants(world.store)).toEqual([]);
        expect(spoolsOf('spooling', dataDir)).toEqual([]);
        for (const opened of worlds) await opened.close();
        for (const store of stores) await store.close();
        await between?.proxy.stop();
        await place.remove();
      });
    }
  });
}

const spoolsOf = (nodeId: string, dataDir: string) =>
  readdirSync(join(dataDir, 'spool')).filter((name) => name.startsWith(nodeId));

async function successors(
  label: DatabaseLabel,
  open: () => Promise<Store>,
  dataDir: string,
): Promise<{ worlds: World[]; stores: Store[] }> {
  if (label === 'sqlite') {
    const store = await open();
    return { worlds: [await createWorld(store, { dataDir })], stores: [store] };
  }
  const stores = [await open(), await open()];
  const worlds = await Promise.all(
    stores.map((store, index) =>
      createWorld(store, { dataDir, nodeId: `sibling-${index}`, silenceSeconds: 1 }),
    ),
  );
  // A sibling adopts when it has been connected, and the other silent, for the whole silence.
  for (let wait = 0; wait < 300; wait += 1) {
    await Bun.sleep(100);
    await Promise.all(worlds.map(({ ledger }) => ledger.recover()));
    const holds = await stores[0]?.db.selectFrom('holds').select('id').execute();
    if (spoolsOf('spooling', dataDir).length === 0 && holds?.length === 0) break;
  }
  return { worlds, stores };
}
