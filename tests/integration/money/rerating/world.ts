// Fixtures of the tests of re-rating: price versions, calls with real log rows on any day, runs to their end, and prices
// computed without the product's arithmetic.
import { sql } from 'kysely';
import { PRICE_KEYS, pricesText, readPrices, type Prices } from '#contract/money/price-keys.ts';
import type { RerateCreate } from '#contract/money/rerating.ts';
import { settingOf } from '#contract/settings.ts';
import { withoutPause } from '#server/money/audit/breach.ts';
import { cappedChargeOf } from '#server/money/prices/charge.ts';
import { createPriceCache } from '#server/money/prices/price-cache.ts';
import { completionTokens, promptTokens, usageOf, type Usage } from '#server/money/prices/usage.ts';
import { consumeRow, type CallRecord } from '#server/relay/money/log-row.ts';
import {
  beginApplying,
  beginUndoing,
  continueRuns,
  createRun,
  ratingOn,
  type Run,
} from '#server/money/rerating/index.ts';
import type { Store } from '#server/platform/store/store.ts';
import { newId, reserve, type World } from '#tests/integration/money/ledger/world.ts';

export const DAY = 86_400;
export const HOUR = 3600;
export const nowSeconds = () => Math.floor(Date.now() / 1000);
/** The first second after the running hour: ranges of these tests end there, as if the hour were over. */
export const nextHour = () => nowSeconds() - (nowSeconds() % HOUR) + HOUR;

/** Ratios in hundredths, prices in hundred-thousandths of a dollar: whole numbers, so that the test computes exactly. */
export interface TestPrices {
  alpha: number;
  completion: number;
  cache: number;
  gamma: number;
  vip: number;
}

export const startPrices: TestPrices = { alpha: 100, completion: 400, cache: 50, gamma: 200, vip: 80 };

function pricesFor({ alpha, completion, cache, gamma, vip }: TestPrices): Prices {
  const defaults = Object.fromEntries(PRICE_KEYS.map((key) => [key, settingOf(key).fallback]));
  return readPrices(
    JSON.stringify({
      ...defaults,
      GroupRatio: { default: 1, vip: vip / 100 },
      ModelRatio: { alpha: alpha / 100, beta: 1 },
      CompletionRatio: { alpha: completion / 100, beta: 3 },
      CacheRatio: { alpha: cache / 100 },
      ModelPrice: { gamma: gamma / 100_000 },
    }),
  );
}

export async function addVersion({ db }: Store, prices: TestPrices): Promise<number> {
  const { id } = await db
    .insertInto('price_versions')
    .values({ effective_at: nowSeconds(), source: 'test', prices: pricesText(pricesFor(prices)) })
    .returning('id')
    .executeTakeFirstOrThrow();
  return id;
}

export interface TestCall {
  userId: number;
  tokenId: number;
  channelId: number;
  model: 'alpha' | 'beta' | 'gamma';
  group: 'default' | 'vip';
  usage: { input: number; output: number; cacheRead: number };
  /** Of an organization's call: what it is attributed to. */
  organization?: { memberId: number; projectId: number; tags: string };
}

/** Half a unit is rounded up, and no use is free. */
export function independentPrice(prices: TestPrices, { model, group, usage }: TestCall): number {
  const groupRatio = BigInt(group === 'vip' ? prices.vip : 100);
  if (model === 'gamma') return rounded(BigInt(prices.gamma) * 5n * groupRatio, 100n);
  const [ratio, completion, cache] =
    model === 'alpha' ? [prices.alpha, prices.completion, prices.cache] : [100, 300, 100];
  const hundredths =
    BigInt(usage.input) * 100n +
    BigInt(usage.cacheRead) * BigInt(cache) +
    BigInt(usage.output) * BigInt(completion);
  return rounded(hundredths * BigInt(ratio) * groupRatio, 1_000_000n);
}

function rounded(value: bigint, unit: bigint): number {
  return Number((value * 2n + unit) / (unit * 2n)) || 1;
}

