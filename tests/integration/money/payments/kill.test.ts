// SIGKILL while payments are credited: an answered notice is never lost, and every notice, sent again to the next process,
// is credited once in all, with one dividend.
import { describe, expect, test } from 'bun:test';
import { orderIdem } from '#server/money/ledger/idempotency.ts';
import { checkInvariants } from '#server/money/audit/invariants.ts';
import { startApplication } from '#tests/support/application.ts';
import { temporaryPlace, type TemporaryPlace } from '#tests/support/databases.ts';
import { dice } from '#tests/support/random.ts';

const ROUNDS = 3;
const QUOTA = 500_000;

interface Run {
  notices: string[];
  credited: string[];
}

/** Runs the child until it has credited some payments, then kills it. */
async function killedRun({ dataDir, databaseUrl = '' }: TemporaryPlace, run: string): Promise<Run> {
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
    if (killing === undefined && text.split('\ncredited ').length > 10)
      killing = Bun.sleep(dice.next() * 200).then(() => child.kill('SIGKILL'));
  }
  await killing;
  await child.exited;
  // A line that was cut by the kill says nothing.
  const lines = (word: string) =>
    [...text.matchAll(new RegExp(`^${word} (.+)\\n`, 'gm'))].map(([, rest]) => rest ?? '');
  return { notices: lines('paid'), credited: lines('credited') };
}

describe.each(['sqlite', 'postgres'] as const)('%s', (database) => {
  test(`M5 ${ROUNDS} times killed while payments arrive: each is credited once`, async () => {
    const place = await temporaryPlace(database);
    const runs: Run[] = [];
    for (let round = 0; round < ROUNDS; round += 1) runs.push(await killedRun(place, `run${round}`));
    const app = await startApplication({ place, nodeId: 'last' });
    const { db } = app.store;
    const entries = async () =>
      (await db.selectFrom('ledger').selectAll().where('kind', '=', 'topup').execute()).map(
        ({ idem }) => idem,
      );
    const before = new Set(await entries());
    const credited = runs.flatMap((run) => run.credited);
    expect(credited.length).toBeGreaterThan(ROUNDS * 5);
    expect(credited.filter((tradeNo) => !before.has(orderIdem(tradeNo)))).toEqual([]);

    const notices = runs.flatMap((run) => run.notices);
    for (const notice of [...notices, ...notices])
      expect(await (await fetch(`${app.url}/api/user/epay/notify?${notice}`)).text()).toBe('success');
    expect((await entries()).length).toBe(notices.length);
    const users = await db.selectFrom('users').select('quota').where('username', 'like', 'run%').execute();
    expect(users.reduce((sum, { quota }) => sum + quota, 0)).toBe(notices.length * QUOTA);
    const dividends = await db.selectFrom('dividends').select('amount').execute();
    expect(dividends.length).toBe(notices.length);
    expect(dividends.reduce((sum, { amount }) => sum + amount, 0)).toBe(notices.length * (QUOTA / 10));
    expect(await checkInvariants(app.store)).toEqual([]);
    await app.close();
  }, 180_000);
});
