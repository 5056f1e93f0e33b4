// Who earns from a customer: the agent who invited the customer, at the agent's own rate, and, while the second level is
// switched on, the agent who invited the inviter. The inviter in between need not be an agent. A banned agent earns nothing
// while banned; what was earned before stays.
import { sql, type Kysely, type RawBuilder } from 'kysely';
import type { Settings } from '#contract/settings.ts';
import { USER_STATUS } from '#contract/admin/users.ts';
import type { Schema } from '#server/platform/store/schema.ts';
import { rateOfPercent } from './rate.ts';

export interface Share {
  agent_id: number;
  customer_id: number;
  level: 1 | 2;
  /** Hundredths of a percent. */
  rate: number;
  base: number;
}

const mayEarn = sql`u.deleted_at is null and u.status <> ${sql.lit(USER_STATUS.banned)}`;

/** `bases` is a select of `user_id` and `base`. An account earns nothing from itself, also when invitations form a circle. */
export async function sharesOf(
  db: Kysely<Schema>,
  bases: RawBuilder<unknown>,
  { DividendSecondLevelPercent }: Pick<Settings, 'DividendSecondLevelPercent'>,
): Promise<Share[]> {
  const secondRate = rateOfPercent(DividendSecondLevelPercent);
  // SQLite's readers take statements that begin with `select`.
  const { rows } = await sql<Share>`
    select * from (with bases as (${bases})
    select a.user_id as agent_id, c.id as customer_id, 1 as level, a.rate, b.base
    from bases b join users c on c.id = b.user_id
      join agents a on a.user_id = c.inviter_id and a.active = 1 and a.rate > 0
      join users u on u.id = a.user_id and ${mayEarn}
    where a.user_id <> c.id
    union all
    select a.user_id, c.id, 2, ${sql.lit(secondRate)}, b.base
    from bases b join users c on c.id = b.user_id
      join users i on i.id = c.inviter_id
      join agents a on a.user_id = i.inviter_id and a.active = 1
      join users u on u.id = a.user_id and ${mayEarn}
    where ${sql.lit(secondRate)} > 0 and a.user_id <> c.id and a.user_id <> i.id) shares
    order by agent_id, customer_id, level`.execute(db);
  return rows;
}
