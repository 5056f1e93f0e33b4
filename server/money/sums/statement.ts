// The books of one user in one month (UTC), from the kept sums and the ledger. Everything is read in one statement, so at one
// moment, and no charge is read one by one: the sums of the months are kept (ADR 38), and only rows that are not summed yet
// and the few that are no charges are read. Figures by model and token are the hourly ones, which are never cleaned.
import { sql } from 'kysely';
import { AppError } from '#contract/errors.ts';
import { monthSpan } from '#contract/month.ts';
import type { AuditSource } from '#server/money/audit/breach.ts';
import { WHOLE_TIME } from '#server/money/audit/kept-sums.ts';
import { effects } from '#server/money/audit/sums.ts';

/** Rows that are not summed yet are read one by one; beyond this many the audit has to sum first. */
const MOST_UNSUMMED = 1_000_000;
const MOST_NAMES = 200;

export interface Used {
  quota: number;
  count: number;
  prompt_tokens: number;
  completion_tokens: number;
}

/** All movements with one kind and one counter-account. */
export interface StatementLine {
  kind: string;
  /** The other side of the transfer. */
  account: string;
  /** Negative: out of the balance. */
  amount: number;
  count: number;
}

export interface StatementEntry extends Omit<StatementLine, 'count'> {
  id: number;
  created_at: number;
  reference: string;
}

export interface Books {
  opening: number;
  closing: number;
  /** Charges of calls, before corrections, as far as the balance paid them. */
  charged: number;
  /** Charges less what was given back, also the parts that subscriptions paid. */
  chargedInAll: number;
  /** Every movement but charges. */
  lines: StatementLine[];
  /** The newest of them. */
  entries: StatementEntry[];
  models: (Used & { name: string })[];
  /** Id 0: the playground. */
  tokens: (Used & { id: number; name: string })[];
  /** Sum of all models, also those that are not listed. */
  used: Used;
}

type Part = 'balance' | 'kept' | 'rest' | 'line' | 'entry' | 'model' | 'token' | 'used';

/** `count` of the sums is the used total. */
interface PartRow {
  part: Part;
  number: number;
  name: string;
  kind: string;
  reference: string;
  at: number;
  amount: number;
  count: number;
  prompt_tokens: number;
  completion_tokens: number;
}

export interface StatementRequest {
  userId: number;
  /** YYYY-MM. */
  month: string;
  mostEntries: number;
}

export async function readBooks(source: AuditSource, request: StatementRequest): Promise<Books> {
  await refuseUnsummed(source);
  const parts = Map.groupBy(await readParts(source, request), ({ part }) => part);
  const of = (part: Part) => parts.get(part) ?? [];
  const month = Number(request.month.replace('-', ''));
  const kept = (isWanted: (month: number) => boolean) =>
    total(of('kept').filter(({ number }) => isWanted(number)));
  const rest = (place: number) => total(of('rest').filter(({ number }) => number === place));

  const months = kept((number) => number !== WHOLE_TIME);
  const whole = months + rest(before) + rest(inside) + rest(after);
  // Sums that do not add up to the balance are the audit's business; a statement made of them would be wrong.
  if (months !== kept((number) => number === WHOLE_TIME) || whole !== total(of('balance')))
    throw new AppError('statement_not_ready');

  const opening = kept((number) => number !== WHOLE_TIME && number < month) + rest(before);
  const change = kept((number) => number === month) + rest(inside);
  const lines = of('line').map(({ kind, name: account, amount, count }) => ({
    kind,
    account,
    amount,
    count,
  }));
  const [used = NONE_USED] = of('used').map(usedOf);
  return {
    opening,
    closing: opening + change,
    charged: total(lines) - change,
    chargedInAll: [
      ...of('kept').filter(({ number }) => number === month),
      ...of('rest').filter(({ number }) => number === inside),
    ].reduce((sum, { count }) => sum + count, 0),
    lines,
    entries: of('entry').map(({ number: id, at: created_at, kind, name: account, amount, reference }) => ({
      id,
      created_at,
      kind,
      account,
      amount,
      reference,
    })),
    models: of('model')
      .filter(isUsed)
      .map((row) => ({ name: row.name, ...usedOf(row) })),
    tokens: of('token')
      .filter(isUsed)
      .map((row) => ({ id: row.number, name: row.name, ...usedOf(row) })),
    used,
  };
}

