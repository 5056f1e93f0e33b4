// Refused calls as hours pass: what is kept of finished hours equals a sum of the test's own over all rows.
import { expect, test } from 'bun:test';
import { readRefusedSince } from '#server/admin/overview/refused-hours.ts';
import { forEachDatabase } from '#tests/support/databases.ts';
import { randomSource } from '#tests/support/sequence.ts';

const HOUR = 3600;
/** 2026-11-13 17:42 UTC. */
const NOW = 1_794_591_720;
const KEY = [
  ...(['minute', 'user_id', 'token_id', 'code', 'group', 'model_name'] as const),
  ...(['member_id', 'service_account_id', 'project_id'] as const),
];

forEachDatabase((_label, open) => {
  test('kept hours and read ones add up while the clock moves, and a late row of the last hour counts', async () => {
    const store = await open();
    const below = randomSource(77);
    const rows: {
      minute: number;
      user_id: number;
      token_id: number;
      model_name: string;
      code: string;
      count: number;
    }[] = [];
    const add = async (from: number, to: number, number: number) => {
      for (let at = 0; at < number; at += 1) {
        const time = from + below(to - from);
        const row = {
          minute: time - (time % 60),
          user_id: below(6),
          token_id: below(9),
          model_name: below(3) === 0 ? '' : `m${below(4)}`,
          code: ['no_channel', 'no_price', 'invalid_api_key'][below(3)] ?? '',
          count: 1 + below(50),
        };
        rows.push(row);
        await store.db
          .insertInto('refused_calls')
          .values({ ...row, group: 'default' })
          .onConflict((conflict) =>
            conflict
              .columns(KEY)
              .doUpdateSet((update) => ({ count: update('refused_calls.count', '+', row.count) })),
          )
          .execute();
      }
    };
    const compare = async (now: number) => {
      const start = now - 24 * HOUR - ((now - 24 * HOUR) % HOUR);
      const causes = await readRefusedSince(store, start, now, new Set(['invalid_api_key']));
      const inSpan = rows.filter(({ minute, code }) => minute >= start && code !== 'invalid_api_key');
      expect([...causes.keys()].toSorted()).toEqual([...new Set(inSpan.map(({ code }) => code))].toSorted());
      for (const [code, cause] of causes) {
        const of = inSpan.filter((row) => row.code === code);
        const ids = (name: 'user_id' | 'token_id') =>
          [...new Set(of.map((row) => row[name]).filter((id) => id > 0))].toSorted();
        expect(cause.count).toBe(of.reduce((sum, { count }) => sum + count, 0));
        expect([[...cause.users].toSorted(), [...cause.keys].toSorted()]).toEqual([
          ids('user_id'),
          ids('token_id'),
        ]);
        for (const [model, calls] of cause.models)
          expect(calls).toBe(
            of.filter(({ model_name }) => model_name === model).reduce((sum, { count }) => sum + count, 0),
          );
      }
    };
    await add(NOW - 40 * HOUR, NOW, 120);
    await compare(NOW);
    // The hour that ended two minutes ago may still get rows.
    const end = NOW - (NOW % HOUR) + HOUR;
    await add(NOW, end, 10);
    await compare(end + 120);
    await add(end - HOUR, end, 10);
    await compare(end + 180);
    let last = end;
    for (const hours of [2, 3, 20, 60]) {
      const next = end + hours * HOUR;
      await add(last, next, 15);
      await compare(next + 60);
      last = next;
    }
  });
});
