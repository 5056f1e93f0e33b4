// The caller's own account, without hashes and digests.
import type { users } from '#contract/admin/users.ts';
import { callerOf, type Handler } from '#server/admin/context.ts';
import { AppError } from '#contract/errors.ts';
import { heldByCalls } from '#server/money/ledger/held-by-calls.ts';
import { sql } from 'kysely';
import type { UserDependencies } from './dependencies.ts';

export function readSelf({ store }: UserDependencies): Handler<typeof users.self> {
  return async (_, context) => {
    const row = await store.db
      .selectFrom('users')
      .select([
        'id',
        'username',
        'display_name',
        'role',
        'status',
        'email',
        'github_id',
        'wechat_id',
        'telegram_id',
        'linux_do_id',
        'oidc_id',
        'github_name',
        'wechat_name',
        'telegram_name',
        'linux_do_name',
        'oidc_name',
        'group',
        'quota',
        heldByCalls.as('held_quota'),
        'used_quota',
        'request_count',
        'aff_code',
        'aff_count',
        'aff_quota',
        'aff_history_quota',
        'inviter_id',
        'created_at',
        'last_login_at',
        'deleted_at as DeletedAt',
        'password_is_initial',
        sql<number>`case when exists (select 1 from agents where user_id = users.id) then 1 else 0 end`.as(
          'is_agent',
        ),
      ])
      .where('id', '=', callerOf(context).id)
      .executeTakeFirst();
    if (!row) throw new AppError('user_unavailable');
    const { password_is_initial, is_agent } = row;
    return { ...row, password_is_initial: password_is_initial === 1, is_agent: is_agent === 1 };
  };
}