export interface CallOptions {
  daysAgo?: number;
  /** Unix seconds in the past, instead of `daysAgo`. */
  at?: number;
  plans?: number[];
  /** Held before the call; a smaller hold than the charge can end in suspense. */
  hold?: number;
  version?: number;
  /** What the call costs the operator; null: unknown. */
  cost?: number | null;
  /** The counters of budgets that it counts in. */
  budgets?: string;
}

/** Settles the call as the relay does; resolves with its request id. */
export async function makeCall(
  world: Pick<World, 'ledger' | 'store'>,
  call: TestCall,
  prices: TestPrices,
  { daysAgo = 0, at, plans, hold = 1, version = 1, cost = null, budgets = '' }: CallOptions = {},
): Promise<string> {
  const usage: Usage = usageOf(call.usage);
  const price = createPriceCache({ ...pricesFor(prices), priceVersion: version }, () => undefined).resolve(
    call.model,
    call.group,
  );
  if (typeof price === 'string') throw new Error(price);
  const requestId = newId();
  const { admission } = await reserve(world.ledger, call.userId, call.tokenId, hold, {
    requestId,
    budgets,
    ...(plans === undefined ? {} : { plans: { ids: plans, isPlanFirst: true, isRequired: false } }),
  });
  if (!admission.ok) throw new Error(admission.reason);
  await world.ledger.settle(requestId, {
    charge: cappedChargeOf(price, usage),
    cost,
    group: call.group,
    channelId: call.channelId,
    modelName: call.model,
    promptTokens: promptTokens(usage),
    completionTokens: completionTokens(usage),
    useTimeMs: 100,
    firstTokenMs: 10,
    log: consumeRow(recordOf(call), {
      usage,
      price,
      estimated: false,
      useTimeMilliseconds: 100,
      firstTokenMilliseconds: 10,
      ending: '',
    }),
  });
  if (at !== undefined) await moveTo(world.store, requestId, at);
  else if (daysAgo > 0) await moveBack(world.store, requestId, daysAgo * DAY);
  return requestId;
}

function recordOf({ userId, tokenId, channelId, model, group, organization }: TestCall): CallRecord {
  return {
    caller: {
      userId,
      username: 'someone',
      role: 1,
      group,
      tokenId,
      tokenName: 'key',
      models: undefined,
      channelId: undefined,
      rateLimitMessage: '',
      isStrict: false,
      organization: organization && { id: userId, serviceAccountId: 0, ...organization },
    },
    tags: organization?.tags ?? '',
    model,
    upstreamModel: model,
    channelId,
    channelName: 'channel',
    address: '127.0.0.1',
    path: '/v1/chat/completions',
    isStream: false,
    isWebSocket: false,
    reasoningEffort: '',
    attempts: [{ channel: channelId, status: 200, milliseconds: 100 }],
  };
}

/** The tests write calls into the past; the trigger of the append-only ledger would refuse it. */
export async function allowThePast({ db, dialect }: Store): Promise<void> {
  await (dialect === 'sqlite'
    ? sql`drop trigger ledger_no_update`.execute(db)
    : sql`drop trigger ledger_no_change on ledger`.execute(db));
}

async function moveTo(store: Store, requestId: string, at: number): Promise<void> {
  const { created_at } = await store.db
    .selectFrom('logs')
    .select('created_at')
    .where('request_id', '=', requestId)
    .executeTakeFirstOrThrow();
  await moveBack(store, requestId, created_at - at);
}

