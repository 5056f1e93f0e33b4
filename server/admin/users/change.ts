// An administrator edits a user of a lower role: name, group, password, and the balance by a difference that the ledger
// books with its reason. Only changed columns are written, so that concurrent changes of others are kept.
import { callerOf, type RequestContext, type Handler } from '#server/admin/context.ts';
import { changeAndSignOut, requireStepUp, requireStepUpForQuota } from '#server/admin/accounts.ts';
import { editedFields, refuseConflict } from '#server/admin/based-on.ts';
import { changeUser as writeUser } from '#server/admin/write-user.ts';
import { refuseReservedName, refuseTakenName } from '#server/admin/sign-up.ts';
import type { Input } from '#contract/endpoint.ts';
import { AppError } from '#contract/errors.ts';
import { passwordProblem } from '#contract/admin/passwords.ts';
import { invalidField } from '#contract/problem-words.ts';
import {
  DISPLAY_NAME_MAX,
  userChange,
  userFixedFields,
  type userManagement,
} from '#contract/admin/user-management.ts';
import type { Transaction } from 'kysely';
import { hashPassword } from '#server/platform/store/passwords.ts';
import type { Row, RowChange, Schema } from '#server/platform/store/schema.ts';
import { adjustQuota, quotaDifference, type Adjustment } from './adjust-quota.ts';
import { requireGroup } from './group-names.ts';
import { requireBelow, targetUser } from './levels.ts';
import type { ManagementDependencies } from './management-dependencies.ts';
import { oneManagedUser } from './managed-view.ts';

type Body = Input<typeof userManagement.change>['body'];

export function changeUser(dependencies: ManagementDependencies): Handler<typeof userManagement.change> {
  const { store, settings, ledger, ownerLetters } = dependencies;

  return async ({ body }, context) => {
    const caller = callerOf(context);
    await refuseBeforeHashing(body, caller);
    if (body.password) requireStepUp(context);
    const password_hash = body.password ? await acceptPassword(body.password, body.username) : undefined;
    if (body.quota !== undefined || body.quota_change !== undefined) await ledger.writeHolds(body.id);
    await store.db
      .transaction()
      .execute(async (transaction) => {
        const row = await targetUser(store, transaction, body.id);
        requireBelow(caller, row);
        refuseFixedFields(body, row);
        const { username, display_name, group } = row;
        const present = { username, display_name, group };
        await refuseConflict(transaction, { fields: userChange, body, present, target: `user:${row.id}` });
        const columns = changedColumns({ ...editedFields(userChange, body), id: row.id }, row);
        await write(transaction, row, columns, password_hash);
        if (password_hash !== undefined) await ownerLetters.put(transaction, row.id, 'password_set');
        const difference = quotaDifference(body, row.quota);
        requireStepUpForQuota(context, difference, settings.current.QuotaPerUnit);
        const adjustment = await adjustQuota(dependencies, transaction, {
          caller,
          user: row,
          request: body,
          difference,
        });
        const changes = { columns, hasNewPassword: password_hash !== undefined, adjustment };
        await audit(context, transaction, row, changes);
      })
      .catch(refuseTakenName);
    ownerLetters.wake();
    await store.changes.announce('users', String(body.id));
    return await oneManagedUser(store.db, caller, body.id);
  };

  /** Hashing is slow on purpose: refuse first what the caller may not change. */
  async function refuseBeforeHashing({ id, group }: Body, caller: { role: number }): Promise<void> {
    if (group) requireGroup(settings.current, group);
    const row = await store.db
      .selectFrom('users')
      .select('role')
      .where('id', '=', id)
      .where('kind', '=', 'person')
      .executeTakeFirst();
    if (!row) throw new AppError('user_unavailable');
    if (row.role >= caller.role) throw new AppError('user_not_manageable');
  }
}

async function acceptPassword(password: string, username = ''): Promise<string> {
  const problem = passwordProblem(password, username);
  if (problem) throw new AppError(problem, {}, { field: 'password' });
  return await hashPassword(password);
}

type FixedField = keyof typeof userFixedFields.shape;

/** A caller who is answered with success would believe that the field was changed. */
function refuseFixedFields(body: Body, row: Row<'users'>): void {
  for (const field of Object.keys(userFixedFields.shape) as FixedField[]) {
    if (body[field] === undefined || body[field] === row[field]) continue;
    throw invalidField(field, field === 'role' || field === 'status' ? 'by_action' : 'fixed');
  }
}

type Columns = Pick<RowChange<'users'>, 'username' | 'display_name' | 'group'>;

function changedColumns(body: Body, row: Row<'users'>): Columns {
  if (body.username === '') throw new AppError('credentials_required', {}, { field: 'username' });
  const columns: Columns = {};
  if (body.username !== undefined && body.username !== row.username) {
    refuseReservedName(body.username);
    columns.username = body.username;
  }
  if (body.display_name !== undefined) {
    // A blank name is the user name, as it is for a new account.
    const name = body.display_name || (body.username ?? row.username).slice(0, DISPLAY_NAME_MAX);
    if (name !== row.display_name) columns.display_name = name;
  }
  // Older clients send every field; an empty group means unchanged.
  if (body.group && body.group !== row.group) columns.group = body.group;
  return columns;
}

async function write(
  transaction: Transaction<Schema>,
  { id }: Row<'users'>,
  columns: Columns,
  password_hash: string | undefined,
): Promise<void> {
  if (Object.keys(columns).length > 0) await writeUser(transaction, id, columns);
  if (password_hash !== undefined)
    await changeAndSignOut(transaction, id, { password_hash, password_is_initial: 0 });
}

interface Changes {
  columns: Columns;
  hasNewPassword: boolean;
  adjustment: Adjustment | undefined;
}

async function audit(
  context: RequestContext,
  transaction: Transaction<Schema>,
  row: Row<'users'>,
  { columns, hasNewPassword, adjustment }: Changes,
): Promise<void> {
  const target = `user:${row.id}` as const;
  if (Object.keys(columns).length > 0) {
    const names = Object.keys(columns) as (keyof Columns)[];
    const before = Object.fromEntries(names.map((name) => [name, row[name]]));
    await context.audit(transaction, 'user.change', target, before, columns);
  }
  if (hasNewPassword) await context.audit(transaction, 'user.set_password', target);
  if (adjustment) {
    const { difference, quota, reason } = adjustment;
    await context.audit(
      transaction,
      'user.quota',
      target,
      { quota: quota - difference },
      { quota, difference, reason },
    );
  }
}
