// Comparisons and their samples as the console reads them. The texts of samples are opened in texts.ts alone.
import { CHANNEL_STATUS } from '#contract/relay/channel-fields.ts';
import {
  SHADOW_DROPS,
  type ShadowPage,
  type ShadowSample,
  type ShadowSide,
  type ShadowSideSummary,
  type ShadowView,
} from '#contract/relay/shadow-calls.ts';
import { unixSeconds } from '#contract/time.ts';
import { shadowFieldsOf } from '#server/relay/shadow-calls/book.ts';
import { dayOf } from '#server/relay/shadow-calls/spending.ts';
import type { Row } from '#server/platform/store/schema.ts';
import type { SettingsReader } from '#server/platform/settings/settings.ts';
import type { Store } from '#server/platform/store/store.ts';

export interface ShadowDependencies {
  store: Store;
  settings: SettingsReader;
}

const COUNTS = ['made', 'failed', ...SHADOW_DROPS] as const;

export async function viewsOf(
  { store: { db }, settings }: ShadowDependencies,
  rows: readonly Row<'shadows'>[],
): Promise<ShadowView[]> {
  if (rows.length === 0) return [];
  const ids = rows.map(({ id }) => id);
  const day = dayOf(settings.current.SiteTimeZone, unixSeconds());
  const [counts, days, served] = await Promise.all([
    db.selectFrom('shadow_counts').selectAll().where('shadow_id', 'in', ids).execute(),
    db
      .selectFrom('shadow_days')
      .select(['shadow_id', 'spent'])
      .where('shadow_id', 'in', ids)
      .where('day', '=', day)
      .execute(),
    db
      .selectFrom('abilities')
      .innerJoin('channels', 'channels.id', 'abilities.channel_id')
      .select('abilities.model')
      .distinct()
      .where('channels.deleted_at', 'is', null)
      .where('channels.status', '=', CHANNEL_STATUS.enabled)
      .where('abilities.model', 'in', [...new Set(rows.map(({ target_model }) => target_model))])
      .execute(),
  ]);
  const models = new Set(served.map(({ model }) => model));
  return rows.map((row) => {
    const { id, created_at, updated_at, target_model } = row;
    const own = counts.find(({ shadow_id }) => shadow_id === id);
    return {
      ...shadowFieldsOf(row),
      id,
      created_at,
      updated_at,
      kept: own?.kept ?? 0,
      spent_today: days.find(({ shadow_id }) => shadow_id === id)?.spent ?? 0,
      counts: Object.fromEntries(COUNTS.map((name) => [name, own?.[name] ?? 0])) as ShadowView['counts'],
      is_unserved: !models.has(target_model),
    };
  });
}

export const answeredSide = (row: Omit<Row<'shadow_samples'>, 'texts'>): ShadowSide => ({
  model: row.model,
  channel_id: row.channel_id,
  first_token_ms: row.first_token_ms,
  time_ms: row.time_ms,
  prompt_tokens: row.prompt_tokens,
  completion_tokens: row.completion_tokens,
  cost: row.cost,
  ending: row.ending,
});

export const copiedSide = (row: Omit<Row<'shadow_samples'>, 'texts'>): ShadowSide => ({
  model: row.copy_model,
  channel_id: row.copy_channel_id,
  first_token_ms: row.copy_first_token_ms,
  time_ms: row.copy_time_ms,
  prompt_tokens: row.copy_prompt_tokens,
  completion_tokens: row.copy_completion_tokens,
  cost: row.copy_cost,
  ending: row.copy_ending,
});

const COLUMNS = [
  'id',
  'shadow_id',
  'request_id',
  'user_id',
  'created_at',
  'group',
  'is_stream',
  'model',
  'channel_id',
  'first_token_ms',
  'time_ms',
  'prompt_tokens',
  'completion_tokens',
  'cost',
  'ending',
  'copy_model',
  'copy_channel_id',
  'copy_first_token_ms',
  'copy_time_ms',
  'copy_prompt_tokens',
  'copy_completion_tokens',
  'copy_cost',
  'copy_ending',
] as const;

/** An answer that ended as it should, or at the limit of the copy. */
export const WHOLE_ENDINGS = ['complete', 'length'];
export const SAMPLES_AT_ONCE = 50;

export interface SampleQuery {
  readonly shadowId: number;
  readonly outcome?: 'all' | 'answered' | 'failed';
  readonly before?: number | undefined;
  readonly ids?: readonly number[] | undefined;
}

/** The newest first, and one more than are shown. */
export function selectSamples({ db }: Store, { shadowId, outcome = 'all', before, ids }: SampleQuery) {
  return db
    .selectFrom('shadow_samples')
    .select(COLUMNS)
    .where('shadow_id', '=', shadowId)
    .$if(before !== undefined, (query) => query.where('id', '<', before ?? 0))
    .$if(ids !== undefined, (query) => query.where('id', 'in', ids ?? []))
    .$if(outcome === 'answered', (query) => query.where('copy_ending', 'in', WHOLE_ENDINGS))
    .$if(outcome === 'failed', (query) => query.where('copy_ending', 'not in', WHOLE_ENDINGS))
    .orderBy('id', 'desc')
    .limit(SAMPLES_AT_ONCE + 1);
}

export async function samplesOf(
  { db }: Store,
  rows: readonly Omit<Row<'shadow_samples'>, 'texts'>[],
): Promise<ShadowSample[]> {
  const ids = [...new Set(rows.map(({ user_id }) => user_id))];
  const users =
    ids.length === 0
      ? []
      : await db.selectFrom('users').select(['id', 'username']).where('id', 'in', ids).execute();
  return rows.map((row) => ({
    id: row.id,
    request_id: row.request_id,
    user_id: row.user_id,
    username: users.find(({ id }) => id === row.user_id)?.username ?? '',
    group: row.group,
    created_at: row.created_at,
    is_stream: row.is_stream === 1,
    answered: answeredSide(row),
    copied: copiedSide(row),
  }));
}

export async function summaryOf({ db }: Store, shadowId: number): Promise<ShadowPage['summary']> {
  const rows = await db
    .selectFrom('shadow_samples')
    .select(COLUMNS)
    .where('shadow_id', '=', shadowId)
    .execute();
  return {
    samples: rows.length,
    answered: summaryOfSide(rows.map(answeredSide)),
    copied: summaryOfSide(rows.map(copiedSide)),
  };
}

export function summaryOfSide(sides: readonly ShadowSide[]): ShadowSideSummary {
  const whole = sides.filter(({ ending }) => WHOLE_ENDINGS.includes(ending));
  const firsts = whole.flatMap(({ first_token_ms }) => (first_token_ms > 0 ? [first_token_ms] : []));
  const times = whole.map(({ time_ms }) => time_ms);
  const costs = whole.flatMap(({ cost }) => (cost === null ? [] : [cost]));
  return {
    median_first_token_ms: quantile(firsts, 0.5),
    p95_first_token_ms: quantile(firsts, 0.95),
    median_time_ms: quantile(times, 0.5),
    p95_time_ms: quantile(times, 0.95),
    mean_cost: costs.length === 0 ? null : costs.reduce((sum, cost) => sum + cost, 0) / costs.length,
    known_costs: costs.length,
    failed: sides.length - whole.length,
  };
}

/** The smallest value that so large a part does not exceed. */
function quantile(values: readonly number[], part: number): number | null {
  const sorted = values.toSorted((left, right) => left - right);
  return sorted[Math.max(0, Math.ceil(sorted.length * part) - 1)] ?? null;
}
