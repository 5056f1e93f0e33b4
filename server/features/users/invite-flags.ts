// Signs that an inviter and an invited user are one person: both registered or signed in from the same address. The audit trail
// has the addresses.
import { sql } from 'kysely';
import type { UserUsage } from '#contract/user-management.ts';
import type { Store } from '#server/store/store.ts';

export async function inviteFlags({ db }: Store, userId: number): Promise<UserUsage['invites']> {
  const [{ invited }, { shared }, inviter] = await Promise.all([
    db
      .selectFrom('users')
      .select((builder) => builder.fn.countAll<number>().as('invited'))
      .where('inviter_id', '=', userId)
      .executeTakeFirstOrThrow(),
    db
      .selectFrom('users')
      .select((builder) => builder.fn.countAll<number>().as('shared'))
      .where('inviter_id', '=', userId)
      .where(sharesAddress(sql.ref('users.id'), sql.lit(userId)))
      .executeTakeFirstOrThrow(),
    db
      .selectFrom('users')
      .select('id')
      .where('id', '=', userId)
      .where('inviter_id', '>', 0)
      .where(sharesAddress(sql.ref('users.id'), sql.ref('users.inviter_id')))
      .executeTakeFirst(),
  ]);
  return { invited, same_address: shared, inviter_same_address: inviter !== undefined };
}

/** True in SQL when the two users have an address in common. */
function sharesAddress(one: ReturnType<typeof sql.ref>, other: ReturnType<typeof sql.lit>) {
  const entries = sql`('user.register', 'session.start')`;
  return sql<boolean>`exists (
    select 1 from audit mine join audit theirs on theirs.ip = mine.ip
    where mine.target = 'user:' || ${one} and mine.action in ${entries} and mine.ip <> ''
      and theirs.target = 'user:' || ${other} and theirs.action in ${entries})`;
}
