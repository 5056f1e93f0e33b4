// kill -9 at random moments: every acknowledged charge is booked once, to the unit, and the next start is quick.
// CRASH_ROUNDS sets how often (default 4).
import { describe, expect, test } from 'bun:test';
import { checkInvariants } from '#server/money/audit/invariants.ts';
import { openLedger } from '#server/money/ledger/open-ledger.ts';
import { openStore } from '#server/platform/store/store.ts';
import { applicationWriter, temporaryPlace, type DatabaseLabel } from '#tests/support/databases.ts';
import { dice } from '#tests/support/random.ts';
import { createWorld } from './world.ts';

const rounds = Number(process.env['CRASH_ROUNDS'] ?? 4);
const startLimitMs = 3000;
const balance = 1_000_000_000;
const firstCharges = 25;

interface Acknowledged {
  charges: Map<string, number>;
  released: Set<string>;
  startedMs: number[];
}

for (const label of ['sqlite', 'postgres'] satisfies DatabaseLabel[]) {
  describe(label, () => {
    test(
      `${rounds} times killed under load: no acknowledged charge lost or doubled`,
      async () => {
        const place = await temporaryPlace(label);
        const { userId, tokenId } = await prepare(place.dataDir, place.databaseUrl);
        const acknowledged: Acknowledged = { charges: new Map(), released: new Set(), startedMs: [] };
        for (let round = 0; round < rounds; round += 1) {
          const values = [
            place.dataDir,
            place.databaseUrl ?? '',
            String(userId),
            String(tokenId),
            `run${round}`,
          ];
          await runUntilKilled(values, acknowledged);
        }
        expect(acknowledged.charges.size).toBeGreaterThan(rounds * 20);
        expect(Math.max(...acknowledged.startedMs)).toBeLessThan(startLimitMs);
        await verify(place.dataDir, place.databaseUrl, userId, acknowledged);
        await place.remove();
      },
      60_000 + rounds * 20_000,
    );
  });
}

async function prepare(dataDir: string, databaseUrl: string | undefined) {
  const store = await openStore({ dataDir, databaseUrl, writerEntry: applicationWriter });
  // The nodes' spool is in a separate directory, so that the fixture does not remove the data.
  const world = await createWorld(store, { nodeId: 'preparing' });
  const userId = await world.user(balance);
  const tokenId = await world.token(userId);
  await world.close();
  await store.close();
  return { userId, tokenId };
}

/** Killed at a random moment after its first charges. */
async function runUntilKilled(values: string[], acknowledged: Acknowledged): Promise<void> {
  const script = new URL('crash-child.ts', import.meta.url).pathname;
  const child = Bun.spawn([process.execPath, script, ...values], { stdout: 'pipe', stderr: 'inherit' });
  let text = '';
  let timer: ReturnType<typeof setTimeout> | undefined;
  const decoder = new TextDecoder();
  for await (const chunk of child.stdout) {
    text += decoder.decode(chunk, { stream: true });
    if (text.split('\ncharged ').length > firstCharges)
      timer ??= setTimeout(() => child.kill(9), dice.next() * 600);
  }
  clearTimeout(timer);
  await child.exited;
  expect(child.signalCode).toBe('SIGKILL');
  // The kill may have cut the last line: that charge was not acknowledged.
  for (const line of text.slice(0, text.lastIndexOf('\n')).split('\n')) {
    const [word, subject = '', amount] = line.split(' ');
    if (word === 'ready') acknowledged.startedMs.push(Number(subject));
    if (word === 'released') acknowledged.released.add(subject);
    if (word === 'charged') acknowledged.charges.set(subject, Number(amount));
  }
}

async function verify(
  dataDir: string,
  databaseUrl: string | undefined,
  userId: number,
  acknowledged: Acknowledged,
) {
  const store = await openStore({ dataDir, databaseUrl, writerEntry: applicationWriter });
  const ledger = await openLedger({ store, nodeId: 'crashing', dataDir, version: 'test' });
  const entries = await store.db
    .selectFrom('ledger')
    .select(['idem', 'amount'])
    .where('kind', '=', 'use')
    .execute();
  const booked = new Map(entries.map((entry) => [entry.idem, entry.amount]));
  expect(booked.size).toBe(entries.length);
  const wrong = [...acknowledged.charges].filter(([requestId, amount]) => booked.get(requestId) !== amount);
  expect(wrong).toEqual([]);
  expect([...acknowledged.released].filter((requestId) => booked.has(requestId))).toEqual([]);
  const user = await store.db
    .selectFrom('users')
    .selectAll()
    .where('id', '=', userId)
    .executeTakeFirstOrThrow();
  const total = entries.reduce((sum, entry) => sum + entry.amount, 0);
  expect(user).toMatchObject({ quota: balance - total, held_quota: 0, used_quota: total });
  expect(await store.db.selectFrom('holds').selectAll().execute()).toEqual([]);
  expect(await checkInvariants(store)).toEqual([]);
  await ledger.close();
  await store.close();
}
