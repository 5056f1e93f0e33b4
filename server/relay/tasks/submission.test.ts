// A submission from the request to its answer: what its row and its hold say, in which order they are made, which channels are asked,
// and that each channel that counted as busy is free afterwards. The figures of the two callers and channels differ in every place.
import { describe, expect, test } from 'bun:test';
import { noPrices, resolvePrice } from '#server/money/prices/price.ts';
import type { RequestClass } from '#contract/money/price-rules.ts';
import { usageOf } from '#server/money/prices/usage.ts';
import type { Caller } from '#server/relay/caller/authenticate.ts';
import type { Incoming } from '#server/relay/caller/incoming.ts';
import { createBreaker } from '#server/relay/channel-choice/breaker.ts';
import type { Channel } from '#server/relay/channel-choice/catalog.ts';
import { RelayError } from '#server/relay/errors/relay-error.ts';
import type { UpstreamFailure } from '#server/relay/errors/upstream-failure.ts';
import type { TaskParts } from './parts.ts';
import type { Platform } from './platform.ts';
import { submitTask, type Asked, type Exchange, type Sent } from './submit.ts';

const settings = {
  ...noPrices,
  GroupRatio: { plain: 2, gold: 3 },
  ModelPrice: { song: 0.01, other: 0.05 },
  ModelRatio: { counted: 4 },
  RetryTimes: 5,
  SiteTimeZone: 'UTC',
  AutomaticDisableChannelEnabled: false,
  AutomaticDisableKeywords: [],
};
const channelOf = (id: number, more: Partial<Channel> = {}) =>
  ({
    id,
    name: `channel ${id}`,
    key: 'secret',
    isEnabled: true,
    maxConcurrency: 0,
    refusedFormats: new Set(),
    provider: { speaks: ['suno'] },
    ...more,
  }) as unknown as Channel;
const caller: Caller = {
  userId: 7,
  username: 'ann',
  tokenId: 8,
  tokenName: 'key',
  group: 'plain',
  models: undefined,
  channelId: undefined,
  rateLimitMessage: '',
  organization: { memberId: 17, projectId: 18, serviceAccountId: 0 },
} as unknown as Caller;
const refusedBy = (more: Partial<UpstreamFailure> = {}): Sent<string> => ({
  status: 500,
  failure: {
    kind: 'http',
    status: 500,
    rawStatus: 500,
    error: { message: 'out of order' },
    retryAfterSeconds: 0,
    isAccountFault: false,
    ...more,
  },
});
const taken: Sent<string> = { answer: 'theirs', status: 201 };

interface World {
  /** By channel. */
  answers?: Record<number, Sent<string> | Error>;
  channels?: Channel[];
  /** The groups that each channel serves; without one both. */
  groups?: Record<number, string[]>;
  refusal?: object | Error;
  words?: string[];
}

