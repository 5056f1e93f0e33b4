// A user for an administrator. Of users of an equal or higher role only name, role and status are shown.
import type { Caller } from '#contract/context.ts';
import { AppError } from '#contract/errors.ts';
import type { ManagedUser } from '#contract/admin/users.ts';
import { sql, type Kysely } from 'kysely';
import { heldByCalls } from '#server/money/ledger/held-by-calls.ts';
import type { Schema } from '#server/platform/store/schema.ts';
import { percentOfRate } from '#server/money/resellers/index.ts';
import { maySee } from './levels.ts';

const HIDDEN = {
  email: '',
  github_id: '',
  wechat_id: '',
  telegram_id: '',
  linux_do_id: '',
  oidc_id: '',
  github_name: '',
  wechat_name: '',
  telegram_name: '',
  linux_do_name: '',
  oidc_name: '',
  quota: 0,
  held_quota: 0,
  used_quota: 0,
  request_count: 0,
  aff_code: '',
  aff_count: 0,
  aff_quota: 0,
  aff_history_quota: 0,
  inviter_id: 0,
  inviter_name: '',
  last_login_at: 0,
  suspended_reason: '',
  two_factor: false,
  agent_rate_percent: null,
} as const;

export function managedUsers(db: Kysely<Schema>) {
  return db
    .selectFrom('users')
    .leftJoin('users as inviter', 'inviter.id', 'users.inviter_id')
    .where('users.kind', '=', 'person')
    .select([
      'users.id',
      'users.username',
      'users.display_name',
      'users.role',
      'users.status',
      'users.email',
      'users.github_id',
      'users.wechat_id',
      'users.telegram_id',
      'users.linux_do_id',
      'users.oidc_id',
      'users.github_name',
      'users.wechat_name',
      'users.telegram_name',
      'users.linux_do_name',
      'users.oidc_name',
      'users.group',
      'users.quota',
      heldByCalls.as('held_quota'),
      'users.used_quota',
      'users.request_count',
      'users.aff_code',
      'users.aff_count',
      'users.aff_quota',
      'users.aff_history_quota',
      'users.inviter_id',
      'users.created_at',
      'users.last_login_at',
      'users.suspended_reason',
      'users.deleted_at as DeletedAt',
      sql<string>`coalesce(inviter.username, '')`.as('inviter_name'),
      sql<number>`case
        when exists (select 1 from totp_secrets where user_id = users.id and enabled_at > 0) then 1
        when exists (select 1 from passkeys where user_id = users.id) then 1
        else 0 end`.as('has_factor'),
      sql<number | null>`(select rate from agents where user_id = users.id and active = 1)`.as('agent_rate'),
    ]);
}

type ManagedRow = Awaited<ReturnType<ReturnType<typeof managedUsers>['executeTakeFirstOrThrow']>>;

export function managedView(caller: Caller, { has_factor, agent_rate, ...row }: ManagedRow): ManagedUser {
  const agent_rate_percent = agent_rate === null ? null : percentOfRate(agent_rate);
  const view = { ...row, two_factor: has_factor === 1, agent_rate_percent };
  return maySee(caller, row) ? view : { ...view, ...HIDDEN };
}

export async function oneManagedUser(db: Kysely<Schema>, caller: Caller, id: number): Promise<ManagedUser> {
  const row = await managedUsers(db).where('users.id', '=', id).executeTakeFirst();
  if (!row) throw new AppError('user_unavailable');
  return managedView(caller, row);
}
