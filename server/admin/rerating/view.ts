// A run as the operator sees it.
import { sql } from 'kysely';
import { RERATE_LIST_ROWS, type RerateDetail, type RerateRun } from '#contract/money/rerating.ts';
import { AppError } from '#contract/errors.ts';
import type { Run } from '#server/money/rerating/index.ts';
import type { Store } from '#server/platform/store/store.ts';

export async function viewsOf({ db }: Store, runs: readonly Run[]): Promise<RerateRun[]> {
  if (runs.length === 0) return [];
  const [names, undos] = await Promise.all([
    db
      .selectFrom('users')
      .select(['id', 'username'])
      .where('id', 'in', [...new Set(runs.map(({ created_by }) => created_by))])
      .execute(),
    db
      .selectFrom('rerate_runs')
      .select(['id', 'undoes_id'])
      .where(
        'undoes_id',
        'in',
        runs.map(({ id }) => id),
      )
      .execute(),
  ]);
  const nameOf = new Map(names.map(({ id, username }) => [id, username]));
  const undoOf = new Map(undos.map(({ id, undoes_id }) => [undoes_id, id]));
  return runs.map(
    ({ models, groups, left_out, fingerprint: _fingerprint, booking: _booking, undone_by: _by, ...run }) => ({
      ...run,
      created_by_name: nameOf.get(run.created_by) ?? '',
      undone_by_run: undoOf.get(run.id) ?? 0,
      models: JSON.parse(models) as string[],
      groups: JSON.parse(groups) as string[],
      left_out: JSON.parse(left_out) as RerateRun['left_out'],
    }),
  );
}

export async function viewOf(store: Store, run: Run): Promise<RerateRun> {
  const [view] = await viewsOf(store, [run]);
  if (view === undefined) throw new AppError('not_found');
  return view;
}

export async function detailOf(store: Store, id: number): Promise<RerateDetail> {
  const { db } = store;
  const run = await db.selectFrom('rerate_runs').selectAll().where('id', '=', id).executeTakeFirst();
  if (run === undefined) throw new AppError('not_found');
  // An undo has the figures of the run that it undoes, the other way.
  const ratedRun = run.kind === 'undo' ? run.undoes_id : id;
  const before = run.kind === 'undo' ? sql`"after"` : sql`"before"`;
  const after = run.kind === 'undo' ? sql`"before"` : sql`"after"`;
  const sums = sql`sum(s.calls) as calls, sum(s.${before}) as "before", sum(s.${after}) as "after"`;
  const from = sql`from rerate_sums s where s.run_id = ${ratedRun}`;
  const order = sql`order by abs(sum(s."after") - sum(s."before")) desc, 1 limit ${RERATE_LIST_ROWS}`;
  const [byUser, byModel, byDay, notes, cleaning] = await Promise.all([
    sql<RerateDetail['by_user'][number]>`
      select s.user_id, coalesce((select username from users u where u.id = s.user_id), '') as username, ${sums}
      ${from} group by s.user_id ${order}`.execute(db),
    sql<
      RerateDetail['by_model'][number]
    >`select s.model_name, ${sums} ${from} group by s.model_name ${order}`.execute(db),
    sql<RerateDetail['by_day'][number]>`
      select s.day, ${sums} ${from} group by s.day order by s.day limit 366`.execute(db),
    notesOf(store, run, ratedRun),
    db.selectFrom('log_cleaning').select('cleaned_before').executeTakeFirst(),
  ]);
  return {
    ...(await viewOf(store, run)),
    cleaned_before: cleaning?.cleaned_before ?? 0,
    by_user: byUser.rows,
    by_model: byModel.rows,
    by_day: byDay.rows,
    ...notes,
  };
}

async function notesOf(
  { db }: Store,
  run: Run,
  ratedRun: number,
): Promise<Pick<RerateDetail, 'notes' | 'booked'>> {
  const [total, parts] = await Promise.all([
    sql<{ total: number }>`select count(*) as total from (
      select distinct user_id, day from rerate_sums where run_id = ${ratedRun}) days`.execute(db),
    sql<Record<'done' | 'changed' | 'wallet' | 'plan' | 'suspense', number>>`
      select coalesce(sum(last), 0) as done, coalesce(sum(case state when 'changed' then 1 else 0 end), 0) as changed,
        coalesce(sum(wallet), 0) as wallet, coalesce(sum(plan), 0) as plan, coalesce(sum(suspense), 0) as suspense
      from rerate_parts where run_id = ${run.id}`.execute(db),
  ]);
  const { done = 0, changed = 0, wallet = 0, plan = 0, suspense = 0 } = parts.rows[0] ?? {};
  return {
    notes: { total: total.rows[0]?.total ?? 0, done, changed },
    booked: { wallet, plan, suspense },
  };
}