/** Moves a call with its sums into the past. */
export async function moveBack({ db }: Store, requestId: string, seconds: number): Promise<void> {
  await db.transaction().execute(async (transaction) => {
    const {
      id,
      created_at,
      quota,
      cost,
      group,
      user_id,
      token_id,
      channel_id,
      model_name,
      prompt_tokens,
      completion_tokens,
    } = await transaction
      .selectFrom('logs')
      .selectAll()
      .where('request_id', '=', requestId)
      .executeTakeFirstOrThrow();
    await sql`update ledger set created_at = created_at - ${seconds}
      where idem = ${requestId} or idem like ${`${requestId}:%`}`.execute(transaction);
    await sql`update logs set created_at = ${created_at - seconds} where id = ${id} and created_at = ${created_at}`.execute(
      transaction,
    );
    const known = cost === null ? 0 : 1;
    const moved = created_at - seconds;
    for (const [at, sign] of [
      [created_at - (created_at % DAY), -1],
      [moved - (moved % DAY), 1],
    ] as const)
      await sql`insert into margin_days (day, channel_id, model_name, "group", user_id, count, quota, cost, costed_count,
          costed_quota)
        values (${at}, ${channel_id}, ${model_name}, ${group}, ${user_id}, ${sign}, ${sign * quota},
          ${sign * (cost ?? 0)}, ${sign * known}, ${sign * known * quota})
        on conflict (day, channel_id, model_name, "group", user_id) do update set
          count = margin_days.count + excluded.count, quota = margin_days.quota + excluded.quota,
          cost = margin_days.cost + excluded.cost, costed_count = margin_days.costed_count + excluded.costed_count,
          costed_quota = margin_days.costed_quota + excluded.costed_quota`.execute(transaction);
    const key = sql`${user_id}, ${token_id}, ${channel_id}, ${model_name}`;
    for (const [at, sign] of [
      [created_at - (created_at % HOUR), -1],
      [moved - (moved % HOUR), 1],
    ] as const)
      await sql`insert into usage_hours (hour, user_id, token_id, channel_id, model_name, count, quota, prompt_tokens,
          completion_tokens)
        values (${at}, ${key}, ${sign}, ${sign * quota}, ${sign * prompt_tokens}, ${sign * completion_tokens})
        on conflict (hour, user_id, token_id, channel_id, model_name) do update set
          count = usage_hours.count + excluded.count, quota = usage_hours.quota + excluded.quota,
          prompt_tokens = usage_hours.prompt_tokens + excluded.prompt_tokens,
          completion_tokens = usage_hours.completion_tokens + excluded.completion_tokens`.execute(
        transaction,
      );
  });
}

export interface WorkOptions {
  /** After each transaction that books. */
  onBooked?: () => void;
  /** After the run was read. */
  beforeRating?: () => Promise<void>;
  /** Between the reading of calls and the writing of their figures or notes. */
  afterRating?: () => Promise<void>;
  signal?: AbortSignal;
}

/** What the job does, without its thread. */
export async function work(
  store: Store,
  {
    onBooked = () => {},
    beforeRating = async () => {},
    afterRating = async () => {},
    signal,
  }: WorkOptions = {},
): Promise<void> {
  await continueRuns(
    {
      store,
      openRating: async () => {
        await beforeRating();
        const rating = ratingOn(await store.openReader(), withoutPause);
        return {
          ...rating,
          async rateDay(...asked) {
            const figures = await rating.rateDay(...asked);
            await afterRating();
            return figures;
          },
          async rateUser(...asked) {
            const calls = await rating.rateUser(...asked);
            await afterRating();
            return calls;
          },
        };
      },
      sumHours: async () => {},
      rest: async () => onBooked(),
    },
    signal ?? new AbortController().signal,
  );
}

export async function dryRun(
  store: Store,
  terms: Partial<RerateCreate> & { version_id: number },
  options: WorkOptions = {},
): Promise<Run> {
  const to_at = nextHour();
  const run = await store.db.transaction().execute((transaction) =>
    createRun(
      transaction,
      store.dialect,
      {
        from_at: to_at - 40 * DAY,
        to_at,
        models: [],
        groups: [],
        charged_version: 0,
        reason: 'the price was wrong',
        ...terms,
      },
      { createdBy: 1, now: to_at },
    ),
  );
  await work(store, options);
  return await readRun(store, run.id);
}

export const readRun = ({ db }: Store, id: number): Promise<Run> =>
  db.selectFrom('rerate_runs').selectAll().where('id', '=', id).executeTakeFirstOrThrow();

