// Changes name, quota or end of an unused code, or only the status of one that is not used. Every update names the status it
// expects: a code that is redeemed at the same time is not changed.
import type { Transaction } from 'kysely';
import { editedFields, refuseConflict } from '#server/admin/based-on.ts';
import type { RequestContext } from '#server/admin/context.ts';
import type { Input } from '#contract/endpoint.ts';
import { AppError } from '#contract/errors.ts';
import { invalidField } from '#contract/problem-words.ts';
import {
  REDEMPTION_STATUS,
  redemptionChange,
  type redemptions,
  type RedemptionView,
} from '#contract/money/redemptions.ts';
import { requireStepUpForQuota } from '#server/admin/accounts.ts';
import { lockRow } from '#server/platform/store/locks.ts';
import type { Row, RowChange, Schema } from '#server/platform/store/schema.ts';
import { nowSeconds } from '#server/admin/clock.ts';
import type { RedemptionDependencies } from './dependencies.ts';
import { checkedName, refusePastExpiry } from './fields.ts';
import { auditedCode, oneCodeView } from './view.ts';

type Change = Input<typeof redemptions.change>['body'];

export function changeCode(dependencies: RedemptionDependencies) {
  const { store } = dependencies;
  return async (
    { query, body }: Input<typeof redemptions.change>,
    context: RequestContext,
  ): Promise<RedemptionView> => {
    await store.db.transaction().execute(async (transaction) => {
      const row = await lockCode(transaction, body.id);
      const { name, quota, expired_time } = row;
      const present = { name, quota, expired_time };
      const target = `redemption:${row.id}` as const;
      await refuseConflict(transaction, { fields: redemptionChange, body, present, target });
      const edited = { ...editedFields(redemptionChange, body), id: row.id };
      const columns = query.status_only ? statusChange(row, body) : fieldChange(row, edited, context);
      const changed = await transaction
        .updateTable('redemptions')
        .set(columns)
        .where('id', '=', row.id)
        .where('status', '=', row.status)
        .returningAll()
        .executeTakeFirstOrThrow();
      const [before, after] = [auditedCode(row), auditedCode(changed)];
      await context.audit(transaction, 'redemption.change', target, before, after);
    });
    return oneCodeView(store, context, body.id);
  };

  async function lockCode(transaction: Transaction<Schema>, id: number): Promise<Row<'redemptions'>> {
    const row = await lockRow(store, transaction, 'redemptions', id);
    if (row === undefined || row.deleted_at !== null) throw new AppError('not_found');
    return row;
  }

  function statusChange(row: Row<'redemptions'>, { status }: Change): RowChange<'redemptions'> {
    if (status !== REDEMPTION_STATUS.unused && status !== REDEMPTION_STATUS.disabled)
      throw invalidField('status', 'on_or_off');
    if (row.status === REDEMPTION_STATUS.used)
      throw new AppError('redemption_used_fixed', {}, { field: 'status' });
    return { status };
  }

  function fieldChange(
    row: Row<'redemptions'>,
    body: Change,
    context: RequestContext,
  ): RowChange<'redemptions'> {
    if (row.status !== REDEMPTION_STATUS.unused) throw new AppError('redemption_not_editable');
    const quota = body.quota ?? row.quota;
    requireStepUpForQuota(context, quota - row.quota, dependencies.settings.current.QuotaPerUnit);
    const expired_time = body.expired_time ?? row.expired_time;
    if (expired_time !== row.expired_time) refusePastExpiry(expired_time, nowSeconds(dependencies));
    const name = body.name === undefined ? row.name : checkedName(dependencies, body.name, quota);
    return { name, quota, expired_time };
  }
}
