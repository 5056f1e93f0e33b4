// The page of one task: of the caller, or any task for administrators. Another user's task is not found.
import { isAdmin } from '#contract/access.ts';
import { AppError } from '#contract/errors.ts';
import { TASK_PLATFORMS, type tasks } from '#contract/relay/tasks.ts';
import { unixSeconds } from '#contract/time.ts';
import { accountOf, onlyMemberOf, type Handler } from '#server/admin/context.ts';
import { taskViewOf, type TaskDependencies } from './tasks.ts';

export function taskPage(dependencies: TaskDependencies): Handler<typeof tasks.page> {
  const { db } = dependencies.store;
  return async ({ params: { id } }, context) => {
    const account = accountOf(context);
    const memberId = onlyMemberOf(context);
    const all = isAdmin(account.role);
    let found = db
      .selectFrom('tasks')
      .selectAll()
      .where('id', '=', id)
      .where('platform', 'in', [...TASK_PLATFORMS]);
    if (!all) found = found.where('user_id', '=', account.id);
    if (memberId !== undefined) found = found.where('member_id', '=', memberId);
    const row = await found.executeTakeFirst();
    if (row === undefined) throw new AppError('not_found');
    const [token, channel] = await Promise.all([
      db
        .selectFrom('tokens')
        .select(['id', 'name'])
        .where('id', '=', row.token_id)
        .where('deleted_at', 'is', null)
        .executeTakeFirst(),
      db
        .selectFrom('channels')
        .select(['id', 'name'])
        .where('id', '=', row.channel_id)
        .where('deleted_at', 'is', null)
        .executeTakeFirst(),
    ]);
    const names = new Map(channel ? [[channel.id, channel.name]] : []);
    return {
      now: unixSeconds(),
      task: taskViewOf(dependencies, row, all ? 'all' : 'self', context.language, names),
      channel: all ? (channel ?? null) : null,
      token: token ?? null,
      group: row.group,
      money: row.money,
    };
  };
}
