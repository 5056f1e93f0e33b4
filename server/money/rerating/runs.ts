// Begins, applies, undoes and discards runs. Every step is a conditional change of the run's row, in the caller's transaction.
import { sql, type Transaction } from 'kysely';
import { AppError } from '#contract/errors.ts';
import { RERATE_MOST_DAYS, type RerateCreate } from '#contract/money/rerating.ts';
import { DAY_SECONDS, HOUR_SECONDS, unixSeconds } from '#contract/time.ts';
import type { AuditSource } from '#server/money/audit/breach.ts';
import { readVersion } from '#server/money/price-book/versions.ts';
import { lockRow } from '#server/platform/store/locks.ts';
import type { Schema } from '#server/platform/store/schema.ts';
import { fingerprintOf } from './rating.ts';
import { type Run } from './run.ts';

type Terms = Required<RerateCreate>;

export async function createRun(
  transaction: Transaction<Schema>,
  dialect: AuditSource['dialect'],
  terms: Terms,
  { createdBy, now = unixSeconds() }: { createdBy: number; now?: number },
): Promise<Run> {
  const { from_at, to_at, version_id } = terms;
  // Calls of the running hour are still coming in: its figures could not bind.
  if (to_at > now - (now % HOUR_SECONDS)) throw new AppError('rerate_range_open');
  if (from_at >= to_at || to_at - from_at > RERATE_MOST_DAYS * DAY_SECONDS)
    throw new AppError('rerate_range_invalid', { days: String(RERATE_MOST_DAYS) });
  if ((await readVersion(transaction, version_id)) === undefined)
    throw new AppError('rerate_version_missing');
  return await transaction
    .insertInto('rerate_runs')
    .values({
      created_at: now,
      created_by: createdBy,
      version_id,
      charged_version: terms.charged_version,
      from_at,
      to_at,
      models: JSON.stringify(terms.models),
      groups: JSON.stringify(terms.groups),
      reason: terms.reason,
      position: from_at,
      // Before anything is read, so that what changes while the range is rated counts as changed.
      fingerprint: await fingerprintOf({ dialect, db: transaction }, { from_at, to_at }),
    })
    .returningAll()
    .executeTakeFirstOrThrow();
}

async function lockRun(
  transaction: Transaction<Schema>,
  dialect: AuditSource['dialect'],
  id: number,
): Promise<Run> {
  const run = await lockRow({ dialect }, transaction, 'rerate_runs', id);
  if (run === undefined) throw new AppError('not_found');
  return run;
}

/** What the operator saw and confirmed. */
export type Seen = Pick<Run, 'calls' | 'credit' | 'debit'>;

export async function beginApplying(
  transaction: Transaction<Schema>,
  dialect: AuditSource['dialect'],
  { id, actorId, seen }: { id: number; actorId: number; seen: Seen },
): Promise<Run> {
  const run = await lockRun(transaction, dialect, id);
  if (run.kind !== 'rerate' || run.state !== 'ready') throw new AppError('rerate_not_ready');
  const isSeen = run.calls === seen.calls && run.credit === seen.credit && run.debit === seen.debit;
  if (!isSeen || run.fingerprint !== (await fingerprintOf({ dialect, db: transaction }, run)))
    throw new AppError('rerate_stale');
  await refuseWhileBooking(transaction);
  return await transaction
    .updateTable('rerate_runs')
    .set({ state: 'applying', booking: nextBooking, applied_at: unixSeconds(), applied_by: actorId })
    .where('id', '=', id)
    .returningAll()
    .executeTakeFirstOrThrow();
}

/** A second run that begins at the same moment on another node is refused by a unique index. */
async function refuseWhileBooking(transaction: Transaction<Schema>): Promise<void> {
  const other = await transaction
    .selectFrom('rerate_runs')
    .select('id')
    .where('state', '=', 'applying')
    .executeTakeFirst();
  if (other !== undefined) throw new AppError('rerate_busy', { run: String(other.id) });
}

const nextBooking = sql<number>`(select coalesce(max(booking), 0) + 1 from rerate_runs)`;

export async function beginUndoing(
  transaction: Transaction<Schema>,
  dialect: AuditSource['dialect'],
  { id, actorId, reason }: { id: number; actorId: number; reason: string },
): Promise<Run> {
  const run = await lockRun(transaction, dialect, id);
  if (run.kind !== 'rerate' || run.state !== 'applied') throw new AppError('rerate_not_applied');
  await refuseWhileBooking(transaction);
  const later = await laterRun(transaction, run);
  if (later !== undefined) throw new AppError('rerate_later_run', { run: String(later) });
  const now = unixSeconds();
  const { version_id, from_at, to_at, calls, users, credit, debit } = run;
  return await transaction
    .insertInto('rerate_runs')
    .values({
      created_at: now,
      created_by: actorId,
      kind: 'undo',
      undoes_id: id,
      version_id,
      from_at,
      to_at,
      position: to_at,
      reason,
      state: 'applying',
      booking: nextBooking,
      calls,
      users,
      credit: debit,
      debit: credit,
      applied_at: now,
      applied_by: actorId,
    })
    .returningAll()
    .executeTakeFirstOrThrow();
}

/** A run that corrected one of the same calls again and is not undone itself. */
async function laterRun(transaction: Transaction<Schema>, run: Run): Promise<number | undefined> {
  const later = await transaction
    .selectFrom('rerate_runs')
    .select('id')
    .where('booking', '>', run.booking)
    .where('kind', '=', 'rerate')
    .where('state', '=', 'applied')
    .orderBy('booking', 'desc')
    .execute();
  for (const { id } of later) {
    const shared = await transaction
      .selectFrom('rerate_calls as c')
      .innerJoin('rerate_calls as o', 'o.log_id', 'c.log_id')
      .select('c.log_id')
      .where('c.run_id', '=', id)
      .where('o.run_id', '=', run.id)
      .limit(1)
      .executeTakeFirst();
    if (shared !== undefined) return id;
  }
  return undefined;
}

/** The figures of a dry run that is not applied are removed; its row stays. */
export async function discardRun(
  transaction: Transaction<Schema>,
  dialect: AuditSource['dialect'],
  id: number,
): Promise<Run> {
  const run = await lockRun(transaction, dialect, id);
  if (run.kind !== 'rerate' || (run.state !== 'ready' && run.state !== 'rating'))
    throw new AppError('rerate_not_ready');
  await transaction.deleteFrom('rerate_sums').where('run_id', '=', id).execute();
  return await transaction
    .updateTable('rerate_runs')
    .set({ state: 'discarded' })
    .where('id', '=', id)
    .returningAll()
    .executeTakeFirstOrThrow();
}
