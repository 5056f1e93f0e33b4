// What goes wrong with the sign-on of an organization, kept for its owners and admins until it is over. Only what a stranger cannot
// bring about is written: an answer of the provider, a state of DNS, a call with a token of the organization.
import { DAY_SECONDS, unixSeconds } from '#contract/time.ts';
import type { Row, Schema } from '#server/platform/store/schema.ts';
import type { Store } from '#server/platform/store/store.ts';
import { sql, type Kysely } from 'kysely';

export type Trouble = Row<'sign_on_troubles'>;
type Reason = Trouble['reason'];

/** One that did not happen again is over. */
const TROUBLE_DAYS = 7;
const DETAIL_CHARACTERS = 200;
const SUBJECT_CHARACTERS = 254;
/** Of one reason: anybody may have an account at a public provider, and each address that is refused is a trouble. */
export const MOST_SUBJECTS = 100;

/** Of the provider: a sign-in that succeeds, or another registration, ends them. */
export const PROVIDER_TROUBLES = ['unreachable', 'secret', 'clock', 'answer'] as const;
/** Of one person: their address as the provider says it. */
export const PERSON_TROUBLES = ['unverified', 'foreign'] as const;

interface Happened {
  organizationId: number;
  reason: Reason;
  subject?: string;
  detail?: string;
}

export async function noteTrouble(
  { db }: Pick<Store, 'db'>,
  { organizationId, reason, subject: given = '', detail = '' }: Happened,
): Promise<void> {
  const subject = given.slice(0, SUBJECT_CHARACTERS);
  const now = unixSeconds();
  const changed = { detail: detail.slice(0, DETAIL_CHARACTERS), last_at: now };
  const { others } = await db
    .selectFrom('sign_on_troubles')
    .select(({ fn }) => fn.countAll<number>().as('others'))
    .where('organization_id', '=', organizationId)
    .where('reason', '=', reason)
    .where('subject', '!=', subject)
    .executeTakeFirstOrThrow();
  if (others >= MOST_SUBJECTS) return;
  await db
    .insertInto('sign_on_troubles')
    .values({
      organization_id: organizationId,
      reason,
      subject,
      first_at: now,
      ...changed,
    })
    .onConflict((conflict) =>
      conflict
        .columns(['organization_id', 'reason', 'subject'])
        .doUpdateSet({ ...changed, count: sql`sign_on_troubles.count + 1` }),
    )
    .execute();
}

/** Without a subject: those of all. */
export async function endTroubles(
  db: Kysely<Schema>,
  organizationId: number,
  reasons: readonly Reason[],
  subject?: string,
): Promise<void> {
  await db
    .deleteFrom('sign_on_troubles')
    .where('organization_id', '=', organizationId)
    .where('reason', 'in', reasons)
    .$if(subject !== undefined, (query) => query.where('subject', '=', subject ?? ''))
    .execute();
}

/** The oldest first. */
export async function troublesOf(db: Kysely<Schema>, organizationId: number): Promise<Trouble[]> {
  return await db
    .selectFrom('sign_on_troubles')
    .selectAll()
    .where('organization_id', '=', organizationId)
    .where('last_at', '>', unixSeconds() - TROUBLE_DAYS * DAY_SECONDS)
    .orderBy('first_at')
    .orderBy('subject')
    .execute();
}

export async function removeOldTroubles({ db }: Store): Promise<void> {
  const before = unixSeconds() - TROUBLE_DAYS * DAY_SECONDS;
  await db.deleteFrom('sign_on_troubles').where('last_at', '<', before).execute();
}
