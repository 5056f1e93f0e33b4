// The samples that are kept: their places, their sealed texts, and who allows it. Removed after the days of a setting, with the user, and
// when the user refuses.
import { SHADOW_CONSENTS, type ShadowConsent } from '#contract/relay/shadow-calls.ts';
import { DAY_SECONDS, unixSeconds } from '#contract/time.ts';
import type { Kysely } from 'kysely';
import type { Row, Schema } from '#server/platform/store/schema.ts';
import { lockRow } from '#server/platform/store/locks.ts';
import type { Store } from '#server/platform/store/store.ts';
import type { Vault } from '#server/platform/store/vault.ts';

/** Characters of each text that are kept. */
export const LONGEST_TEXT = 32 * 1024;

export interface SampleTexts {
  readonly prompt: string;
  readonly answer: string;
  readonly copy: string;
  readonly isCut: boolean;
}

type SampleRow = Omit<Row<'shadow_samples'>, 'id' | 'texts'>;

/** Bound to comparison and call: texts that are moved to another row do not open. */
const placeOf = (shadowId: number, requestId: string): string =>
  `shadow_samples:${shadowId}:${requestId}:texts`;

export const openTexts = (
  vault: Vault,
  row: Pick<Row<'shadow_samples'>, 'shadow_id' | 'request_id' | 'texts'>,
): SampleTexts => JSON.parse(vault.open(row.texts, placeOf(row.shadow_id, row.request_id))) as SampleTexts;

/** What an account says; an account that is gone refuses. */
export async function consentOf(db: Kysely<Schema>, userId: number): Promise<ShadowConsent> {
  const row = await db
    .selectFrom('users')
    .select(['shadow_consent', 'deleted_at'])
    .where('id', '=', userId)
    .executeTakeFirst();
  return row === undefined || row.deleted_at !== null
    ? 'refused'
    : (SHADOW_CONSENTS[row.shadow_consent] ?? 'refused');
}

/** Whether the owner of a call, and the member of an organization who made it, let it be copied. */
export async function isAllowed(
  db: Kysely<Schema>,
  { userId, memberId }: { readonly userId: number; readonly memberId: number },
  isForEveryone: boolean,
): Promise<boolean> {
  const consent = await consentOf(db, userId);
  if (consent === 'refused' || (consent === 'unsaid' && !isForEveryone)) return false;
  return memberId === 0 || (await consentOf(db, memberId)) !== 'refused';
}

/** Takes the place of a sample, on all nodes; false: there are as many as may be. */
export async function takePlace(db: Kysely<Schema>, shadowId: number, most: number): Promise<boolean> {
  const row = await db
    .insertInto('shadow_counts')
    .values({ shadow_id: shadowId, kept: 1 })
    .onConflict((conflict) =>
      conflict
        .column('shadow_id')
        .doUpdateSet((all) => ({ kept: all('shadow_counts.kept', '+', 1) }))
        .where('shadow_counts.kept', '<', most),
    )
    .returning('kept')
    .executeTakeFirst();
  return row !== undefined;
}

export async function giveBackPlaces(db: Kysely<Schema>, shadowId: number, count = 1): Promise<void> {
  await db
    .updateTable('shadow_counts')
    .set((all) => ({ kept: all('kept', '-', count) }))
    .where('shadow_id', '=', shadowId)
    .where('kept', '>=', count)
    .execute();
}

export interface KeepRules {
  readonly most: number;
  readonly isAllowed: (db: Kysely<Schema>) => Promise<boolean>;
}

/**
 * False: comparison or user are gone, the user has refused meanwhile, or there are as many as may be. The rows are locked in the order of a
 * deletion of the user.
 */
export async function keepSample(
  store: Store,
  row: SampleRow,
  texts: SampleTexts,
  rules: KeepRules,
): Promise<boolean> {
  const sealed = store.vault.seal(JSON.stringify(texts), placeOf(row.shadow_id, row.request_id));
  return await store.db.transaction().execute(async (transaction) => {
    await lockRow(store, transaction, 'users', row.user_id);
    const shadow = await lockRow(store, transaction, 'shadows', row.shadow_id);
    if (shadow === undefined || !(await rules.isAllowed(transaction))) return false;
    const { kept } = await transaction
      .selectFrom('shadow_samples')
      .select(({ fn }) => fn.countAll<number>().as('kept'))
      .where('shadow_id', '=', row.shadow_id)
      .executeTakeFirstOrThrow();
    if (kept >= rules.most) return false;
    await transaction
      .insertInto('shadow_samples')
      .values({ ...row, texts: sealed })
      .execute();
    return true;
  });
}

/** In the transaction that deletes the user, or writes that the user refuses. */
export async function removeSamplesOf(db: Kysely<Schema>, userId: number): Promise<void> {
  const rows = await db
    .deleteFrom('shadow_samples')
    .where('user_id', '=', userId)
    .returning('shadow_id')
    .execute();
  const byShadow = Map.groupBy(rows, ({ shadow_id }) => shadow_id);
  for (const [shadowId, own] of [...byShadow].toSorted(([left], [right]) => left - right))
    await giveBackPlaces(db, shadowId, own.length);
}

/** All samples of a comparison, or one; how many there were. The comparison is locked. */
export async function removeSamples(
  db: Kysely<Schema>,
  shadowId: number,
  sampleId: number | undefined,
): Promise<number> {
  const removed = await db
    .deleteFrom('shadow_samples')
    .where('shadow_id', '=', shadowId)
    .$if(sampleId !== undefined, (deletion) => deletion.where('id', '=', sampleId ?? 0))
    .returning('id')
    .execute();
  await giveBackPlaces(db, shadowId, removed.length);
  return removed.length;
}

/** Of a comparison that is deleted; what its copies cost stays in the margins. */
export async function forgetShadow(db: Kysely<Schema>, shadowId: number): Promise<void> {
  await db.deleteFrom('shadow_samples').where('shadow_id', '=', shadowId).execute();
  await db.deleteFrom('shadow_days').where('shadow_id', '=', shadowId).execute();
  await db.deleteFrom('shadow_counts').where('shadow_id', '=', shadowId).execute();
}

/** Days whose limits are looked up no more. */
const DAYS_OF_LIMITS = 40;

/** By the job: old samples, those of users who are gone or refuse, and places that a node took when it died. */
export async function cleanSamples({ db }: Store, keepDays: number): Promise<void> {
  const now = unixSeconds();
  await db
    .deleteFrom('shadow_samples')
    .where('created_at', '<', now - keepDays * DAY_SECONDS)
    .execute();
  await db
    .deleteFrom('shadow_samples')
    .where('user_id', 'not in', (all) =>
      all
        .selectFrom('users')
        .select('users.id')
        .where('users.deleted_at', 'is', null)
        .where('users.shadow_consent', '!=', SHADOW_CONSENTS.indexOf('refused')),
    )
    .execute();
  await db
    .deleteFrom('shadow_days')
    .where('day', '<', now - DAYS_OF_LIMITS * DAY_SECONDS)
    .execute();
  await db
    .updateTable('shadow_counts')
    .set((all) => ({
      kept: all
        .selectFrom('shadow_samples')
        .select(({ fn }) => fn.countAll<number>().as('count'))
        .whereRef('shadow_samples.shadow_id', '=', 'shadow_counts.shadow_id'),
    }))
    .execute();
}
