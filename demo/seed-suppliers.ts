// What the checks of suppliers have counted in the past week, and their judgement of it: the channel of the provider itself is
// trusted, most others are honest, and one counts more tokens than it is sent.
import { addEvidence, emptyCell, type Cell } from '#server/suppliers/cell.ts';
import { assess } from '#server/suppliers/assess.ts';
import { USER_GROUPS } from '#server/suppliers/collector.ts';
import { dayOf } from '#server/suppliers/counts.ts';
import { addTo } from '#server/suppliers/histogram.ts';
import type { RunningSettings } from '#server/platform/settings/settings.ts';
import type { Store } from '#server/platform/store/store.ts';
import { CHANNELS, type DemoChannel } from './users.ts';
import { createRandom, type Random } from './random.ts';

const DAYS = 7;
const ROWS_PER_INSERT = 200;
/** Of each day, channel, model and group of users. */
const ANSWERS = { low: 6, high: 18 } as const;
const TRUSTED = 'openai-main';
/** Claims this many times the tokens of the prompts that it gets. */
const PADDING = { channel: 'openai-backup', model: 'gpt-5.4', factor: 1.35 } as const;
const NOT_CHECKED = /^text-embedding|^gpt-image/;

interface SupplierParts {
  store: Store;
  settings: { readonly current: RunningSettings };
  channelIds: ReadonlyMap<string, number>;
  /** Unix seconds. */
  now: number;
}

export async function bookSuppliers({ store, settings, channelIds, now }: SupplierParts): Promise<void> {
  const random = createRandom(72);
  const channels = CHANNELS.filter(({ at, hasBadKey }) => at === 'models' && hasBadKey !== true);
  const rows = [];
  for (const channel of channels)
    for (const model of channel.models.filter((each) => !NOT_CHECKED.test(each))) {
      const proofs = isPadded(channel, model) ? await requestIds(store, channelIds, model) : [];
      for (let ago = 0; ago < DAYS; ago += 1)
        for (let group = 0; group < USER_GROUPS; group += 1)
          rows.push({
            day: dayOf(now) - ago,
            channel_id: channelIds.get(channel.name) ?? 0,
            model,
            user_group: group,
            node_id: 'demo',
            counts: JSON.stringify(cellOf(random, channel, { model, proof: proofs.pop(), now })),
          });
    }
  for (let from = 0; from < rows.length; from += ROWS_PER_INSERT)
    await store.db
      .insertInto('supplier_counts')
      .values(rows.slice(from, from + ROWS_PER_INSERT))
      .execute();
  const trusted = channelIds.get(TRUSTED) ?? 0;
  await store.db
    .insertInto('supplier_scores')
    .values({ channel_id: trusted, is_trusted: 1, score: null })
    .execute();
  await assess({ store, settings, now: () => now });
}

const isPadded = ({ name }: DemoChannel, model: string): boolean =>
  name === PADDING.channel && model === PADDING.model;

interface Sample {
  model: string;
  /** The request id of a call that proves the padding. */
  proof: string | undefined;
  now: number;
}

function cellOf(random: Random, channel: DemoChannel, { model, proof, now }: Sample): Cell {
  const cell = emptyCell();
  const factor = isPadded(channel, model) ? PADDING.factor : 1;
  const count = Math.round(random.between(ANSWERS.low, ANSWERS.high));
  cell.answers = count;
  cell.named = count;
  cell.unmarked = count;
  for (let index = 0; index < count; index += 1) {
    addTo(cell.input_latin, factor * random.between(0.96, 1.06));
    addTo(cell.output_latin, random.between(0.95, 1.07));
    addTo(cell.firstToken, random.between(380, 900));
    addTo(cell.speed, random.between(55, 95));
  }
  if (proof !== undefined) {
    const counted = random.skewed(400, 6000);
    addEvidence(cell, {
      signal: 'input',
      requestId: proof,
      at: now - Math.round(random.between(600, 80_000)),
      claimed: Math.round(counted * factor),
      counted,
    });
  }
  return cell;
}

/** Calls of the padding channel, so that the report leads to rows of the log. */
async function requestIds(
  { db }: Store,
  channelIds: ReadonlyMap<string, number>,
  model: string,
): Promise<string[]> {
  const rows = await db
    .selectFrom('logs')
    .select('request_id')
    .where('channel_id', '=', channelIds.get(PADDING.channel) ?? 0)
    .where('model_name', '=', model)
    .orderBy('id', 'desc')
    .limit(10)
    .execute();
  return rows.map(({ request_id }) => request_id);
}
