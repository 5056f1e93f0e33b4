// What a column may hold becomes part of its type, in the tables that every batch of calls writes. PostgreSQL reads the
// text of a table's checks anew for every statement that writes the table, of all columns, changed or not; the check of a
// type is compiled once for a connection and runs for the columns that are written.
import { sql } from 'kysely';
import { LARGEST_AMOUNT, type Migration } from './migration.ts';

const domains: Record<string, string> = {
  amount: `value between 0 and ${LARGEST_AMOUNT}`,
  flag: 'value in (0, 1)',
  user_role: 'value in (1, 10, 100)',
  user_status: 'value in (1, 2, 3)',
  token_status: 'value in (1, 2, 3, 4)',
  channel_status: 'value in (1, 2, 3)',
};

const limits = [
  'requests_per_minute',
  'tokens_per_minute',
  'concurrent_calls',
  'day_budget',
  'month_budget',
] as const;

const userAmounts = [
  'quota',
  'held_quota',
  'used_quota',
  'request_count',
  'aff_quota',
  'aff_history_quota',
  'aff_count',
] as const;

/** Table → domain → columns. */
const columns: Record<string, Record<string, readonly string[]>> = {
  users: {
    amount: [...userAmounts, ...limits],
    flag: ['password_is_initial'],
    user_role: ['role'],
    user_status: ['status'],
  },
  tokens: {
    amount: ['remain_quota', 'held_quota', 'used_quota', ...limits],
    flag: ['unlimited_quota', 'model_limits_enabled'],
    token_status: ['status'],
  },
  holds: { amount: ['amount', 'checkpoint_quota'], flag: ['dispatched'] },
  channels: { amount: ['used_quota', 'max_concurrency'], flag: ['auto_ban'], channel_status: ['status'] },
};

const suffixOf = (domain: string): string =>
  domain === 'amount' ? 'range' : domain === 'flag' ? 'flag' : 'known';

export const checkedTypes: Migration = {
  name: '0037-checked-types',
  async up(db, dialect) {
    if (dialect === 'sqlite') return;
    for (const [name, condition] of Object.entries(domains)) {
      await sql.raw(`create domain "${name}" as bigint check (${condition})`).execute(db);
    }
    for (const [table, byDomain] of Object.entries(columns)) {
      const changes = Object.entries(byDomain).flatMap(([domain, names]) =>
        names.flatMap((name) => [
          `drop constraint "${table}_${name}_${suffixOf(domain)}"`,
          `alter column "${name}" type "${domain}"`,
        ]),
      );
      await sql.raw(`alter table "${table}" ${changes.join(', ')}`).execute(db);
    }
  },
};
