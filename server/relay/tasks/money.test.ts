// What the ledger is told of a task: its hold, and once its end.
import { describe, expect, test } from 'bun:test';
import { LedgerUnavailableError, type ReserveRequest } from '#server/money/ledger/ledger.ts';
import { noPrices, resolvePrice, type PriceSnapshot } from '#server/money/prices/price.ts';
import { usageOf } from '#server/money/prices/usage.ts';
import type { RelayError } from '#server/relay/errors/relay-error.ts';
import type { Core } from '#server/relay/pipeline/core.ts';
import type { CallRecord } from '#server/relay/money/log-row.ts';
import { endHold, holdForTask, snapshotText, taskPrice } from './money.ts';
import type { Platform } from './platform.ts';
import type { Task, TaskRows } from './rows.ts';

const settings = {
  ...noPrices,
  GroupRatio: { g: 2 },
  ModelRatio: { m: 3 },
  ModelPrice: { p: 0.01, dear: 1e12 },
};
const priceOf = (model: string) => resolvePrice(settings, () => undefined, model, 'g') as PriceSnapshot;
const record = {
  caller: { userId: 7, tokenId: 8, username: 'ann', tokenName: 'key', group: 'g' },
  model: 'm',
  upstreamModel: 'theirs',
  channelId: 9,
  channelName: 'nine',
  address: '10.0.0.1',
  path: '/v1/videos',
  isStream: false,
  isWebSocket: false,
  reasoningEffort: '',
  attempts: [],
} as unknown as CallRecord;

function core(more: { suspense?: number; isLogged?: boolean; tokenStatus?: number; answer?: unknown } = {}) {
  const seen = {
    opened: [] as ReserveRequest[],
    settled: [] as [string, Record<string, unknown>][],
    released: [] as [string, Record<string, unknown>][],
    announced: [] as unknown[],
    doubted: [] as unknown[],
    errors: [] as unknown[],
    watched: [] as unknown[],
    costed: [] as unknown[],
    tokensAsked: [] as unknown[],
  };
  const query = {
    select: () => query,
    where: (...asked: unknown[]) => {
      seen.tokensAsked.push(asked);
      return query;
    },
    executeTakeFirst: async () => ({ status: more.tokenStatus ?? 1 }),
  };
  const made = {
    settings: { current: { LogConsumeEnabled: more.isLogged ?? true, SiteTimeZone: 'UTC' } },
    prices: { resolve: (model: string) => resolvePrice(settings, () => undefined, model, 'g') },
    catalog: { current: { isOffered: () => true } },
    ledger: {
      open: async (request: ReserveRequest) => {
        seen.opened.push(request);
        if (more.answer instanceof Error) throw more.answer;
        return more.answer ?? { ok: true };
      },
      settle: async (id: string, settlement: Record<string, unknown>) => {
        seen.settled.push([id, settlement]);
        return { suspense: more.suspense ?? 0 };
      },
      release: async (id: string, failure: Record<string, unknown>) => void seen.released.push([id, failure]),
    },
    costs: {
      costOf: (...asked: unknown[]) => {
        seen.costed.push(asked);
        return 12;
      },
    },
    usageAlerts: { doubted: (...told: unknown[]) => void seen.doubted.push(told) },
    log: { error: (...told: unknown[]) => void seen.errors.push(told) },
    store: {
      db: { selectFrom: () => query },
      changes: { announce: async (...told: unknown[]) => void seen.announced.push(told) },
    },
    budgets: { refusing: async () => ({ name: 'research', isTotal: true, resetsAt: 0 }) },
    watcher: { ended: (call: unknown) => void seen.watched.push(call) },
  } as unknown as Core;
  return { core: made, seen };
}

const task = (more: Partial<Task> = {}): Task =>
  ({
    id: 5,
    task_id: 'theirs-5',
    hold_id: 'hold-5',
    token_id: 8,
    channel_id: 10,
    model: 'm',
    action: 'generate',
    status: 'SUCCESS',
    money: 'open',
    quota: 99,
    submit_ms: 1000,
    finish_ms: 5000,
    fail_reason: '',
    snapshot: snapshotText(record, priceOf('m')),
    ...more,
  }) as unknown as Task;