/** A late settlement takes back what recovery had counted under another model, and leaves a row of nothing there. */
const isUsed = ({ amount, count }: PartRow): boolean => amount !== 0 || count !== 0;

const NONE_USED: Used = { quota: 0, count: 0, prompt_tokens: 0, completion_tokens: 0 };
const [before, inside, after] = [0, 1, 2];

const total = (rows: readonly { amount: number }[]) => rows.reduce((sum, { amount }) => sum + amount, 0);

function usedOf({ amount, count, prompt_tokens, completion_tokens }: PartRow): Used {
  return { quota: amount, count, prompt_tokens, completion_tokens };
}

const summedThrough = sql`coalesce((
  select through_id from ledger_sums where month = ${sql.lit(WHOLE_TIME)} and user_id = 0), 0)`;

async function refuseUnsummed({ db }: AuditSource): Promise<void> {
  const { rows } = await sql<{ unsummed: number }>`
    select coalesce((select max(id) from ledger), 0) - ${summedThrough} as unsummed`.execute(db);
  if ((rows[0]?.unsummed ?? 0) > MOST_UNSUMMED) throw new AppError('statement_not_ready');
}

async function readParts({ db }: AuditSource, request: StatementRequest): Promise<PartRow[]> {
  const { userId, month, mostEntries } = request;
  const { start, end } = monthSpan(month);
  const account = `user:${userId}`;
  const counterAccount = sql`case when credit_account = ${account} then debit_account else credit_account end`;
  // `kind <> 'use'` is the condition of the index of the ledger's rows by user.
  const movements = sql`from ledger where user_id = ${userId} and kind <> 'use'
    and created_at >= ${start} and created_at < ${end}
    and (debit_account = ${account} or credit_account = ${account})`;
  const hours = sql`from usage_hours where user_id = ${userId} and hour >= ${start} and hour < ${end}`;
  const sums = sql`coalesce(sum(quota), 0) as amount, coalesce(sum(count), 0) as count,
    coalesce(sum(prompt_tokens), 0) as prompt_tokens, coalesce(sum(completion_tokens), 0) as completion_tokens`;
  const { rows } = await sql<PartRow>`
    select 'balance' as part, 0 as number, '' as name, '' as kind, '' as reference, 0 as at, quota as amount, 0 as count,
      0 as prompt_tokens, 0 as completion_tokens from users where id = ${userId}
    union all select 'kept', month, '', '', '', 0, balance, used, 0, 0 from ledger_sums where user_id = ${userId}
    union all select 'rest', place, '', '', '', 0, sum(amount), sum(used), 0, 0 from (
      select ${effects.balance} as amount, ${effects.used} as used,
        case when created_at < ${start} then ${sql.lit(before)} when created_at < ${end} then ${sql.lit(inside)}
          else ${sql.lit(after)} end as place
      from ledger where id > ${summedThrough} and user_id = ${userId}) unsummed group by place
    union all select 'line', 0, other, kind, '', 0, sum(amount), count(*), 0, 0 from (
      select kind, ${counterAccount} as other, ${effects.balance} as amount ${movements}) lines group by kind, other
    union all select * from (
      select 'entry' as part, id, ${counterAccount} as other, kind, reference, created_at, ${effects.balance} as amount,
        0 as count, 0 as prompt_tokens, 0 as completion_tokens
      ${movements} order by id desc limit ${mostEntries}) entries
    union all select * from (
      select 'model' as part, 0 as number, model_name, '' as kind, '' as reference, 0 as at, ${sums}
      ${hours} group by model_name order by 7 desc, model_name limit ${MOST_NAMES}) models
    union all select * from (
      select 'token' as part, token_id, coalesce((select name from tokens where id = token_id), ''), '' as kind,
        '' as reference, 0 as at, ${sums}
      ${hours} group by token_id order by 7 desc, token_id limit ${MOST_NAMES}) tokens
    union all select 'used', 0, '', '', '', 0, ${sums} ${hours}`.execute(db);
  return rows;
}
