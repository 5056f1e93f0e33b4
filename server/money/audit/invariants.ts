// The whole audit: everything that must be true of the money, from the first row on, without the kept sums. It reads in
// slices, so it can run beside a living server for as long as it takes; the ledger is append-only, and what happened since
// a slice was read is read together with what it is compared to. Nothing here repairs anything.
import { sql } from 'kysely';
import {
  breachesOf,
  DIVIDEND_INVARIANT,
  HOURS_INVARIANT,
  INVITE_INVARIANT,
  NO_DIFFERENCE,
  PLAN_INVARIANT,
  projections,
  USED_INVARIANT,
  userPages,
  UserSums,
  wrongAgainstKept,
} from './balances.ts';
import {
  BALANCE_INVARIANT,
  MOST_FINDINGS,
  ROWS_PER_SLICE,
  withoutPause,
  type AuditSource,
  type Breach,
  type Pause,
} from './breach.ts';
import { readSummedThrough, WHOLE_TIME } from './kept-sums.ts';
import { BUDGET_INVARIANT, checkBudgets } from './budget-checks.ts';
import { HOLDER_CELLS_INVARIANT, HOLDER_HOURS_INVARIANT, holderChecks } from './holder-checks.ts';
import { PLAN_ACCOUNT_INVARIANT, PlanSums } from './plan-accounts.ts';
import { checkRows, rowChecks, rowInvariants } from './row-checks.ts';
import { makeStatistics } from './statistics.ts';
import { readSums, readSettledTop } from './sums.ts';
import { checkTables, holdChecks, shortChecks } from './table-checks.ts';

export type { Breach };

const KEPT_INVARIANT = 'the kept sums are the sums of the ledger';

export const invariantNames: readonly string[] = [
  ...new Set([
    BALANCE_INVARIANT,
    INVITE_INVARIANT,
    PLAN_INVARIANT,
    PLAN_ACCOUNT_INVARIANT,
    DIVIDEND_INVARIANT,
    USED_INVARIANT,
    HOURS_INVARIANT,
    KEPT_INVARIANT,
    BUDGET_INVARIANT,
    HOLDER_HOURS_INVARIANT,
    HOLDER_CELLS_INVARIANT,
    ...rowInvariants,
    ...Object.keys(holdChecks),
    ...Object.keys(shortChecks),
  ]),
];

export interface WholeAuditOptions {
  /** Default: none, as fast as it can. */
  pause?: Pause;
}

export async function checkInvariants(
  source: AuditSource,
  { pause = withoutPause }: WholeAuditOptions = {},
): Promise<Breach[]> {
  const found = new Findings();
  const sums = new UserSums();
  const planSums = new PlanSums();
  let through = 0;

  async function readLedger(): Promise<void> {
    const top = await readSettledTop(source);
    while (through < top) {
      const slice = { from: through, through: Math.min(through + ROWS_PER_SLICE, top) };
      for (const sum of await pause(() => readSums(source, slice))) sums.add(sum);
      await pause(() => planSums.add(source, slice));
      for (const checks of [rowChecks.ledgerChecks, rowChecks.keyChecks])
        found.add(await pause(() => checkRows(checks, source, slice)));
      through = slice.through;
    }
  }

  await makeStatistics(source);
  await readLedger();
  const seen = new Set<number>();
  const kept = { isCurrent: (await readSummedThrough(source)) + ROWS_PER_SLICE > through };
  for await (const users of userPages(source)) {
    // What calls added since the last page, so that the rest which every page reads stays short.
    await readLedger();
    const wrong = new Set<number>();
    for (const difference of await pause(() => projections(source, users, through))) {
      seen.add(difference.user_id);
      const breaches = breachesOf(difference, sums.of(difference.user_id));
      if (breaches.length > 0) wrong.add(difference.user_id);
      found.add(breaches);
    }
    if (!kept.isCurrent) continue;
    for (const userId of await pause(() => wrongAgainstKept(source, users)))
      if (!wrong.has(userId))
        found.add([{ invariant: KEPT_INVARIANT, userId, detail: 'sums and ledger differ' }]);
  }
  for (const userId of sums.userIds)
    if (!seen.has(userId)) found.add(breachesOf({ user_id: userId, ...NO_DIFFERENCE }, sums.of(userId)));
  found.add(await pause(() => monthsAgainstTotals(source)));
  for (const [table, checks] of [
    ['logs', rowChecks.logChecks],
    ['orders', rowChecks.orderChecks],
    ['redemptions', rowChecks.codeChecks],
    ['subscriptions', rowChecks.subscriptionChecks],
    ['dividends', rowChecks.dividendChecks],
    ['rerate_parts', rowChecks.rerateChecks],
  ] as const) {
    const top = await topOf(source, table);
    for (let from = 0; from < top; from += ROWS_PER_SLICE) {
      const slice = { from, through: from + ROWS_PER_SLICE };
      found.add(await pause(() => checkRows(checks, source, slice)));
    }
  }
  const lastSubscription = await topOf(source, 'subscriptions');
  for (let from = 0; from < lastSubscription; from += ROWS_PER_SLICE) {
    const first = from;
    found.add(await pause(() => planSums.breaches(source, first, through)));
  }
  found.add(await pause(() => checkBudgets(source)));
  found.add(await pause(() => checkTables(holderChecks(source), source)));
  found.add(await checkTables({ ...holdChecks, ...shortChecks }, source));
  return found.breaches;
}

class Findings {
  readonly breaches: Breach[] = [];
  readonly #counts = new Map<string, number>();

  add(breaches: readonly Breach[]): void {
    for (const breach of breaches) {
      const count = this.#counts.get(breach.invariant) ?? 0;
      this.#counts.set(breach.invariant, count + 1);
      if (count < MOST_FINDINGS) this.breaches.push(breach);
    }
  }
}

async function topOf(
  { db }: AuditSource,
  table: 'logs' | 'orders' | 'redemptions' | 'subscriptions' | 'dividends' | 'rerate_parts',
): Promise<number> {
  const { rows } = await sql<{ top: number | null }>`select max(id) as top from ${sql.table(table)}`.execute(
    db,
  );
  return rows[0]?.top ?? 0;
}

async function monthsAgainstTotals({ db }: AuditSource): Promise<Breach[]> {
  const sign = sql`case month when ${WHOLE_TIME} then 1 else -1 end`;
  const { rows } = await sql<{ user_id: number }>`
    select user_id from ledger_sums where user_id > 0 group by user_id
    having sum(${sign} * entries) <> 0 or sum(${sign} * balance) <> 0 or sum(${sign} * used) <> 0
      or sum(${sign} * aff) <> 0 or sum(${sign} * plan) <> 0
      or sum(${sign} * dividend) <> 0 limit ${MOST_FINDINGS}`.execute(db);
  return rows.map(({ user_id }) => ({
    invariant: KEPT_INVARIANT,
    userId: user_id,
    detail: 'months and total differ',
  }));
}
