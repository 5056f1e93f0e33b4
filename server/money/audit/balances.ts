// Balances against the ledger. A user's row, the sums so far and the rows since then are read in one statement, so at one
// moment, for a page of users; what does not add up to zero is wrong.
import { sql, type RawBuilder } from 'kysely';
import { ROWS_PER_SLICE, type AuditSource, type Breach, type Pause, BALANCE_INVARIANT } from './breach.ts';
import { WHOLE_TIME } from './kept-sums.ts';
import { effects, readSums, type SliceSum } from './sums.ts';

/** What a user's row says less what the ledger says; `hours` are the hourly figures less the charges. */
export interface Difference {
  user_id: number;
  balance: number;
  used: number;
  aff: number;
  plan: number;
  dividend: number;
  hours: number;
}

export const NO_DIFFERENCE = { balance: 0, used: 0, aff: 0, plan: 0, dividend: 0, hours: 0 };

export const USED_INVARIANT = 'the used total is the sum of the charges';
export const INVITE_INVARIANT = 'an invite balance is the sum of its transfers';
export const PLAN_INVARIANT = 'the quota of subscriptions is the sum of its transfers';
export const DIVIDEND_INVARIANT = 'a dividend balance is the sum of its transfers';
export const HOURS_INVARIANT = 'the hourly figures are the sum of the charges';

const USERS_PER_PAGE = 1000;

/** Conditions on a column with a user id. */
type Users = (column: RawBuilder<unknown>) => RawBuilder<unknown>;

/** Page by page; the last page has no end, so that it includes ledger rows of users that do not exist. */
export async function* userPages({ db }: AuditSource): AsyncGenerator<Users> {
  for (let after = 0; ;) {
    const page = db
      .selectFrom('users')
      .select('id')
      .where('id', '>', after)
      .orderBy('id')
      .limit(USERS_PER_PAGE);
    const { last } = await db
      .selectFrom(page.as('page'))
      .select(({ fn }) => fn.max('id').as('last'))
      .executeTakeFirstOrThrow();
    const [from, through] = [after, last];
    if (through === null) return yield (column) => sql`${column} > ${from}`;
    yield (column) => sql`${column} > ${from} and ${column} <= ${through}`;
    after = through;
  }
}

export const theseUsers =
  (ids: readonly number[]): Users =>
  (column) =>
    sql`${column} in (${sql.join(ids.map((id) => sql.lit(id)))})`;

/** Users whose row differs from the kept sums and the ledger rows since then. */
export async function wrongAgainstKept(source: AuditSource, users: Users): Promise<number[]> {
  const { rows } = await sql<{ user_id: number }>`
    select user_id from (
      select id as user_id, quota as balance, used_quota as used, aff_quota as aff, 0 as plan,
        dividend_quota as dividend from users where ${users(sql`id`)}
      union all select user_id, 0, 0, 0, quota, 0 from subscriptions where quota > 0 and ${users(sql`user_id`)}
      union all select user_id, -balance, -used, -aff, -plan, -dividend from ledger_sums
        where month = ${WHOLE_TIME} and user_id > 0 and ${users(sql`user_id`)}
      union all select user_id, -(${effects.balance}), -(${effects.used}), -(${effects.aff}), -(${effects.plan}),
        -(${effects.dividend}) from ledger
        where id > coalesce((select through_id from ledger_sums where month = ${WHOLE_TIME} and user_id = 0), 0)
          and user_id > 0 and ${users(sql`user_id`)}) parts
    group by user_id
    having sum(balance) <> 0 or sum(used) <> 0 or sum(aff) <> 0 or sum(plan) <> 0
      or sum(dividend) <> 0`.execute(source.db);
  return rows.map((row) => row.user_id);
}

