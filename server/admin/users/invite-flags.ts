// Signs that an inviter and an invited user are one person: both registered or signed in from the same address, or paid from the
// same account. The audit trail has the addresses, the orders have the paying accounts.
import { sql, type RawBuilder } from 'kysely';
import type { UserUsage } from '#contract/admin/user-management.ts';
import type { Store } from '#server/platform/store/store.ts';

type Sign = (one: RawBuilder<unknown>, other: RawBuilder<unknown>) => RawBuilder<boolean>;

export async function inviteFlags({ db }: Store, userId: number): Promise<UserUsage['invites']> {
  const invited = db
    .selectFrom('users')
    .select((builder) => builder.fn.countAll<number>().as('count'))
    .where('inviter_id', '=', userId);
  const countSharing = async (sign: Sign) =>
    (await invited.where(sign(sql.ref('users.id'), sql.lit(userId))).executeTakeFirstOrThrow()).count;
  const isSharing = async (sign: Sign) =>
    (await db
      .selectFrom('users')
      .select('id')
      .where('id', '=', userId)
      .where('inviter_id', '>', 0)
      .where(sign(sql.ref('users.id'), sql.ref('users.inviter_id')))
      .executeTakeFirst()) !== undefined;
  const [{ count }, same_address, inviter_same_address, same_payer, inviter_same_payer] = await Promise.all([
    invited.executeTakeFirstOrThrow(),
    countSharing(shareAddress),
    isSharing(shareAddress),
    countSharing(sharePayer),
    isSharing(sharePayer),
  ]);
  return { invited: count, same_address, inviter_same_address, same_payer, inviter_same_payer };
}

const shareAddress: Sign = (one, other) => {
  const entries = sql`('user.register', 'session.start')`;
  return sql<boolean>`exists (
    select 1 from audit mine join audit theirs on theirs.ip = mine.ip
    where mine.target = 'user:' || ${one} and mine.action in ${entries} and mine.ip <> ''
      and theirs.target = 'user:' || ${other} and theirs.action in ${entries})`;
};

const sharePayer: Sign = (one, other) => sql<boolean>`exists (
  select 1 from orders mine join orders theirs on theirs.payer = mine.payer and theirs.provider = mine.provider
  where mine.user_id = ${one} and mine.payer <> '' and theirs.user_id = ${other})`;