function world({
  answers = {},
  channels = [channelOf(31), channelOf(32)],
  groups = {},
  refusal,
  words = [],
}: World) {
  const steps: string[] = [];
  const inserted: Record<string, unknown>[] = [];
  const opened: Record<string, unknown>[] = [];
  const changed: unknown[][] = [];
  const ended: unknown[][] = [];
  const health: unknown[][] = [];
  let row: Record<string, unknown> = {};
  const breaker = createBreaker(() => 0);
  const busy = new Map<number, number>();
  const counted = {
    ...breaker,
    begin(id: number, model?: string) {
      busy.set(id, (busy.get(id) ?? 0) + 1);
      breaker.begin(id, model);
    },
    end(id: number) {
      busy.set(id, (busy.get(id) ?? 0) - 1);
      breaker.end(id);
    },
    succeeded: (...args: unknown[]) => void steps.push(`succeeded ${args.join(' ')}`),
  };
  const tiersOf = (group: string, model: string) =>
    ['song', 'origin', 'counted'].includes(model)
      ? channels
          .filter(({ id }) => groups[id]?.includes(group) ?? true)
          .map((channel) => [{ channel, weight: 1 }])
      : [];
  const parts = {
    pollSeconds: 30,
    core: {
      settings: { current: settings },
      prices: {
        resolve: (model: string, group: string) => resolvePrice(settings, () => undefined, model, group),
      },
      catalog: {
        current: {
          tiers: tiersOf,
          channel: (id: number) => channels.find((each) => each.id === id),
          isOffered: () => true,
        },
      },
      orders: { of: (tiers: unknown) => tiers },
      breaker: counted,
      health: { answered: (...args: unknown[]) => void health.push(args) },
      guard: { failed: () => {} },
      filter: { find: (text: string) => words.filter((word) => text.includes(word)) },
      budgets: {
        attribute: (_: unknown, model: string, tags: () => object) => ({
          budgets: `5,6 of ${model}`,
          tags: JSON.stringify(tags()),
        }),
        refusing: async () => undefined,
      },
      ledger: {
        open: async (request: Record<string, unknown>) => {
          steps.push('hold');
          opened.push(request);
          if (refusal instanceof Error) throw refusal;
          return refusal ?? { ok: true };
        },
        release: async (id: string) => void steps.push(`release ${id}`),
      },
      log: { warn: () => {} },
    },
    rows: {
      insert: async (values: Record<string, unknown>) => {
        steps.push('insert');
        inserted.push(values);
        row = { id: 5, money: 'open', finish_ms: 0, task_id: '', fail_reason: '', ...values };
        return row;
      },
      remove: async (id: number) => void steps.push(`remove ${id}`),
      change: async (id: number, change: Record<string, unknown>) => {
        steps.push(`change ${id}`);
        changed.push([id, change]);
        return true;
      },
      end: async (id: number, change: Record<string, unknown>) => {
        ended.push([id, change]);
        row = { ...row, ...change };
        return true;
      },
      find: async () => row,
      noteMoney: async () => {},
    },
  } as unknown as TaskParts;
  const incoming = {
    requestId: 'request-1',
    address: '10.0.0.9',
    request: new Request('http://x/', { headers: { 'Tollgate-Tags': 'team=x' } }),
  } as unknown as Incoming;
  const exchange: Exchange<string> = {
    async send({ id }, { record }) {
      steps.push(`send ${id}`);
      expect(record.channelId).toBe(id);
      const answer = answers[id] ?? taken;
      if (answer instanceof Error) throw answer;
      return answer;
    },
    accept: async ({ record, task }, answer) =>
      Response.json({ answer, attempts: record.attempts, channel: record.channelId, task: task.id }),
    refuse: (_, error, code) => Response.json({ refused: error.code, code: code ?? null }),
  };
  const submit = async (more: Partial<Asked> = {}, as: Partial<Caller> = {}) => {
    const asked: Asked = {
      platform: { name: 'suno', format: 'suno' } as unknown as Platform,
      incoming,
      caller: { ...caller, ...as },
      action: 'MUSIC',
      model: 'song',
      path: '/suno/submit/music',
      body: { prompt: 'of gates' },
      prompt: 'of gates',
      origin: undefined,
      mayRetry: true,
      deadlineSeconds: 600,
      ...more,
    };
    const response = await submitTask(parts, asked, exchange);
    return (await response.json()) as Record<string, unknown>;
  };
  const stillBusy = () => [...busy.values()].filter((running) => running !== 0);
  return { submit, steps, inserted, opened, changed, ended, health, stillBusy, incoming };
}

const codeOf = (promise: Promise<unknown>) =>
  promise.then(
    () => 'done',
    (error: unknown) => (error instanceof RelayError ? error.code : String(error)),
  );
const CHARGE = 0.01 * 500_000 * 2;
const seconds = () => Date.now() / 1000;

