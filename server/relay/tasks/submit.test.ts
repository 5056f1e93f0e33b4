// What becomes of a task's row when its submission was taken, refused, or perhaps taken.
import { expect, test } from 'bun:test';
import { noPrices, resolvePrice, type PriceSnapshot } from '#server/money/prices/price.ts';
import type { Platform } from './platform.ts';
import type { TaskParts } from './parts.ts';
import { acceptTask, failSubmission, type Running } from './submit.ts';

const price = resolvePrice(
  { ...noPrices, GroupRatio: { g: 1 }, ModelPrice: { m: 1 } },
  () => undefined,
  'm',
  'g',
) as PriceSnapshot;
const record = {
  caller: { userId: 7, group: 'g' },
  model: 'm',
  upstreamModel: 'm',
  channelId: 10,
  channelName: 'ten',
  address: '',
  path: '',
  isStream: false,
  isWebSocket: false,
  reasoningEffort: '',
  attempts: [{ channel: 10, status: 200, milliseconds: 5 }],
};
const task = {
  id: 5,
  task_id: '',
  hold_id: 'hold-5',
  channel_id: 9,
  model: 'm',
  action: 'generate',
  status: 'NOT_START',
  money: 'open',
  quota: 99,
  submit_ms: 1000,
  finish_ms: 0,
  fail_reason: '',
  snapshot: JSON.stringify({ record: { ...record, attempts: [] }, price }),
};

function parts(isOpen = true) {
  const seen = {
    changed: [] as unknown[],
    ended: [] as Record<string, unknown>[],
    released: [] as unknown[],
    noted: [] as unknown[],
    warned: 0,
  };
  let row = { ...task };
  const made = {
    pollSeconds: 30,
    core: {
      ledger: { release: async (id: string) => void seen.released.push(id) },
      log: { warn: () => (seen.warned += 1) },
    },
    rows: {
      change: async (id: number, change: unknown) => {
        seen.changed.push([id, change]);
        return isOpen;
      },
      end: async (_: number, change: Record<string, unknown>) => {
        seen.ended.push(change);
        row = { ...row, ...change };
      },
      find: async () => row,
      noteMoney: async (...told: unknown[]) => void seen.noted.push(told),
    },
  } as unknown as TaskParts;
  return { parts: made, seen };
}

const running = { task, record, platform: {} as Platform } as unknown as Running;

test('a task that was taken has the id, the channel and the attempts, and is asked for later', async () => {
  const { parts: given, seen } = parts();
  const now = Date.now() / 1000;
  const accepted = await acceptTask(given, running, { task_id: 'theirs', progress: '5%' });
  expect(accepted).toMatchObject({
    id: 5,
    task_id: 'theirs',
    status: 'SUBMITTED',
    channel_id: 10,
    progress: '5%',
  });
  expect(seen.changed).toEqual([
    [5, expect.objectContaining({ task_id: 'theirs', status: 'SUBMITTED', channel_id: 10, progress: '5%' })],
  ]);
  expect(JSON.parse(accepted.snapshot)).toEqual({
    record,
    price: JSON.parse(JSON.stringify(price)) as unknown,
  });
  expect(accepted.next_poll_at - now).toBeGreaterThan(28);
  expect(accepted.next_poll_at - now).toBeLessThan(90);
  expect(acceptTask(parts(false).parts, running, { task_id: 'theirs' })).rejects.toThrow('upstream_timeout');
});

test('one that was refused fails with the reason, and its hold is released; one that may have been taken says so', async () => {
  const failure = { kind: 'bad_request', status: 400, error: { message: 'too long' } };
  const { parts: given, seen } = parts();
  const fail = (more: object) =>
    failSubmission(
      given,
      running,
      { ...failure, ...more } as unknown as Parameters<typeof failSubmission>[2],
      24,
    );
  await fail({});
  expect(seen.ended).toMatchObject([
    { status: 'FAILURE', code: 24, channel_id: 10, fail_reason: expect.stringContaining('too long') },
  ]);
  expect(Number(seen.ended[0]?.['finish_ms'])).toBeGreaterThan(1000);
  expect([seen.released, seen.noted, seen.warned]).toEqual([
    ['hold-5'],
    [[5, { money: 'released', quota: 99 }]],
    0,
  ]);
  const unconfirmed = await fail({ mayHaveArrived: true, error: {}, status: 504 });
  expect([unconfirmed.code, unconfirmed.status, seen.warned]).toEqual(['submission_unconfirmed', 504, 1]);
  expect(String(seen.ended[1]?.['fail_reason'])).toContain('taskUnconfirmed');
  await fail({ error: {} });
  expect(seen.ended[2]).toMatchObject({ fail_reason: 'bad_request' });
});
