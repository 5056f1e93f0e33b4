import { beforeAll, describe, expect, test } from 'bun:test';
import type { Store } from '#server/platform/store/store.ts';
import { forEachDatabase } from '#tests/support/databases.ts';
import { createAttempts, removeOldAttempts } from './attempts.ts';

forEachDatabase((_, open) => {
  let store: Store;
  let scenes = 0;
  beforeAll(async () => {
    store = await open();
  });

  /** Names and addresses of its own, and two nodes that share a clock. */
  function scene() {
    const clock = { now: 1_700_000_000_000 };
    const mark = `s${(scenes += 1)}`;
    const named = (attempts: ReturnType<typeof createAttempts>) => ({
      begin: (account: string, address: string) => attempts.begin(account + mark, address + mark),
      succeed: (account: string, address: string) => attempts.succeed(account + mark, address + mark),
    });
    const node = () => named(createAttempts(store, () => clock.now));
    return { clock, here: node(), there: node() };
  }

  describe('guessing passwords', () => {
    test('one address on one account: five tries, then waits that double up to a quarter of an hour', async () => {
      const { clock, here, there } = scene();
      const waits: number[] = [];
      for (let index = 0; index < 17; index += 1) {
        const node = index % 2 === 0 ? here : there;
        const wait = await node.begin('root', '203.0.113.1');
        waits.push(wait);
        clock.now += wait * 1000;
        if (wait > 0) expect(await node.begin('root', '203.0.113.1')).toBe(0);
      }
      expect(waits).toEqual([0, 0, 0, 0, 0, 1, 2, 4, 8, 16, 32, 64, 128, 256, 512, 900, 900]);
    });

    test('hundreds of tries from fifty addresses hold an account up for 30 seconds at most', async () => {
      const { clock, here } = scene();
      let longest = 0;
      for (let index = 0; index < 120; index += 1) {
        const address = `203.0.113.${index % 50}`;
        const wait = await here.begin('root', address);
        clock.now += wait * 1000;
        if (wait > 0) expect(await here.begin('root', address)).toBe(0);
        // Somebody who never tried before: only the account's own wait, which is short.
        longest = Math.max(longest, await here.begin('root', `newcomer-${index}`));
      }
      expect(longest).toBe(30);
    });

    test('the owner, at an address that signed in before, is not held up by strangers, on no node', async () => {
      const { here, there } = scene();
      expect(await here.begin('root', '198.51.100.7')).toBe(0);
      await here.succeed('root', '198.51.100.7');
      for (let index = 0; index < 60; index += 1) await here.begin('ROOT', `203.0.113.${index}`);
      expect(await there.begin('root', '192.0.2.1')).toBeGreaterThan(0);
      expect(await there.begin('root', '198.51.100.7')).toBe(0);
    });

    test('a right password forgets the wrong ones before it', async () => {
      const { here } = scene();
      for (let round = 0; round < 8; round += 1) {
        for (let index = 0; index < 4; index += 1) expect(await here.begin('root', '203.0.113.1')).toBe(0);
        await here.succeed('root', '203.0.113.1');
      }
      for (let index = 0; index < 5; index += 1) expect(await here.begin('root', '203.0.113.1')).toBe(0);
      expect(await here.begin('root', '203.0.113.1')).toBe(1);
    });

    test('a try whose clock is behind another’s is not held up by it', async () => {
      const { clock, here, there } = scene();
      for (let index = 0; index < 3; index += 1)
        expect(await here.begin(`user${index}`, '203.0.113.1')).toBe(0);
      clock.now -= 5;
      expect(await there.begin('late', '203.0.113.1')).toBe(0);
    });

    test('one address on many accounts is slowed down too', async () => {
      const { here } = scene();
      const waits: number[] = [];
      for (let index = 0; index < 52; index += 1) waits.push(await here.begin(`user${index}`, '203.0.113.1'));
      expect(waits.slice(0, 50).every((wait) => wait === 0)).toBe(true);
      expect(waits.at(-1)).toBe(1);
    });

    test('parallel guesses at two nodes count one by one, before their answers are known', async () => {
      const { here, there } = scene();
      const waits = await Promise.all(
        Array.from({ length: 60 }, (_, index) => (index % 2 ? here : there).begin('root', '203.0.113.1')),
      );
      expect(waits.filter((wait) => wait === 0)).toHaveLength(5);
      expect(waits.filter((wait) => wait > 0).every((wait) => wait === 1)).toBe(true);
    });

    test('a try that has to wait is not counted', async () => {
      const { clock, here } = scene();
      for (let index = 0; index < 30; index += 1) await here.begin('root', '203.0.113.1');
      clock.now += 1000;
      expect(await here.begin('root', '203.0.113.1')).toBe(0);
      expect(await here.begin('root', '203.0.113.1')).toBe(2);
    });

    test('an hour of quiet forgets, and its rows go; where the owner signed in is remembered', async () => {
      const { clock, here } = scene();
      for (let index = 0; index < 20; index += 1) await here.begin('root', '203.0.113.1');
      expect(await here.begin('alice', '198.51.100.9')).toBe(0);
      await here.succeed('alice', '198.51.100.9');
      clock.now += 3_601_000;
      expect(await here.begin('root', '203.0.113.1')).toBe(0);
      await removeOldAttempts(store, clock.now);
      const rows = await store.db
        .selectFrom('login_attempts')
        .select(['kind', 'known'])
        .where('last_at_ms', '<', clock.now - 3_600_000)
        .execute();
      expect(rows.length).toBeGreaterThan(0);
      expect(rows.every(({ kind, known }) => kind === 'pair' && known === 1)).toBe(true);
    });
  });
});