/** The users' rows and hourly figures, less the ledger rows after `through`. */
export async function projections(source: AuditSource, users: Users, through: number): Promise<Difference[]> {
  const { rows } = await sql<Difference>`
    select user_id, sum(balance) as balance, sum(used) as used, sum(aff) as aff, sum(plan) as plan,
      sum(dividend) as dividend, sum(hours) as hours
    from (
      select id as user_id, quota as balance, used_quota as used, aff_quota as aff, 0 as plan,
        dividend_quota as dividend, 0 as hours from users where ${users(sql`id`)}
      union all select user_id, 0, 0, 0, quota, 0, 0 from subscriptions where quota > 0 and ${users(sql`user_id`)}
      union all select user_id, 0, 0, 0, 0, 0, quota from usage_hours where user_id > 0 and ${users(sql`user_id`)}
      union all select user_id, -(${effects.balance}), -(${effects.used}), -(${effects.aff}), -(${effects.plan}),
        -(${effects.dividend}), -(${effects.charged}) from ledger where id > ${through} and user_id > 0 and ${users(sql`user_id`)}) parts
    group by user_id`.execute(source.db);
  return rows;
}

/** Sums of users in memory. */
export class UserSums {
  readonly #byUser = new Map<number, Difference>();

  add({ user_id, balance, used, aff, plan, dividend, charged }: SliceSum): void {
    const sum = this.of(user_id);
    sum.balance += balance;
    sum.used += used;
    sum.aff += aff;
    sum.plan += plan;
    sum.dividend += dividend;
    sum.hours += charged;
    this.#byUser.set(user_id, sum);
  }

  of(userId: number): Difference {
    return this.#byUser.get(userId) ?? { user_id: userId, ...NO_DIFFERENCE };
  }

  get userIds(): Iterable<number> {
    return this.#byUser.keys();
  }
}

/** What is wrong with a user, given the sums over the rows that its projection leaves out. */
export function breachesOf(found: Difference, sums: Difference): Breach[] {
  const breach = (invariant: string, name: keyof Difference, text: string): Breach[] =>
    found[name] === sums[name]
      ? []
      : [{ invariant, userId: found.user_id, detail: `${text} ${found[name]}, transfers ${sums[name]}` }];
  return [
    ...breach(BALANCE_INVARIANT, 'balance', 'balance'),
    ...breach(INVITE_INVARIANT, 'aff', 'invite balance'),
    ...breach(PLAN_INVARIANT, 'plan', 'subscriptions'),
    ...breach(DIVIDEND_INVARIANT, 'dividend', 'dividend balance'),
    ...breach(USED_INVARIANT, 'used', 'used'),
    ...breach(HOURS_INVARIANT, 'hours', 'hours'),
  ];
}

/**
 * Proves or refutes a suspicion without the kept sums: every ledger row of these users up to `through` is summed anew, in
 * slices, and then the rest and their projections are read in one statement.
 */
export async function proveBalances(
  source: AuditSource,
  { userIds, through, pause }: { userIds: readonly number[]; through: number; pause: Pause },
): Promise<{ breaches: Breach[]; sums: SliceSum[] }> {
  const byMonth = new Map<string, SliceSum>();
  const totals = new UserSums();
  for (let from = 0; from < through; from += ROWS_PER_SLICE) {
    const slice = { from, through: Math.min(from + ROWS_PER_SLICE, through) };
    for (const sum of await pause(() => readSums(source, slice, userIds))) {
      totals.add(sum);
      const key = `${sum.user_id} ${sum.month}`;
      byMonth.set(key, added(byMonth.get(key), sum));
    }
  }
  const found = await projections(source, theseUsers(userIds), through);
  return {
    breaches: found.flatMap((difference) => breachesOf(difference, totals.of(difference.user_id))),
    sums: [...byMonth.values()].toSorted((a, b) => a.user_id - b.user_id || a.month - b.month),
  };
}

function added(before: SliceSum | undefined, sum: SliceSum): SliceSum {
  if (before === undefined) return sum;
  return {
    ...before,
    entries: before.entries + sum.entries,
    balance: before.balance + sum.balance,
    used: before.used + sum.used,
    aff: before.aff + sum.aff,
    plan: before.plan + sum.plan,
    dividend: before.dividend + sum.dividend,
    charged: before.charged + sum.charged,
  };
}
