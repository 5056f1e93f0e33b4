// Re-rating for the super admin: dry run, figures, apply, undo. The job rates and books; a handler only changes the run's row.
import { RERATE_LIST_ROWS, type rerating } from '#contract/money/rerating.ts';
import { pageSizeOf } from '#contract/lists.ts';
import { callerOf, type Handlers } from '#server/admin/context.ts';
import {
  beginApplying,
  beginUndoing,
  createRun,
  discardRun,
  type Run,
} from '#server/money/rerating/index.ts';
import type { ReratingDependencies } from './dependencies.ts';
import { exportSums } from './export.ts';
import { detailOf, viewOf, viewsOf } from './view.ts';

const audited = ({ id, version_id, from_at, to_at, models, groups, reason, calls, credit, debit }: Run) => ({
  run: id,
  version_id,
  from_at,
  to_at,
  models,
  groups,
  reason,
  calls,
  credit,
  debit,
});

export function createReratingHandlers(dependencies: ReratingDependencies): Handlers<typeof rerating> {
  const { store, wake } = dependencies;
  const { db, dialect } = store;
  return {
    async list({ query }) {
      const pageSize = pageSizeOf(query);
      const [rows, { total }] = await Promise.all([
        db
          .selectFrom('rerate_runs')
          .selectAll()
          .orderBy('id', 'desc')
          .limit(pageSize)
          .offset((query.p - 1) * pageSize)
          .execute(),
        db
          .selectFrom('rerate_runs')
          .select(({ fn }) => fn.countAll<number>().as('total'))
          .executeTakeFirstOrThrow(),
      ]);
      return { items: await viewsOf(store, rows), total, page: query.p, page_size: pageSize };
    },
    versions: () =>
      db
        .selectFrom('price_versions')
        .select(['id', 'effective_at', 'source', 'reason'])
        .orderBy('id', 'desc')
        .limit(RERATE_LIST_ROWS)
        .execute(),
    async create({ body }, context) {
      const run = await db.transaction().execute(async (transaction) => {
        const created = await createRun(transaction, dialect, body, { createdBy: callerOf(context).id });
        await context.audit(
          transaction,
          'rerating.create',
          `rerating:${created.id}`,
          undefined,
          audited(created),
        );
        return created;
      });
      wake();
      return await viewOf(store, run);
    },
    read: ({ params }) => detailOf(store, params.id),
    async apply({ params, body }, context) {
      const run = await db.transaction().execute(async (transaction) => {
        const order = { id: params.id, actorId: callerOf(context).id, seen: body };
        const begun = await beginApplying(transaction, dialect, order);
        await context.audit(transaction, 'rerating.apply', `rerating:${begun.id}`, undefined, audited(begun));
        return begun;
      });
      wake();
      return await viewOf(store, run);
    },
    async undo({ params, body }, context) {
      const run = await db.transaction().execute(async (transaction) => {
        const order = { id: params.id, actorId: callerOf(context).id, reason: body.reason };
        const begun = await beginUndoing(transaction, dialect, order);
        await context.audit(transaction, 'rerating.undo', `rerating:${params.id}`, undefined, audited(begun));
        return begun;
      });
      wake();
      return await viewOf(store, run);
    },
    async discard({ params }, context) {
      await db.transaction().execute(async (transaction) => {
        const run = await discardRun(transaction, dialect, params.id);
        await context.audit(transaction, 'rerating.discard', `rerating:${run.id}`, audited(run));
      });
      return null;
    },
    export: exportSums(dependencies),
  };
}
