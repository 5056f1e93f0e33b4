// What past calls left beside the money: attempts of each channel by the hour, its last error, and refused calls.
import { firstTokenClass } from '#contract/relay/channel-health.ts';
import { HOUR_SECONDS } from '#contract/time.ts';
import type { NewRow } from '#server/platform/store/schema.ts';
import type { Store } from '#server/platform/store/store.ts';
import { createRandom } from './random.ts';
import type { SitePerson } from './site.ts';
import { DAYS, type TrafficCall } from './traffic.ts';

const ROWS_PER_INSERT = 200;
const CLASSES = 14;

export async function bookHealth(
  { db }: Store,
  calls: readonly TrafficCall[],
  channelIds: ReadonlyMap<string, number>,
): Promise<void> {
  const hours = new Map<string, NewRow<'channel_hours'> & Record<string, number>>();
  const errors = new Map<number, NewRow<'channel_errors'>>();
  for (const { at, attempts, isStream, firstTokenMs } of calls)
    for (const { channel, error } of attempts) {
      const channel_id = channelIds.get(channel) ?? 0;
      const hour = at - (at % HOUR_SECONDS);
      const key = `${channel_id} ${hour}`;
      const row = hours.get(key) ?? { ...emptyClasses(), channel_id, hour, attempts: 0, failures: 0 };
      hours.set(key, row);
      row['attempts'] = (row['attempts'] ?? 0) + 1;
      if (error !== undefined) {
        row['failures'] = (row['failures'] ?? 0) + 1;
        errors.set(channel_id, { channel_id, at, words: error });
      } else if (isStream) {
        const column = `first_${firstTokenClass(firstTokenMs)}`;
        row[column] = (row[column] ?? 0) + 1;
      }
    }
  const rows = [...hours.values()];
  for (let from = 0; from < rows.length; from += ROWS_PER_INSERT)
    await db
      .insertInto('channel_hours')
      .values(rows.slice(from, from + ROWS_PER_INSERT))
      .execute();
  if (errors.size > 0)
    await db
      .insertInto('channel_errors')
      .values([...errors.values()])
      .execute();
}

/** Every row of an insert has the same columns. */
const emptyClasses = () =>
  Object.fromEntries(Array.from({ length: CLASSES }, (_, index) => [`first_${index}`, 0]));

const REFUSALS = [
  { code: 'invalid_api_key', model_name: '', isKnown: false },
  { code: 'model_not_found', model_name: 'gpt-6-preview', isKnown: true },
  { code: 'rate_limited', model_name: 'gpt-5.4-mini', isKnown: true },
  { code: 'token_exhausted', model_name: '', isKnown: true },
  { code: 'insufficient_quota', model_name: 'claude-sonnet-4-5', isKnown: true },
] as const;
const REFUSALS_PER_DAY = 4;

/** A few a day, as scanners, old keys and empty balances cause them. */
export async function bookRefusals({ db }: Store, people: readonly SitePerson[], now: number): Promise<void> {
  const random = createRandom(8);
  const rows = Array.from({ length: (DAYS - 1) * REFUSALS_PER_DAY }, (_, index) => {
    const { isKnown, ...refusal } = random.pick(REFUSALS);
    const at = now - index * Math.floor(86_400 / REFUSALS_PER_DAY) - Math.floor(random.between(200, 9000));
    const person = isKnown ? random.pick(people) : undefined;
    return {
      ...refusal,
      minute: at - (at % 60),
      user_id: person?.id ?? 0,
      token_id: person?.tokenIds[0] ?? 0,
      group: person?.group ?? '',
      ip: isKnown ? '203.0.113.20' : '198.51.100.7',
      request_ids: `${Bun.randomUUIDv7('hex', at * 1000)},`,
      count: random.skewed(1, 12),
    };
  });
  await db
    .insertInto('refused_calls')
    .values(rows)
    .onConflict((conflict) => conflict.doNothing())
    .execute();
}
