// Books a run: each user and day is one transaction with its notes, or several where the day has many calls. What was booked is
// found again by the row of the part, so a run that was cut continues, and a second node that books the same part fails.
import { sql } from 'kysely';
import { DAY_SECONDS, unixSeconds } from '#contract/time.ts';
import { bookCorrections } from '#server/money/ledger/corrections/book.ts';
import type { BookedNote, CallCorrection } from '#server/money/ledger/corrections/correction.ts';
import { jsonRows } from '#server/money/ledger/corrections/json-rows.ts';
import { priceOf } from '#server/money/ledger/corrections/shares.ts';
import { rerateIdem } from '#server/money/ledger/idempotency.ts';
import type { Store } from '#server/platform/store/store.ts';
import { lastCorrections, type RatedCall } from './calls.ts';
import { Sums, type Rating } from './rating.ts';
import { dayName, type Run } from './run.ts';

/** A transaction with so many calls takes a fraction of the time after which one is ended. */
const CALLS_PER_PART = 500;
const DAYS_PER_READ = 200;

export interface BookingParts {
  store: Store;
  /** Called after each transaction that books; tests look in between. */
  rest?: (tookMilliseconds: number) => Promise<void>;
}

const REST_FACTOR = 2;
const LONGEST_REST_MILLISECONDS = 1000;

/** The writer is left to calls for twice as long as a booking took. */
const restAfter = (tookMilliseconds: number): Promise<void> =>
  Bun.sleep(Math.min(tookMilliseconds * REST_FACTOR, LONGEST_REST_MILLISECONDS));

interface UserDay {
  user_id: number;
  day: number;
}

/** False: the signal was aborted first. */
export async function applyRun(
  parts: BookingParts,
  rating: Rating,
  run: Run,
  signal: AbortSignal,
): Promise<boolean> {
  for (;;) {
    const due = await openDays(parts.store, run.id);
    if (due.length === 0) return true;
    for (const { user_id: userId, day } of due) {
      if (signal.aborted) return false;
      const span = { from: Math.max(run.from_at, day), to: Math.min(run.to_at, day + DAY_SECONDS) };
      const calls = await rating.rateUser(run, span, userId);
      await bookDay(parts, { run, userId, day, isUndo: false }, calls);
    }
  }
}

/** Users and days of the dry run that are not booked to their end. */
async function openDays({ db }: Store, runId: number): Promise<UserDay[]> {
  return await db
    .selectFrom('rerate_sums as s')
    .select(['s.user_id', 's.day'])
    .distinct()
    .where('s.run_id', '=', runId)
    .where((is) =>
      is.not(
        is.exists(
          is
            .selectFrom('rerate_parts as p')
            .select('p.part')
            .where('p.run_id', '=', runId)
            .whereRef('p.user_id', '=', 's.user_id')
            .whereRef('p.day', '=', 's.day')
            .where('p.last', '=', 1),
        ),
      ),
    )
    .orderBy('s.user_id')
    .orderBy('s.day')
    .limit(DAYS_PER_READ)
    .execute();
}

async function bookDay(parts: BookingParts, place: Place, calls: readonly RatedCall[]): Promise<void> {
  const { store } = parts;
  const open = calls.filter(({ correctedBy }) => correctedBy !== place.run.id);
  const first = await nextPart(store, place);
  // Another node has booked the day meanwhile.
  if (first === undefined) return;
  if (open.length > 0 && (await equalsDryRun(store, place, calls)))
    await bookParts(parts, place, open, first);
  else await closeChanged(store, { ...place, part: first });
}

/** One statement, so that a day which another node ends is seen as ended, or its part is found taken. */
async function nextPart({ db }: Store, { run, userId, day }: Place): Promise<number | undefined> {
  const row = await db
    .selectFrom('rerate_parts')
    .select(({ fn }) => [fn.max('part').as('part'), fn.max('last').as('last')])
    .where('run_id', '=', run.id)
    .where('user_id', '=', userId)
    .where('day', '=', day)
    .executeTakeFirst();
  if (row?.last === 1) return undefined;
  return row?.part == null ? 0 : row.part + 1;
}

