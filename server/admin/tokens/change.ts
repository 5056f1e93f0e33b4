// Changes the fields an owner may set, or only the status. Only given columns are written, and the quota as a difference,
// so that charges and holds of running calls are kept.
import type { Handler, RequestContext } from '#server/admin/context.ts';
import { editedFields, refuseConflict } from '#server/admin/based-on.ts';
import { nowSeconds } from '#server/admin/clock.ts';
import type { Input } from '#contract/endpoint.ts';
import { AppError } from '#contract/errors.ts';
import { invalidField } from '#contract/problem-words.ts';
import {
  TOKEN_STATUS,
  tokenChange,
  tokenExhausted,
  tokenExpired,
  type tokens,
} from '#contract/admin/tokens.ts';
import { sql, type Transaction } from 'kysely';
import type { Row, Schema } from '#server/platform/store/schema.ts';
import type { TokenDependencies } from './dependencies.ts';
import { tokenColumns } from './fields.ts';
import { chooseHolder, holdOrganization, requireProjectOf, requireWorking } from './holder.ts';
import { ownToken } from './own-token.ts';
import { reachOf } from './reach.ts';
import { auditedToken, fieldsOf, oneTokenView } from './view.ts';

type Change = Input<typeof tokens.change>['body'];

export function changeToken(dependencies: TokenDependencies): Handler<typeof tokens.change> {
  return async ({ query, body }, context) => {
    const reach = reachOf(context);
    const change = query.status_only ? changeStatus : changeFields;
    if (body.remain_quota !== undefined) await dependencies.ledger.writeHolds(reach.userId);
    const token = await dependencies.store.db.transaction().execute(async (transaction) => {
      const lock = dependencies.store.dialect === 'postgres';
      await holdOrganization(dependencies.store, transaction, context);
      const row = await ownToken(transaction, reach, body.id, { lock });
      // The quota is booked as a difference instead: charges change it all the time.
      const { remain_quota: _quota, ...fields } = fieldsOf(row);
      const { member_id, service_account_id, project_id } = row;
      const present = { ...fields, member_id, service_account_id, project_id };
      const target = `token:${body.id}` as const;
      await refuseConflict(transaction, { fields: tokenChange, body, present, target });
      const edited = { ...editedFields(tokenChange, body), id: body.id };
      const changed = await change(dependencies, transaction, context, row, edited);
      const [before, after] = [auditedToken(row), auditedToken(changed)];
      await context.audit(transaction, 'token.change', target, before, after);
      return changed;
    });
    await dependencies.store.changes.announce('tokens', String(token.id));
    return oneTokenView(dependencies, context, token);
  };
}

async function changeStatus(
  dependencies: TokenDependencies,
  transaction: Transaction<Schema>,
  _context: RequestContext,
  row: Row<'tokens'>,
  body: Change,
): Promise<Row<'tokens'>> {
  const { status } = body;
  if (status !== TOKEN_STATUS.enabled && status !== TOKEN_STATUS.disabled) {
    throw invalidField('status', 'on_or_off');
  }
  if (status === TOKEN_STATUS.enabled) {
    if (tokenExpired(row, nowSeconds(dependencies))) {
      throw new AppError('token_expired_cannot_enable', {}, { field: 'expired_time' });
    }
    if (tokenExhausted(row)) {
      throw new AppError('token_exhausted_cannot_enable', {}, { field: 'remain_quota' });
    }
    await requireWorking(transaction, row.id);
  }
  return transaction
    .updateTable('tokens')
    .set({ status })
    .where('id', '=', row.id)
    .where('user_id', '=', row.user_id)
    .returningAll()
    .executeTakeFirstOrThrow();
}

async function changeFields(
  dependencies: TokenDependencies,
  transaction: Transaction<Schema>,
  context: RequestContext,
  row: Row<'tokens'>,
  body: Change,
): Promise<Row<'tokens'>> {
  const columns = tokenColumns(dependencies, reachOf(context), body, row);
  const holder = await chooseHolder(transaction, context, holderIn(body));
  if (Object.keys(holder).length > 0) await requireProjectOf(transaction, { ...row, ...holder });
  const quotaDifference = differenceOf(row, body, (columns.unlimited_quota ?? row.unlimited_quota) === 1);
  const status = statusAfter(
    row,
    {
      expired_time: columns.expired_time ?? row.expired_time,
      unlimited_quota: columns.unlimited_quota ?? row.unlimited_quota,
      remain_quota: row.remain_quota + quotaDifference,
    },
    nowSeconds(dependencies),
  );
  return transaction
    .updateTable('tokens')
    .set({ ...columns, ...holder, status, remain_quota: sql<number>`remain_quota + ${quotaDifference}` })
    .where('id', '=', row.id)
    .where('user_id', '=', row.user_id)
    .returningAll()
    .executeTakeFirstOrThrow();
}

const holderIn = ({ member_id, service_account_id, project_id }: Change) => ({
  member_id,
  service_account_id,
  project_id,
});

/** The new quota minus the quota the form was loaded with, or the current one when the caller does not send it. */
function differenceOf(row: Row<'tokens'>, body: Change, unlimited: boolean): number {
  if (body.remain_quota === undefined) return 0;
  const difference = body.remain_quota - (body.loaded_remain_quota ?? row.remain_quota);
  const remain = row.remain_quota + difference;
  if (remain < 0 || !Number.isSafeInteger(remain)) {
    throw new AppError('token_changed_meanwhile', {}, { field: 'remain_quota' });
  }
  if (!unlimited && remain < row.held_quota) {
    throw new AppError('token_quota_held', { held: row.held_quota }, { field: 'remain_quota' });
  }
  return difference;
}

/** A later end or more quota enables an expired or exhausted token again; one disabled by hand stays disabled. */
function statusAfter(
  row: Row<'tokens'>,
  after: Pick<Row<'tokens'>, 'expired_time' | 'unlimited_quota' | 'remain_quota'>,
  now: number,
): number {
  const ended = row.status === TOKEN_STATUS.expired || row.status === TOKEN_STATUS.exhausted;
  return ended && !tokenExpired(after, now) && !tokenExhausted(after) ? TOKEN_STATUS.enabled : row.status;
}
