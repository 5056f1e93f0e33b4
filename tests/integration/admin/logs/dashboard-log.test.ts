// The dashboard's figures from the log, on both databases: percentiles from a bounded sample, reasons of failed calls,
// and the calls of each channel.
import { afterAll, beforeAll, describe, expect, setDefaultTimeout, test } from 'bun:test';
import { ROLE } from '#contract/access.ts';
import { LATENCY_PIECES } from '#contract/admin/dashboard.ts';
import { failureCause } from '#contract/relay/failure-cause.ts';
import { percentile } from '#server/admin/dashboard/latency.ts';
import { startApplication, type Actor, type TestApplication } from '#tests/support/application.ts';
import { databaseLabels } from '#tests/support/databases.ts';
import { addChannel } from '#tests/support/channels.ts';

setDefaultTimeout(60_000);

const HOUR = 3600;
const start = 1_700_000_000 - (1_700_000_000 % HOUR);
const span = { start_timestamp: start, end_timestamp: start + 3 * HOUR - 1 };

test('a percentile is a value that was measured', () => {
  const values = Array.from({ length: 100 }, (_, index) => index + 1);
  expect([percentile(values, 0.5), percentile(values, 0.95)]).toEqual([50, 95]);
  expect([percentile([7], 0.5), percentile([7], 0.95)]).toEqual([7, 7]);
  expect(percentile([], 0.5)).toBe(0);
});

