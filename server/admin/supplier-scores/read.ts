// Scores as the last run of the job made them, and what is behind the score of one channel.
import { CHANNEL_STATUS } from '#contract/relay/channel-fields.ts';
import { AppError } from '#contract/errors.ts';
import type { ModelScore, SupplierView, suppliers } from '#contract/suppliers/suppliers.ts';
import type { Handler } from '#server/admin/context.ts';
import { evidenceOf, weightFactor } from '#server/suppliers/index.ts';
import type { SupplierDependencies } from './dependencies.ts';

const MOST_PROBES = 50;

export function listSuppliers(dependencies: SupplierDependencies): Handler<typeof suppliers.list> {
  return async () => {
    const found = await supplierViews(dependencies);
    return found.toSorted((left, right) => (left.score ?? 101) - (right.score ?? 101));
  };
}

export function readSupplier(dependencies: SupplierDependencies): Handler<typeof suppliers.read> {
  return async ({ params: { id } }) => {
    const { store } = dependencies;
    const [supplier] = await supplierViews(dependencies, id);
    if (supplier === undefined) throw new AppError('not_found');
    const [evidence, probes] = await Promise.all([
      evidenceOf(store, id),
      store.db
        .selectFrom('supplier_probes')
        .select(['id', 'created_at', 'model', 'question', 'answer', 'expected', 'verdict', 'cost'])
        .where('channel_id', '=', id)
        .orderBy('id', 'desc')
        .limit(MOST_PROBES)
        .execute(),
    ]);
    return { ...supplier, ...evidence, probes };
  };
}

async function supplierViews(
  { store, settings }: SupplierDependencies,
  channelId?: number,
): Promise<SupplierView[]> {
  let query = store.db
    .selectFrom('channels')
    .leftJoin('supplier_scores', 'supplier_scores.channel_id', 'channels.id')
    .select(['channels.id', 'channels.name', 'channels.type', 'channels.status'])
    .select(['is_trusted', 'score', 'answers', 'computed_at', 'supplier_scores.models as scored'])
    .where('channels.deleted_at', 'is', null);
  if (channelId !== undefined) query = query.where('channels.id', '=', channelId);
  const rows = await query.orderBy('channels.id').execute();
  return rows.map((row) => ({
    channel_id: row.id,
    channel_name: row.name,
    type: row.type,
    is_enabled: row.status === CHANNEL_STATUS.enabled,
    is_trusted: row.is_trusted === 1,
    score: row.score,
    answers: row.answers ?? 0,
    weight_factor: weightFactor(settings.current, row.score),
    computed_at: row.computed_at ?? 0,
    models: JSON.parse(row.scored ?? '[]') as ModelScore[],
  }));
}
