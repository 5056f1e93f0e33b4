// An administrator creates an account of a lower role than their own, with the quota of a new user.
import { randomBytes } from 'node:crypto';
import { isRoot, ROLE } from '#contract/access.ts';
import { callerOf, type Caller, type RequestContext, type Handler } from '#server/features/context.ts';
import type { Input } from '#contract/endpoint.ts';
import { AppError } from '#contract/errors.ts';
import { LOG_TYPE } from '#contract/logs.ts';
import { passwordProblem } from '#contract/passwords.ts';
import type { userManagement } from '#contract/user-management.ts';
import { sql, type Transaction } from 'kysely';
import { isUniqueViolation } from '#server/store/errors.ts';
import { hashPassword } from '#server/store/passwords.ts';
import type { Schema } from '#server/store/schema.ts';
import { requireGroup } from './group-names.ts';
import { unixSeconds, type ManagementDependencies } from './management-dependencies.ts';
import { oneManagedUser } from './managed-view.ts';

type Body = Input<typeof userManagement.create>['body'];

export function createUser(dependencies: ManagementDependencies): Handler<typeof userManagement.create> {
  const { store, settings, ledger } = dependencies;

  return async ({ body }, context) => {
    const caller = callerOf(context);
    if (body.username === '' || body.password === '')
      throw new AppError(
        'credentials_required',
        {},
        { field: body.username === '' ? 'username' : 'password' },
      );
    const role = roleFor(caller, body.role ?? ROLE.user);
    const problem = passwordProblem(body.password, body.username);
    if (problem) throw new AppError(problem, {}, { field: 'password' });
    const group = requireGroup(settings.current, body.group || 'default');
    const id = await insert(body, { role, group }, context);
    return await oneManagedUser(store.db, caller, id);
  };

  async function insert(
    { username, display_name, password }: Body,
    { role, group }: { role: number; group: string },
    context: RequestContext,
  ): Promise<number> {
    await refuseTakenName(username);
    const password_hash = await hashPassword(password);
    try {
      return await store.db.transaction().execute(async (transaction) => {
        const { id } = await transaction
          .insertInto('users')
          .values({
            username,
            password_hash,
            display_name: display_name || username.slice(0, 20),
            role,
            group,
            aff_code: randomBytes(6).toString('base64url'),
            created_at: unixSeconds(),
          })
          .returning('id')
          .executeTakeFirstOrThrow();
        await grantFirstQuota(transaction, id, username);
        await context.audit(transaction, 'user.create', `user:${id}`, undefined, { username, role, group });
        return id;
      });
    } catch (error) {
      if (isUniqueViolation(error, 'username'))
        throw new AppError('username_taken', {}, { field: 'username' });
      throw error;
    }
  }

  /** Checked before the slow hash; the unique index decides between two concurrent requests. */
  async function refuseTakenName(username: string): Promise<void> {
    const taken = await store.db
      .selectFrom('users')
      .select('id')
      .where(sql`lower(username)`, '=', sql`lower(${username})`)
      .executeTakeFirst();
    if (taken) throw new AppError('username_taken', {}, { field: 'username' });
  }

  async function grantFirstQuota(
    transaction: Transaction<Schema>,
    id: number,
    username: string,
  ): Promise<void> {
    const amount = settings.current.QuotaForNewUser;
    if (amount <= 0) return;
    const booked = await ledger.transferWithin(transaction, {
      idem: `signup:${id}`,
      userId: id,
      amount,
      from: 'world:signup',
      to: 'user',
      kind: 'signup',
      reference: `user:${id}`,
      log: {
        type: LOG_TYPE.system,
        user_id: id,
        username,
        quota: amount,
        content: `新用户注册赠送额度 / sign-up quota: ${amount}`,
      },
    });
    if (!booked.ok) throw new Error(`the sign-up grant could not be booked: ${booked.reason}`);
  }
}

/** A lower role than the caller's; only the super admin may create administrators. */
function roleFor(caller: Caller, role: number): number {
  if (role >= caller.role || (role !== ROLE.user && !isRoot(caller.role)))
    throw new AppError('user_create_level', {}, { field: 'role' });
  if (role !== ROLE.user && role !== ROLE.admin)
    throw new AppError('invalid_parameter', { detail: 'role' }, { field: 'role' });
  return role;
}