for (const database of databaseLabels) {
  describe(database, () => {
    let app: TestApplication;
    let alice: Actor;
    let bob: Actor;
    let admin: Actor;
    let busy: number;
    let idle: number;

    beforeAll(async () => {
      app = await startApplication({ database });
      alice = await app.actor();
      bob = await app.actor();
      admin = await app.actor({ role: ROLE.admin });
      busy = await addChannel(app.store, { base_url: 'http://127.0.0.1:9', models: ['a'], name: 'busy' });
      idle = await addChannel(app.store, { base_url: 'http://127.0.0.1:9', models: ['a'], name: 'idle' });
      const row = (user: Actor, second: number, columns: Record<string, string | number>) => ({
        created_at: start + second,
        user_id: user.id,
        type: 2,
        model_name: 'a',
        use_time: 0,
        content: '',
        other: '',
        ...columns,
      });
      const call = (user: Actor, second: number, use: number, first: number) =>
        row(user, second, {
          use_time: Math.round(use / 1000),
          other: JSON.stringify({ frt: first, use_ms: use }),
        });
      // In the first hour 1 to 100 ms; in the third one slow call of another user.
      const calls = Array.from({ length: 100 }, (_, index) =>
        call(alice, index * 30, index + 1, (index + 1) / 10),
      );
      const failed = (user: Actor, second: number, content: string) =>
        row(user, second, { type: 5, content, other: '{}' });
      await app.store.db
        .insertInto('logs')
        .values([
          ...calls,
          call(bob, 2 * HOUR + 5, 9000, -1000),
          // As recovery writes it, and like rows from before durations had milliseconds.
          row(bob, 2 * HOUR + 6, { use_time: 4, other: '' }),
          row(bob, 2 * HOUR + 7, { use_time: 11, other: '{"frt":500}' }),
          ...Array.from({ length: 4 }, (_, index) => failed(alice, HOUR + index, 'status 429')),
          failed(alice, HOUR + 9, 'timeout'),
          failed(bob, HOUR + 10, 'status 500'),
          failed(alice, -HOUR, 'status 401'),
        ])
        .execute();
      const cell = (user: Actor, channel_id: number, hour: number, error_count: number) => ({
        hour: start + hour * HOUR,
        user_id: user.id,
        token_id: 0,
        channel_id,
        model_name: 'a',
        count: 10,
        quota: 100,
        error_count,
        use_time_ms: 5000,
        first_token_ms: 1000,
      });
      await app.store.db
        .insertInto('usage_hours')
        .values([
          cell(alice, busy, 1, 5),
          cell(bob, busy, 1, 1),
          cell(alice, 99, 0, 0),
          cell(alice, busy, -1, 1),
        ])
        .execute();
    });
    afterAll(() => app.close());

    test('percentiles by hour, of the caller, of one user and of all users', async () => {
      const own = await app.client(alice).dashboard.latencySelf({ query: span });
      expect(own.bucket_seconds).toBe(HOUR);
      expect(own.pieces).toEqual([
        { start, sample: 100, p50: 50, p95: 95, first_p50: 5, first_p95: 10 },
        { start: start + HOUR, sample: 0, p50: 0, p95: 0, first_p50: 0, first_p95: 0 },
        { start: start + 2 * HOUR, sample: 0, p50: 0, p95: 0, first_p50: 0, first_p95: 0 },
      ]);
      const all = await app.client(admin).dashboard.latency({ query: span });
      expect(all.pieces[0]?.p95).toBe(95);
      // A call without a first token does not count for that figure; a row without milliseconds counts its seconds.
      expect(all.pieces[2]).toMatchObject({ sample: 2, p50: 9000, p95: 11_000, first_p50: 500 });
      const one = await app
        .client(admin)
        .dashboard.latency({ query: { ...span, username: bob.username.toUpperCase() } });
      expect(one.pieces.map(({ sample }) => sample)).toEqual([0, 0, 2]);
      const unknown = await app.client(admin).dashboard.latency({ query: { ...span, username: 'nobody' } });
      expect(unknown.pieces.every(({ sample }) => sample === 0)).toBe(true);
    });

    test('a long span is split into a bounded number of intervals', async () => {
      const query = { start_timestamp: start, end_timestamp: start + 30 * 24 * HOUR - 1, step: HOUR };
      const { pieces, bucket_seconds } = await app.client(alice).dashboard.latencySelf({ query });
      expect(pieces.length).toBeLessThanOrEqual(LATENCY_PIECES);
      expect(bucket_seconds * pieces.length).toBeGreaterThanOrEqual(30 * 24 * HOUR);
      expect(pieces[0]?.sample).toBeGreaterThan(0);
    });

    test('reasons of failed calls, most frequent first, inside the span only', async () => {
      expect(await app.client(alice).dashboard.failuresSelf({ query: span })).toEqual({
        total: 5,
        refused: 0,
        read: 5,
        contents: [
          { content: 'status 429', count: 4 },
          { content: 'timeout', count: 1 },
        ],
      });
      const all = await app.client(admin).dashboard.failures({ query: span });
      expect([all.total, all.read]).toEqual([6, 6]);
      const one = await app.client(admin).dashboard.failures({ query: { ...span, username: bob.username } });
      expect(one.contents).toEqual([{ content: 'status 500', count: 1 }]);
    });

    test('the log filtered by a cause lists exactly the failures that were counted for it', async () => {
      const counted = await app.client(admin).dashboard.failures({ query: span });
      for (const { content, count } of counted.contents) {
        const query = { ...span, cause: failureCause(content) };
        const { items, total } = await app.client(admin).logs.list({ query });
        expect([content, total, new Set(items.map((row) => row.code))]).toEqual([
          content,
          count,
          new Set([content]),
        ]);
      }
      const own = await app
        .client(alice)
        .logs.listSelf({ query: { ...span, cause: failureCause('timeout') } });
      expect(own.items.map(({ code }) => code)).toEqual(['timeout']);
      const others = await app
        .client(alice)
        .logs.listSelf({ query: { ...span, cause: failureCause('status 500') } });
      expect(others.total).toBe(0);
    });

    test('every channel is listed, those without calls and the deleted ones as well', async () => {
      const channels = await app.client(admin).dashboard.channels({ query: span });
      expect(channels).toEqual([
        {
          id: busy,
          name: 'busy',
          status: 1,
          count: 20,
          error_count: 6,
          quota: 200,
          use_time_ms: 10_000,
          first_token_ms: 2000,
        },
        expect.objectContaining({ id: idle, name: 'idle', count: 0 }),
        expect.objectContaining({ id: 99, name: '', status: 0, count: 10 }),
      ]);
    });

    test('users are refused on endpoints for administrators', async () => {
      for (const path of ['latency', 'failures', 'channels']) {
        const query = `start_timestamp=${span.start_timestamp}&end_timestamp=${span.end_timestamp}`;
        const reply = await app.request(`/api/data/${path}?${query}`, { as: alice });
        expect(reply.status).toBe(403);
      }
    });
  });
}