describe('a submission', () => {
  test('has its row before its hold, both of the caller, and nothing is sent before', async () => {
    const { submit, steps, inserted, opened, stillBusy, health, incoming } = world({});
    const began = seconds();
    expect(await submit({ columns: { properties: 'p' } })).toMatchObject({
      answer: 'theirs',
      channel: 31,
      task: 5,
    });
    expect(steps).toEqual(['insert', 'hold', 'send 31', 'succeeded 31 song']);
    expect(health).toEqual([[31]]);
    expect(stillBusy()).toEqual([]);
    expect(incoming.model).toBe('song');
    const [row] = inserted;
    expect(row).toMatchObject({
      hold_id: 'request-1',
      platform: 'suno',
      action: 'MUSIC',
      model: 'song',
      user_id: 7,
      username: 'ann',
      token_id: 8,
      member_id: 17,
      project_id: 18,
      group: 'plain',
      channel_id: 31,
      status: 'NOT_START',
      progress: '0%',
      prompt: 'of gates',
      quota: CHARGE,
      properties: 'p',
    });
    const at = (name: string) => Number(row?.[name]);
    expect(at('submit_ms') / 1000).toBeGreaterThanOrEqual(Math.floor(began));
    expect(at('deadline_at') - began).toBeGreaterThan(598);
    expect(at('deadline_at') - seconds()).toBeLessThan(601);
    // While it is being sent no other node asks for it.
    expect(at('next_poll_at') - began).toBeGreaterThan(60);
    const { record, price } = JSON.parse(String(row?.['snapshot'])) as Record<
      string,
      Record<string, unknown>
    >;
    expect(record).toMatchObject({
      model: 'song',
      upstreamModel: 'song',
      channelId: 31,
      channelName: 'channel 31',
      address: '10.0.0.9',
      path: '/suno/submit/music',
      isStream: false,
      isWebSocket: false,
      reasoningEffort: '',
      attempts: [],
      tags: '{"team":"x"}',
    });
    expect(price).toMatchObject({ group: 'plain', groupRatio: 2 });
    expect(opened).toMatchObject([
      {
        requestId: 'request-1',
        userId: 7,
        tokenId: 8,
        amount: CHARGE,
        budgets: '5,6 of song',
        lifetime: 'task',
      },
    ]);
    expect(opened[0]?.['plans']).toBeUndefined();
  });

  test('of a person counts in no member and no project, and takes no budget', async () => {
    const { submit, inserted, opened } = world({});
    await submit({}, { organization: undefined });
    expect(inserted[0]).toMatchObject({ member_id: 0, project_id: 0 });
    expect(opened[0]).toMatchObject({ budgets: '' });
  });

  test('that is priced by what it may use is held for the estimate, in its class', async () => {
    const { submit, inserted, opened } = world({});
    const estimate = usageOf({ output: 300 });
    await submit({ model: 'counted', estimate, requestClass: 'batch' as RequestClass });
    // 300 tokens of output, ratio 4, in a group of 2.
    expect(opened).toMatchObject([{ amount: 2400 }]);
    const { record } = JSON.parse(String(inserted[0]?.['snapshot'])) as { record: { began: object } };
    expect(record.began).toMatchObject({ requestClass: 'batch' });
    const { at } = record.began as { at: number };
    expect(Math.abs(at - Date.now())).toBeLessThan(60_000);
    expect(await codeOf(world({}).submit({ model: 'counted' }))).toBe('no_price');
  });

  test.each([
    ['that the key may not make', {}, { models: new Set(['other']) }, 'model_not_allowed'],
    ['without a price', { model: 'free' }, {}, 'no_channel,no_price'],
    ['with a forbidden word', { prompt: 'a bad one' }, {}, 'sensitive_words'],
  ] as [string, Partial<Asked>, Partial<Caller>, string][])(
    '%s leaves nothing behind',
    async (_, asked, as, codes) => {
      const { submit, steps, stillBusy } = world({ words: ['bad'] });
      expect(codes.split(',')).toContain(await codeOf(submit(asked, as)));
      expect([steps, stillBusy()]).toEqual([[], []]);
    },
  );

  test('that the balance does not pay has no row and keeps no channel busy', async () => {
    const short = {
      ok: false,
      reason: 'insufficient_user_quota',
      subject: 'user',
      retryAfterSeconds: 0,
      balance: 1,
      available: 1,
    };
    const { submit, steps, stillBusy } = world({ refusal: short });
    expect(await codeOf(submit())).not.toBe('done');
    expect([steps, stillBusy()]).toEqual([['insert', 'hold', 'remove 5'], []]);
    const broken = world({ refusal: new Error('gone') });
    expect(await codeOf(broken.submit())).toBe('Error: gone');
    expect([broken.steps, broken.stillBusy()]).toEqual([['insert', 'hold', 'remove 5'], []]);
  });

  test('that a channel refuses goes to the next one, which is in the record and gets time of its own', async () => {
    const { submit, steps, changed, health, stillBusy } = world({ answers: { 31: refusedBy() } });
    const began = seconds();
    const { attempts, channel } = await submit();
    expect(channel).toBe(32);
    expect(attempts).toMatchObject([
      { channel: 31, status: 500, error: expect.stringContaining('out of order') },
      { channel: 32, status: 201 },
    ]);
    expect(steps).toEqual(['insert', 'hold', 'send 31', 'change 5', 'send 32', 'succeeded 32 song']);
    expect(changed).toHaveLength(1);
    const [id, { next_poll_at }] = changed[0] as [number, { next_poll_at: number }];
    expect(id).toBe(5);
    expect(next_poll_at - began).toBeGreaterThan(60);
    expect(health.map(([id]) => id)).toEqual([31, 32]);
    expect(stillBusy()).toEqual([]);
  });

  test('that every channel refuses fails with the last channel, and its hold is given back', async () => {
    const last = { ...refusedBy(), code: 24 };
    const { submit, steps, ended, stillBusy } = world({ answers: { 31: refusedBy(), 32: last } });
    expect(await submit()).toMatchObject({ refused: expect.any(String), code: 24 });
    expect(steps).toEqual(['insert', 'hold', 'send 31', 'change 5', 'send 32', 'release request-1']);
    expect(ended).toMatchObject([[5, { status: 'FAILURE', code: 24, channel_id: 32 }]]);
    expect(stillBusy()).toEqual([]);
  });

  test.each([
    ['that may have arrived', { 31: refusedBy({ mayHaveArrived: true }) }, {}],
    ['that may be sent once only', { 31: refusedBy() }, { mayRetry: false }],
    ['that continues another task', { 31: refusedBy() }, { origin: { channel_id: 31, model: 'origin' } }],
  ] as [string, World['answers'], Partial<Asked>][])(
    '%s is sent to one channel',
    async (_, answers, asked) => {
      const { submit, steps, stillBusy } = world({ answers: answers ?? {} });
      expect(await submit(asked)).toHaveProperty('refused');
      expect(steps).toEqual(['insert', 'hold', 'send 31', 'release request-1']);
      expect(stillBusy()).toEqual([]);
    },
  );

  test('that cannot be written for a channel keeps none busy', async () => {
    const { submit, stillBusy } = world({ answers: { 31: new Error('cannot be written') } });
    expect(await codeOf(submit())).toBe('Error: cannot be written');
    expect(stillBusy()).toEqual([]);
  });

  test('that continues another goes to the channel of that one, or is refused in its words', async () => {
    const origin = { channel_id: 32, model: 'origin' };
    const { submit, steps } = world({});
    await submit({ origin });
    expect(steps).toContain('send 32');
    const gone = { origin: { channel_id: 99, model: 'origin' } };
    expect(await codeOf(world({}).submit(gone))).toBe('task_channel_away');
    const away = { ...gone, originAway: new RelayError('video_action_unsupported', { action: 'x' }) };
    const refusing = world({});
    expect(await codeOf(refusing.submit(away))).toBe('video_action_unsupported');
    expect(refusing.steps).toEqual([]);
  });

  describe('of a subscriber', () => {
    const plan = (id: number, group: string) => ({
      id,
      group,
      startsAt: 0,
      endsAt: 2 ** 40,
      models: undefined,
    });
    const plans = (keepsGroup = false) => ({
      isWalletFirst: false,
      keepsGroup,
      list: [plan(41, 'gold')],
    });

    test('is priced, sent and noted in the group of the subscription that pays', async () => {
      const { submit, inserted, opened, steps } = world({ groups: { 31: ['plain'], 32: ['gold'] } });
      await submit({}, { plans: plans() });
      const charge = 0.01 * 500_000 * 3;
      expect(inserted[0]).toMatchObject({ group: 'gold', channel_id: 32, quota: charge });
      expect(opened[0]).toMatchObject({ amount: charge, plans: { ids: [41], isPlanFirst: true } });
      expect(steps).toContain('send 32');
    });

    test('that continues a task of the own group is paid from the balance, where the subscription’s group has not its channel', async () => {
      const { submit, inserted, opened } = world({ groups: { 31: ['plain'], 32: ['gold'] } });
      await submit({ origin: { channel_id: 31, model: 'origin' } }, { plans: plans() });
      expect(inserted).toMatchObject([{ group: 'plain', channel_id: 31, quota: CHARGE }]);
      expect(opened).toMatchObject([{ amount: CHARGE }]);
    });
  });
});