/** The figures of the dry run bind: what this run has booked of the day and what is left must add up to them. */
async function equalsDryRun(
  store: Store,
  { run, userId, day }: Place,
  calls: readonly RatedCall[],
): Promise<boolean> {
  const booked = await lastCorrections(
    store,
    calls.filter(({ correctedBy }) => correctedBy === run.id).map(({ logId }) => logId),
  );
  const sums = new Sums();
  for (const call of calls) {
    const { before, after } = booked.get(call.logId) ?? { before: call.before, after: call.wanted };
    sums.add(call, priceOf(before), priceOf(after));
  }
  const found = new Map(sums.all.map((sum) => [sum.model_name, sum]));
  const expected = await store.db
    .selectFrom('rerate_sums')
    .select(['model_name', 'calls', 'before', 'after'])
    .where('run_id', '=', run.id)
    .where('user_id', '=', userId)
    .where('day', '=', day)
    .execute();
  return (
    expected.length === found.size &&
    expected.every((row) => {
      const sum = found.get(row.model_name);
      return sum?.calls === row.calls && sum.before === row.before && sum.after === row.after;
    })
  );
}

export interface Place {
  run: Run;
  userId: number;
  day: number;
  isUndo: boolean;
}

/** Books the calls in parts from number `first` on, and notes the last one. */
export async function bookParts(
  { store, rest = restAfter }: BookingParts,
  place: Place,
  calls: readonly CallCorrection[],
  first: number,
): Promise<void> {
  for (let index = 0, part = first; index < calls.length; index += CALLS_PER_PART, part += 1) {
    const slice = calls.slice(index, index + CALLS_PER_PART);
    const isLast = index + CALLS_PER_PART >= calls.length;
    const started = performance.now();
    const booked = await bookPart(store, { ...place, part }, slice, isLast);
    await rest(performance.now() - started);
    if (booked === undefined) {
      await closeChanged(store, { ...place, part });
      return;
    }
    for (const id of booked.changedTokens) await store.changes.announce('tokens', String(id));
    if (booked.plan !== 0) await store.changes.announce('users', String(place.userId));
  }
}

async function bookPart(
  store: Store,
  { run, userId, day, part, isUndo }: Place & { part: number },
  calls: readonly CallCorrection[],
  isLast: boolean,
): Promise<BookedNote | undefined> {
  return await store.db.transaction().execute(async (transaction) => {
    const name = dayName(day);
    const idem = rerateIdem(run.id, userId, name, part);
    const note = { idem, userId, runId: run.id, day: name, isUndo, calls };
    const booked = await bookCorrections(transaction, store.dialect, note);
    if (booked === undefined) return undefined;
    const { wallet, plan, suspense } = booked;
    const key = { run_id: run.id, user_id: userId, day, part };
    await transaction
      .insertInto('rerate_parts')
      .values({
        ...key,
        idem,
        created_at: unixSeconds(),
        last: isLast ? 1 : 0,
        calls: calls.length,
        wallet,
        plan,
        suspense,
      })
      .execute();
    const rows = booked.calls.map((call) => ({
      ...key,
      log_id: call.logId,
      created_at: call.createdAt,
      request_id: call.requestId,
      model_name: call.modelName,
      token_id: call.tokenId,
      channel_id: call.channelId,
      group: call.group,
      is_costed: call.isCosted ? 1 : 0,
      subscription_id: call.subscriptionId,
      wallet_before: call.before.wallet,
      plan_before: call.before.plan,
      suspense_before: call.before.suspense,
      wallet_after: call.after.wallet,
      plan_after: call.after.plan,
      suspense_after: call.after.suspense,
      token_change: call.tokenChange,
    }));
    const names = sql.join(Object.keys(CALL_COLUMNS).map((column) => sql.ref(column)));
    await sql`insert into rerate_calls (${names}) select ${names} from ${jsonRows(store, CALL_COLUMNS, rows)}`.execute(
      transaction,
    );
    return booked;
  });
}

const CALL_COLUMNS = {
  run_id: 'integer',
  user_id: 'integer',
  day: 'integer',
  part: 'integer',
  log_id: 'integer',
  created_at: 'integer',
  request_id: 'text',
  model_name: 'text',
  token_id: 'integer',
  channel_id: 'integer',
  group: 'text',
  is_costed: 'integer',
  subscription_id: 'integer',
  wallet_before: 'integer',
  plan_before: 'integer',
  suspense_before: 'integer',
  wallet_after: 'integer',
  plan_after: 'integer',
  suspense_after: 'integer',
  token_change: 'integer',
} as const;

/** The calls are not those that were rated: nothing of the rest of this day is booked. */
async function closeChanged(
  { db }: Store,
  { run, userId, day, part }: Place & { part: number },
): Promise<void> {
  await db
    .insertInto('rerate_parts')
    .values({
      run_id: run.id,
      user_id: userId,
      day,
      part,
      idem: rerateIdem(run.id, userId, dayName(day), part),
      created_at: unixSeconds(),
      state: 'changed',
      last: 1,
    })
    .execute();
}