export const beginApply = (store: Store, run: Run): Promise<Run> =>
  store.db
    .transaction()
    .execute((transaction) =>
      beginApplying(transaction, store.dialect, { id: run.id, actorId: 1, seen: run }),
    );

export const beginUndo = (store: Store, id: number): Promise<Run> =>
  store.db
    .transaction()
    .execute((transaction) =>
      beginUndoing(transaction, store.dialect, { id, actorId: 1, reason: 'taken back' }),
    );

export async function apply(store: Store, run: Run): Promise<Run> {
  await beginApply(store, run);
  await work(store);
  return await readRun(store, run.id);
}

export async function undo(store: Store, id: number): Promise<Run> {
  const run = await beginUndo(store, id);
  await work(store);
  return await readRun(store, run.id);
}

/** The operator's loss on this user, and what the tables say that the user used. */
export async function totalsOf({ db }: Store, userId: number) {
  const { rows } = await sql<
    Record<'suspense' | 'logged' | 'hours' | 'used' | 'quota' | 'held', number>
  >`select
    (select coalesce(sum(case when debit_account = 'suspense' then amount when credit_account = 'suspense' then -amount
      else 0 end), 0) from ledger where user_id = ${userId}) as suspense,
    (select coalesce(sum(quota), 0) from logs where user_id = ${userId} and type = 2) as logged,
    (select coalesce(sum(quota), 0) from usage_hours where user_id = ${userId}) as hours,
    used_quota as used, quota, held_quota as held from users where id = ${userId}`.execute(db);
  const [row] = rows;
  if (row === undefined) throw new Error('no such user');
  return row;
}

interface DaySum {
  day: number;
  channel_id: number;
  model_name: string;
  group: string;
  user_id: number;
  count: number;
  quota: number;
  cost: number;
  costed_count: number;
  costed_quota: number;
}

/** The sums of margins as they are kept, and as the log rows say. */
export async function marginSums({ db }: Store): Promise<{ kept: DaySum[]; logged: DaySum[] }> {
  const kept =
    await sql<DaySum>`select day, channel_id, model_name, "group", user_id, count, quota, cost, costed_count,
      costed_quota
    from margin_days where count <> 0 or quota <> 0 or cost <> 0 or costed_count <> 0 or costed_quota <> 0
    order by 1, 2, 3, 4, 5`.execute(db);
  const logged =
    await sql<DaySum>`select created_at - created_at % ${sql.lit(DAY)} as day, channel_id, model_name, "group",
      user_id, count(*) as count, sum(quota) as quota, coalesce(sum(cost), 0) as cost, count(cost) as costed_count,
      sum(case when cost is null then 0 else quota end) as costed_quota
    from logs where type = 2 group by 1, 2, 3, 4, 5 order by 1, 2, 3, 4, 5`.execute(db);
  return { kept: kept.rows, logged: logged.rows };
}

interface HourSum {
  hour: number;
  user_id: number;
  token_id: number;
  channel_id: number;
  model_name: string;
  count: number;
  quota: number;
  prompt_tokens: number;
  completion_tokens: number;
}

/** The figures of the hours by user, token, channel and model, as they are kept, and as the log rows say. */
export async function hourSums({ db }: Store): Promise<{ kept: HourSum[]; logged: HourSum[] }> {
  const kept =
    await sql<HourSum>`select hour, user_id, token_id, channel_id, model_name, count, quota, prompt_tokens,
      completion_tokens
    from usage_hours where count <> 0 or quota <> 0 or prompt_tokens <> 0 or completion_tokens <> 0
    order by 1, 2, 3, 4, 5`.execute(db);
  const logged =
    await sql<HourSum>`select created_at - created_at % ${sql.lit(HOUR)} as hour, user_id, token_id,
      channel_id, model_name, count(*) as count, sum(quota) as quota, sum(prompt_tokens) as prompt_tokens,
      sum(completion_tokens) as completion_tokens
    from logs where type = 2 group by 1, 2, 3, 4, 5 order by 1, 2, 3, 4, 5`.execute(db);
  return { kept: kept.rows, logged: logged.rows };
}
