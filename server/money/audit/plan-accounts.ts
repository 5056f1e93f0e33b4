// Each subscription against its own account, for the whole audit: sums by user do not show quota that moved between two
// subscriptions of one user.
import { sql, type RawBuilder } from 'kysely';
import { ROWS_PER_SLICE, type AuditSource, type Breach, type Slice } from './breach.ts';

export const PLAN_ACCOUNT_INVARIANT = 'the quota of each subscription is the sum of its account';

interface AccountSum {
  account: string;
  amount: number;
}

const sumsWhere = (condition: RawBuilder<unknown>) => sql<AccountSum>`
  select account, sum(amount) as amount from (
    select credit_account as account, amount from ledger where ${condition} and credit_account like 'plan:%'
    union all select debit_account, -amount from ledger where ${condition} and debit_account like 'plan:%') moved
  group by account`;

export class PlanSums {
  readonly #byAccount = new Map<string, number>();

  async add({ db }: AuditSource, { from, through }: Slice): Promise<void> {
    const { rows } = await sumsWhere(sql`id > ${from} and id <= ${through}`).execute(db);
    for (const { account, amount } of rows)
      this.#byAccount.set(account, (this.#byAccount.get(account) ?? 0) + amount);
  }

  /** A page of subscriptions, compared with the sums up to `through` and the rows since then, at one moment. */
  async breaches({ db }: AuditSource, from: number, through: number): Promise<Breach[]> {
    const { rows } = await sql<{ id: number; user_id: number; balance: number }>`
      select s.id, s.user_id, s.quota - coalesce(r.amount, 0) as balance from subscriptions s
      left join (${sumsWhere(sql`id > ${through}`)}) r on r.account = 'plan:' || s.id
      where s.id > ${from} and s.id <= ${from + ROWS_PER_SLICE}`.execute(db);
    return rows.flatMap(({ id, user_id, balance }) => {
      const sum = this.#byAccount.get(`plan:${id}`) ?? 0;
      if (balance === sum) return [];
      const detail = `subscription ${id} has ${balance}, transfers ${sum}`;
      return [{ invariant: PLAN_ACCOUNT_INVARIANT, userId: user_id, detail }];
    });
  }
}
