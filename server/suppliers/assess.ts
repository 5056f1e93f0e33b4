// The job that turns counts into scores: reads all nodes' counts, judges, stores, notifies operators of a fall, and
// announces the channels when a weight changes.
import { builtInPrice } from '#server/money/prices/price-list/index.ts';
import { raiseNotice } from '#server/platform/notices/raise.ts';
import type { RunningSettings } from '#server/platform/settings/settings.ts';
import type { Transaction } from 'kysely';
import type { Flag, Row, Schema } from '#server/platform/store/schema.ts';
import type { Store } from '#server/platform/store/store.ts';
import { dayOf, readCounts } from './counts.ts';
import { probeFindings } from './probe-verdicts.ts';
import { judgedDays, scoreChannels, type ChannelScore } from './score.ts';
import { weightFactor } from '#server/relay/channel-choice/weight-factor.ts';

export interface AssessParts {
  store: Store;
  settings: {
    readonly current: Pick<
      RunningSettings,
      'SupplierAlertBelow' | 'SupplierDownWeightBelow' | 'SupplierDownWeightFactor'
    >;
  };
  /** Unix seconds. */
  now: () => number;
}

/** Prompt and answer together, so that one number orders models. */
export function listPriceOf(model: string): number | undefined {
  const price = builtInPrice(model);
  if (price?.input === undefined) return undefined;
  return price.input + (price.output ?? 0);
}

export async function assess(parts: AssessParts): Promise<void> {
  const { store } = parts;
  const today = dayOf(parts.now());
  const known = await store.db.selectFrom('supplier_scores').selectAll().execute();
  const trusted = new Set(known.filter(({ is_trusted }) => is_trusted === 1).map((row) => row.channel_id));
  const [cells, probesOf] = await Promise.all([
    readCounts(store, judgedDays(today)),
    probeFindings(store, trusted, parts.now()),
  ]);
  const scores = scoreChannels({ cells, today, trusted, priceOf: listPriceOf, probesOf });
  const before = new Map(known.map((row) => [row.channel_id, row]));
  let isWeightChanged = false;
  const judged = new Set(scores.map(({ channelId }) => channelId));
  // Without traffic in the last week an old score says nothing any more.
  const idle = known.filter((row) => row.score !== null && !judged.has(row.channel_id));
  for (const { channel_id } of idle)
    scores.push({ channelId: channel_id, score: null, answers: 0, models: [] });
  for (const score of scores) {
    const row = before.get(score.channelId);
    if (await keepScore(parts, row, score)) isWeightChanged = true;
  }
  if (isWeightChanged) await store.changes.announce('channels');
}

/** True when the channel's weight changes. */
async function keepScore(
  { store, settings: { current }, now }: AssessParts,
  row: Row<'supplier_scores'> | undefined,
  { channelId, score, answers, models }: ChannelScore,
): Promise<boolean> {
  const isLow = score !== null && score < current.SupplierAlertBelow;
  // A low score is announced once, and again after it was no longer low.
  const alertedAt = !isLow ? 0 : row?.alerted_at || now();
  await store.db.transaction().execute(async (transaction) => {
    const values = {
      score,
      answers,
      computed_at: now(),
      alerted_at: alertedAt,
      models: JSON.stringify(models),
    };
    await transaction
      .insertInto('supplier_scores')
      .values({ channel_id: channelId, ...values })
      .onConflict((conflict) => conflict.column('channel_id').doUpdateSet(values))
      .execute();
    if (!isLow || (row?.alerted_at ?? 0) > 0) return;
    const channel = await transaction
      .selectFrom('channels')
      .select('name')
      .where('id', '=', channelId)
      .executeTakeFirst();
    const [worst] = models;
    await raiseNotice(transaction, {
      event: 'supplier_score_low',
      values: {
        channel_id: channelId,
        channel_name: channel?.name ?? '',
        model: worst?.model ?? '',
        score,
        signals: worst?.findings.map(({ signal }) => signal) ?? [],
      },
      onceKey: `supplier_score_low:${channelId}:${alertedAt}`,
    });
  });
  return weightFactor(current, row?.score ?? null) !== weightFactor(current, score);
}

/** Others of the same model are compared with a trusted channel, and it is not judged itself. */
export async function setTrusted(
  transaction: Transaction<Schema>,
  channelId: number,
  isTrusted: boolean,
): Promise<void> {
  const is_trusted: Flag = isTrusted ? 1 : 0;
  await transaction
    .insertInto('supplier_scores')
    .values({ channel_id: channelId, is_trusted, score: null })
    .onConflict((conflict) => conflict.column('channel_id').doUpdateSet({ is_trusted }))
    .execute();
}
