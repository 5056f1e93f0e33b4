// The process is killed at every labelled step of a call. After the next start the books show what money.md promises:
// an acknowledged end stands, an unsent call costs nothing, a sent one its checkpoint, and no hold is left.
import { describe, expect, setDefaultTimeout, test } from 'bun:test';
import { checkInvariants } from '#server/billing/invariants.ts';
import { openStore } from '#server/store/store.ts';
import { applicationWriter, temporaryPlace } from '#tests/support/databases.ts';
import { createWorld } from './world.ts';

// Each case starts three processes' worth of databases.
setDefaultTimeout(30_000);

const balance = 10_000;

interface Case {
  plan: 'release' | 'settle' | 'dispatch' | 'extend';
  procedure: 'reserve' | 'extend' | 'checkpoints' | 'settle' | 'release' | 'none';
  step: 'before-procedure' | 'after-procedure' | 'before-commit' | 'after-commit';
  /** The last thing the caller was told. */
  told: string;
  /** What the user has paid after the next start. */
  paid: number;
}

const unfinished = ['before-procedure', 'after-procedure', 'before-commit'] as const;

const cases: Case[] = [
  ...unfinished.flatMap((step): Case[] => [
    { plan: 'extend', procedure: 'extend', step, told: 'reserved', paid: 0 },
    { plan: 'dispatch', procedure: 'checkpoints', step, told: 'reserved', paid: 0 },
    { plan: 'settle', procedure: 'settle', step, told: 'reserved', paid: 0 },
    { plan: 'dispatch', procedure: 'settle', step, told: 'dispatched', paid: 120 },
    { plan: 'release', procedure: 'release', step, told: 'reserved', paid: 0 },
  ]),
  // A young hold is in memory only: taking it commits nothing.
  { plan: 'settle', procedure: 'reserve', step: 'before-procedure', told: '', paid: 0 },
  { plan: 'settle', procedure: 'reserve', step: 'after-procedure', told: '', paid: 0 },
  { plan: 'extend', procedure: 'extend', step: 'after-commit', told: 'reserved', paid: 0 },
  { plan: 'dispatch', procedure: 'checkpoints', step: 'after-commit', told: 'reserved', paid: 120 },
  { plan: 'settle', procedure: 'settle', step: 'after-commit', told: 'reserved', paid: 321 },
  { plan: 'dispatch', procedure: 'settle', step: 'after-commit', told: 'dispatched', paid: 321 },
  { plan: 'release', procedure: 'release', step: 'after-commit', told: 'reserved', paid: 0 },
  // Nothing fails: the steps themselves are in order.
  { plan: 'settle', procedure: 'none', step: 'after-commit', told: 'ended', paid: 321 },
  { plan: 'release', procedure: 'none', step: 'after-commit', told: 'ended', paid: 0 },
];

describe('C3 killed at a labelled step', () => {
  for (const { plan, procedure, step, told, paid } of cases) {
    test(`${plan}, ${procedure} ${step}: told "${told}", paid ${paid}`, async () => {
      const place = await temporaryPlace('sqlite');
      const open = () => openStore({ dataDir: place.dataDir, writerEntry: applicationWriter });
      const before = await open();
      const preparing = await createWorld(before);
      const userId = await preparing.user(balance);
      const tokenId = await preparing.token(userId, { unlimited_quota: 0, remain_quota: 5000 });
      await preparing.close();
      await before.close();

      const script = new URL('failpoint-child.ts', import.meta.url).pathname;
      const child = Bun.spawn(
        [process.execPath, script, place.dataDir, String(userId), String(tokenId), plan],
        {
          env: { ...process.env, FAILPOINT: `${procedure}:${step}` },
          stdout: 'pipe',
          stderr: 'inherit',
        },
      );
      const words = (await new Response(child.stdout).text()).trim().split('\n');
      await child.exited;
      expect(child.signalCode).toBe(procedure === 'none' ? null : 'SIGKILL');
      expect(words.at(-1)).toBe(told);

      const after = await open();
      const world = await createWorld(after);
      expect(await world.findUser(userId)).toMatchObject({
        quota: balance - paid,
        held_quota: 0,
        used_quota: paid,
      });
      expect(await world.findToken(tokenId)).toMatchObject({ remain_quota: 5000 - paid, held_quota: 0 });
      expect(await after.db.selectFrom('holds').selectAll().execute()).toEqual([]);
      expect(await checkInvariants(after)).toEqual([]);
      await world.close();
      await after.close();
      await place.remove();
    });
  }
});
