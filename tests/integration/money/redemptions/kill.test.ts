// SIGKILL while codes are redeemed: a credited answer is never lost, and a code, its ledger entry, its log row and its audit
// row exist together or not at all.
import { describe, expect, test } from 'bun:test';
import { redemptionIdem } from '#server/money/ledger/idempotency.ts';
import { checkInvariants } from '#server/money/audit/invariants.ts';
import { codeDigest } from '#server/admin/redemptions/key.ts';
import { openStore, type Store } from '#server/platform/store/store.ts';
import {
  applicationWriter,
  backendIsGone,
  temporaryPlace,
  type TemporaryPlace,
} from '#tests/support/databases.ts';
import { dice } from '#tests/support/random.ts';

const ROUNDS = 3;

/** Runs the child until it has redeemed some codes, kills it, and returns the codes it was answered for. */
async function killedRun({ dataDir, databaseUrl = '' }: TemporaryPlace, run: string): Promise<string[]> {
  const script = new URL('kill-child.ts', import.meta.url).pathname;
  const child = Bun.spawn([process.execPath, script, dataDir, databaseUrl, run], {
    stdout: 'pipe',
    stderr: 'inherit',
  });
  const decoder = new TextDecoder();
  let text = '';
  let killing: Promise<void> | undefined;
  for await (const piece of child.stdout) {
    text += decoder.decode(piece, { stream: true });
    if (killing === undefined && text.split('\n').length > 10)
      killing = Bun.sleep(50 + dice.next() * 300).then(() => child.kill('SIGKILL'));
  }
  await killing;
  await child.exited;
  // A line that was cut by the kill is no answer.
  return [...text.matchAll(/^redeemed ([\da-f]{32})\n/gm)].map(([, code]) => code ?? '');
}

async function compare({ db, vault }: Store, answered: readonly string[]): Promise<void> {
  const used = await db.selectFrom('redemptions').selectAll().where('status', '=', 3).execute();
  const entries = await db.selectFrom('ledger').selectAll().where('kind', '=', 'redeem').execute();
  const logs = await db.selectFrom('logs').selectAll().where('type', '=', 1).execute();
  const trail = await db
    .selectFrom('audit')
    .select('target')
    .where('action', '=', 'redemption.redeem')
    .execute();
  const sorted = (list: readonly string[]) => list.toSorted();
  expect(sorted(entries.map(({ idem }) => idem))).toEqual(sorted(used.map(({ id }) => redemptionIdem(id))));
  expect(sorted(trail.map(({ target }) => target))).toEqual(sorted(used.map(({ id }) => `redemption:${id}`)));
  expect(logs).toHaveLength(used.length);
  const usedDigests = new Set(used.map(({ key_digest }) => key_digest));
  expect(answered.filter((code) => !usedDigests.has(codeDigest(vault, code)))).toEqual([]);
  expect(answered.length).toBeGreaterThan(ROUNDS * 5);
  expect(new Set(answered).size).toBe(answered.length);
}

describe.each(['sqlite', 'postgres'] as const)('%s', (database) => {
  test(`M4 ${ROUNDS} times killed while codes are redeemed: every code is credited once or not at all`, async () => {
    const place = await temporaryPlace(database);
    const answered: string[] = [];
    for (let round = 0; round < ROUNDS; round += 1) answered.push(...(await killedRun(place, `run${round}`)));
    const store = await openStore({ ...place, writerEntry: applicationWriter });
    await backendIsGone(store);
    await compare(store, answered);
    expect(await checkInvariants(store)).toEqual([]);
    await store.close();
    await place.remove();
  }, 180_000);
});
