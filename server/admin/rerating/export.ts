// What a run changes, by user, day and model, as a file.
import { AppError } from '#contract/errors.ts';
import type { rerating } from '#contract/money/rerating.ts';
import type { Handler } from '#server/admin/context.ts';
import { EXPORT_ROWS_PER_PIECE, exportFile } from '#server/admin/export-file.ts';
import { sql } from 'kysely';
import type { ReratingDependencies } from './dependencies.ts';

interface SumRow {
  user_id: number;
  username: string;
  day: number;
  model_name: string;
  calls: number;
  before: number;
  after: number;
}

const COLUMNS = [
  'user_id',
  'username',
  'day',
  'model_name',
  'calls',
  'before',
  'after',
  'difference',
] as const;

export function exportSums({ store }: ReratingDependencies): Handler<typeof rerating.export> {
  return async ({ params, query }, context) => {
    const run = await store.db
      .selectFrom('rerate_runs')
      .select('id')
      .where('id', '=', params.id)
      .executeTakeFirst();
    if (run === undefined) throw new AppError('not_found');
    await context.auditEvent('rerating.export', `rerating:${run.id}`, query);
    return exportFile<SumRow>({
      name: `rerating-${run.id}`,
      format: query.format,
      pieces: pieces(store, run.id),
      columns: COLUMNS,
      cells: (row) => [
        row.user_id,
        row.username,
        new Date(row.day * 1000).toISOString().slice(0, 10),
        row.model_name,
        row.calls,
        row.before,
        row.after,
        row.after - row.before,
      ],
    });
  };
}

async function* pieces({ db }: ReratingDependencies['store'], runId: number) {
  let after: Pick<SumRow, 'user_id' | 'day' | 'model_name'> = { user_id: 0, day: 0, model_name: '' };
  for (;;) {
    const { rows } = await sql<SumRow>`
      select s.user_id, coalesce((select username from users u where u.id = s.user_id), '') as username, s.day,
        s.model_name, s.calls, s."before", s."after"
      from rerate_sums s where s.run_id = ${runId}
        and (s.user_id, s.day, s.model_name) > (${after.user_id}, ${after.day}, ${after.model_name})
      order by s.user_id, s.day, s.model_name limit ${EXPORT_ROWS_PER_PIECE}`.execute(db);
    if (rows.length > 0) yield rows;
    const last = rows.at(-1);
    if (last === undefined || rows.length < EXPORT_ROWS_PER_PIECE) return;
    after = last;
  }
}
