// Where a user's balance comes from: every movement but charges, the charges, and what is left. Read in one statement, so at one
// moment; charges are not read one by one, they are what the other movements leave unexplained.
import { sql } from 'kysely';
import type { AuditSource } from '#server/money/audit/breach.ts';
import { effects } from '#server/money/audit/sums.ts';

export interface BalanceLine {
  kind: string;
  /** The other side of the transfer: `topup`, `redeem`, `plan`, … */
  account: string;
  /** Negative: out of the balance. */
  amount: number;
  count: number;
}

/** `cameIn` − `used` = `left`. */
export interface Balance {
  cameIn: number;
  /** Charges that the balance paid, with their corrections. */
  used: number;
  left: number;
  usedOfPlans: number;
  /** Those of `cameIn`, largest first. */
  lines: BalanceLine[];
}

type PartRow = BalanceLine & { part: 'user' | 'line' };

export async function readBalance({ db }: AuditSource, userId: number): Promise<Balance> {
  const account = `user:${userId}`;
  const counterAccount = sql`case when credit_account = ${account} then debit_account else credit_account end`;
  // `kind <> 'use'` is the condition of the index of the ledger's rows by user.
  const { rows } = await sql<PartRow>`
    select 'user' as part, '' as kind, '' as account, quota as amount, used_quota as count from users where id = ${userId}
    union all select 'line', kind, other, cast(sum(amount) as bigint), count(*) from (
      select kind, ${counterAccount} as other, ${effects.balance} as amount from ledger
      where user_id = ${userId} and kind <> 'use' and (debit_account = ${account} or credit_account = ${account})
    ) movements group by kind, other`.execute(db);
  const user = rows.find(({ part }) => part === 'user');
  const [left, usedInAll] = [user?.amount ?? 0, user?.count ?? 0];
  const lines = merged(rows.filter(({ part }) => part === 'line'));
  // What returns to or comes from the revenue corrects charges.
  const cameIn = lines.filter(({ account: side }) => side !== 'revenue');
  const sum = cameIn.reduce((total, { amount }) => total + amount, 0);
  const used = sum - left;
  return { cameIn: sum, used, left, usedOfPlans: usedInAll - used, lines: cameIn };
}

/** `world:topup:epay` → `topup`, `plan:17` → `plan`. */
export const sideOf = (account: string): string => account.replace(/^world:/, '').replace(/:.*$/, '');

function merged(rows: readonly PartRow[]): BalanceLine[] {
  const byKey = new Map<string, BalanceLine>();
  for (const { kind, account: full, amount, count } of rows) {
    const account = sideOf(full);
    const known = byKey.get(`${kind} ${account}`) ?? { kind, account, amount: 0, count: 0 };
    byKey.set(`${kind} ${account}`, {
      ...known,
      amount: known.amount + amount,
      count: known.count + count,
    });
  }
  return [...byKey.values()].toSorted(
    (left, right) => right.amount - left.amount || (left.kind < right.kind ? -1 : 1),
  );
}
