// An administrator creates an account of a lower role than their own, with the quota of a new user.
import { isRoot, ROLE } from '#contract/access.ts';
import { callerOf, type Caller, type RequestContext, type Handler } from '#server/admin/context.ts';
import {
  createAccount,
  isNameTaken,
  nameTaken,
  refuseReservedName,
  refuseTakenName,
} from '#server/admin/sign-up.ts';
import type { Input } from '#contract/endpoint.ts';
import { AppError } from '#contract/errors.ts';
import { invalidField } from '#contract/problem-words.ts';
import { passwordProblem } from '#contract/admin/passwords.ts';
import type { userManagement } from '#contract/admin/user-management.ts';
import { hashPassword } from '#server/platform/store/passwords.ts';
import { requireGroup } from './group-names.ts';
import type { ManagementDependencies } from './management-dependencies.ts';
import { oneManagedUser } from './managed-view.ts';

type Body = Input<typeof userManagement.create>['body'];

export function createUser(dependencies: ManagementDependencies): Handler<typeof userManagement.create> {
  const { store, settings } = dependencies;

  return async ({ body }, context) => {
    const caller = callerOf(context);
    if (body.username === '' || body.password === '')
      throw new AppError(
        'credentials_required',
        {},
        { field: body.username === '' ? 'username' : 'password' },
      );
    refuseReservedName(body.username);
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
    // Checked before the slow hash; the unique index decides between two concurrent requests.
    if (await isNameTaken(store, username)) throw nameTaken();
    const password_hash = await hashPassword(password);
    return await store.db
      .transaction()
      .execute(async (transaction) => {
        const id = await createAccount(dependencies, transaction, {
          username,
          password_hash,
          role,
          group,
          display_name: display_name || username.slice(0, 20),
        });
        await context.audit(transaction, 'user.create', `user:${id}`, undefined, { username, role, group });
        return id;
      })
      .catch(refuseTakenName);
  }
}

/** A lower role than the caller's; only the super admin may create administrators. */
function roleFor(caller: Caller, role: number): number {
  if (role >= caller.role || (role !== ROLE.user && !isRoot(caller.role)))
    throw new AppError('user_create_level', {}, { field: 'role' });
  if (role !== ROLE.user && role !== ROLE.admin) throw invalidField('role', 'role');
  return role;
}