async function end(found: Task | undefined, platform: Partial<Platform> = {}, given = core()) {
  const noted: unknown[] = [];
  const rows = {
    find: async (id: number) => (id === 5 ? found : undefined),
    noteMoney: async (...told: unknown[]) => void noted.push(told),
  } as unknown as TaskRows;
  await endHold(given.core, rows, platform as Platform, 5);
  return { ...given.seen, noted };
}

describe('the price of a task', () => {
  const moment = { at: 0 } as unknown as Parameters<typeof taskPrice>[3];
  const asked = (model: string, tokens?: number) =>
    taskPrice(
      core().core,
      model,
      'g',
      moment,
      tokens === undefined ? undefined : usageOf({ output: tokens }),
    );

  test('is fixed for a piece, or that of the estimated tokens', () => {
    expect(asked('p').charge).toBe(10_000);
    expect(asked('m', 100).charge).toBe(600);
    expect(() => asked('m')).toThrow(expect.objectContaining({ code: 'no_price' }));
  });

  test('is that of the dearest tier, which the upstream’s count may reach', () => {
    const given = core().core;
    const tiers = [{ above: 1000, input: 2, output: 5 }];
    const tiered = { ...given, prices: { resolve: () => ({ ...priceOf('m'), tiers }) } } as unknown as Core;
    expect(taskPrice(tiered, 'm', 'g', moment, usageOf({ output: 100 })).charge).toBe(3000);
  });

  test('past every amount is none', () => {
    expect(() => asked('dear')).toThrow(expect.objectContaining({ code: 'no_price' }));
  });
});

describe('the hold of a task', () => {
  const hold = { record, price: { price: priceOf('m'), charge: 600 }, plans: undefined, budgets: '3,4' };

  test('is of its caller, for a week, in the counters of its budgets', async () => {
    const { core: given, seen } = core();
    const before = Date.now() / 1000;
    await holdForTask(given, 'hold-5', hold);
    const [request] = seen.opened;
    expect(request).toMatchObject({
      requestId: 'hold-5',
      userId: 7,
      tokenId: 8,
      amount: 600,
      limits: { tokens: 0 },
      lifetime: 'task',
      budgets: '3,4',
      snapshot: { price: hold.price.price },
    });
    // The row that recovery writes is its caller's.
    expect(request?.snapshot?.log()).toMatchObject({
      user_id: 7,
      token_id: 8,
      model_name: 'm',
      channel_id: 9,
    });
    expect(request?.expiresAt).toBeGreaterThanOrEqual(before + 7 * 86_400);
    expect(request?.expiresAt).toBeLessThan(before + 7 * 86_400 + 60);
    const plans = { ids: [1], isPlanFirst: true, isRequired: false };
    await holdForTask(given, 'hold-6', { ...hold, plans });
    expect(seen.opened[1]?.plans).toEqual(plans);
  });

  test('that is refused says why, also which budget, and what the ledger cannot hold now is tried again', async () => {
    const refusal = { ok: false, subject: 'user', retryAfterSeconds: 0, balance: 1, available: 1 };
    const thrown: RelayError[] = [];
    const refused = (answer: unknown) =>
      holdForTask(core({ answer }).core, 'hold-5', hold).then(
        () => 'held',
        (error: RelayError) => {
          thrown.push(error);
          return error.code;
        },
      );
    expect(await refused({ ...refusal, reason: 'insufficient_user_quota' })).toBe('insufficient_quota');
    // The amount that it needs: 600 of 500,000 units.
    expect(JSON.stringify(thrown[0]?.parameters)).toContain('0.0012');
    const budget = { ...refusal, reason: 'organization_budget', counterId: 3 };
    expect(await refused(budget)).toBe('organization_budget_total');
    expect(await refused(new LedgerUnavailableError('away'))).toBe('unavailable');
    expect(thrown.at(-1)?.options.retryAfterSeconds).toBe(1);
    expect(holdForTask(core({ answer: new Error('x') }).core, 'h', hold)).rejects.toThrow('x');
  });
});

describe('a task that has ended', () => {
  test('is settled for what was used, at the price of its start, with the row of its log', async () => {
    const usage = usageOf({ input: 100, output: 50 });
    const doubts = [{ count: 'output', reported: 1, believed: 0 }] as unknown as ReturnType<
      NonNullable<Platform['doubtsOf']>
    >;
    const seen = await end(task(), {
      usageOf: () => usage,
      isEstimated: () => true,
      doubtsOf: () => doubts,
      callerId: () => 'ours-5',
    });
    expect(seen.noted).toEqual([[5, { money: 'settled', quota: 900 }]]);
    const [[id, settlement]] = seen.settled as [[string, Record<string, unknown>]];
    expect(id).toBe('hold-5');
    expect(settlement).toMatchObject({
      charge: 900,
      cost: 12,
      group: 'g',
      channelId: 10,
      modelName: 'm',
      promptTokens: 100,
      completionTokens: 50,
      useTimeMs: 4000,
      firstTokenMs: 0,
      log: { channel_id: 10, estimated: 1, user_id: 7, token_id: 8, use_time: 4 },
    });
    expect(JSON.parse((settlement['log'] as { other: string }).other)).toMatchObject({
      task_id: 'ours-5',
      action: 'generate',
      usage: { input: 100, output: 50 },
    });
    expect(seen.doubted).toEqual([['hold-5', expect.objectContaining({ channelId: 10 }), doubts]]);
    expect(seen.costed).toEqual([[expect.objectContaining({ channelId: 10 }), usage, false]]);
    expect(seen.watched).toEqual([
      expect.objectContaining({ requestId: 'hold-5', held: 99, milliseconds: 4000, charge: 900, ending: '' }),
    ]);
    expect([seen.announced, seen.errors, seen.released]).toEqual([[], [], []]);
    expect(seen.tokensAsked).toEqual([['id', '=', 8]]);
  });

  test('costs a piece where its platform does not say, and nothing where it failed', async () => {
    const piece = { snapshot: snapshotText(record, priceOf('p')) };
    const one = await end(task(piece));
    expect(one.noted).toEqual([[5, { money: 'settled', quota: 10_000 }]]);
    expect(one.settled[0]?.[1]).toMatchObject({ log: { estimated: 0 } });
    expect(one.doubted).toEqual([['hold-5', expect.anything(), []]]);
    const failed = await end(task({ ...piece, status: 'FAILURE', fail_reason: 'x'.repeat(600) }));
    expect(failed.noted).toEqual([[5, { money: 'released', quota: 99 }]]);
    expect(failed.settled).toEqual([]);
    const [[id, failure]] = failed.released as [[string, Record<string, unknown>]];
    expect([id, failure]).toMatchObject([
      'hold-5',
      { channelId: 10, modelName: 'm', useTimeMs: 4000, log: { type: 5, channel_id: 10 } },
    ]);
    expect((failure['log'] as { content: string }).content).toHaveLength(500);
    expect((failure['log'] as { other: string }).other).toContain('"task_id":"theirs-5"');
    expect(failed.watched).toEqual([expect.objectContaining({ ending: 'failed', charge: 0, held: 99 })]);
    // What a platform says counts for a failure too.
    const used = await end(task({ status: 'FAILURE' }), { usageOf: () => usageOf({ input: 1 }) });
    expect(used.noted).toEqual([[5, { money: 'settled', quota: 6 }]]);
    const unused = await end(task(), { usageOf: () => undefined });
    expect(unused.noted).toEqual([[5, { money: 'released', quota: 99 }]]);
  });

  test('ends its hold once, and no sooner', async () => {
    for (const other of [
      undefined,
      task({ status: 'IN_PROGRESS' }),
      task({ money: 'settled' }),
      task({ money: 'released' }),
    ]) {
      const { noted, settled, released } = await end(other, { usageOf: () => usageOf({ input: 1 }) });
      expect([noted, settled, released]).toEqual([[], [], []]);
    }
  });

  test('announces a key that it exhausted, tells what was not paid, and has no log where none is kept', async () => {
    const platform = { usageOf: () => usageOf({ input: 1 }) };
    const seen = await end(task(), platform, core({ tokenStatus: 4, suspense: 1, isLogged: false }));
    expect(seen.announced).toEqual([['tokens', '8']]);
    expect(seen.errors).toHaveLength(1);
    expect(seen.settled[0]?.[1]['log']).toBeNull();
    const early = await end(task({ finish_ms: 500 }), platform);
    expect(early.settled[0]?.[1]['useTimeMs']).toBe(0);
  });
});
