// The history of option changes, and rollback. A rollback is a change like any other: the same rules, and a history row.
import { callerOf, type Handler } from '#server/admin/context.ts';
import { AppError } from '#contract/errors.ts';
import { pageSizeOf } from '#contract/lists.ts';
import type { options } from '#contract/options.ts';
import { isSettingKey } from '#contract/settings.ts';
import type { SettingsDependencies } from './dependencies.ts';
import { refuseGroupsInUse } from '#server/platform/settings/group-use.ts';
import { auditedSave, knownKey } from './save.ts';
import { requireStepUpFor } from './step-up.ts';
import { isSecret, textOf } from './view.ts';

export function listHistory({ store }: SettingsDependencies): Handler<typeof options.history> {
  return async ({ query }) => {
    const size = pageSizeOf(query);
    const changes = store.db
      .selectFrom('option_history')
      .$if(query.key !== '', (rows) => rows.where('option_history.key', '=', query.key));
    const { total } = await changes
      .select((builder) => builder.fn.countAll<number>().as('total'))
      .executeTakeFirstOrThrow();
    const rows = await changes
      .leftJoin('users', 'users.id', 'option_history.actor_id')
      .select([
        'option_history.id',
        'option_history.key',
        'old_value',
        'new_value',
        'actor_id',
        'option_history.created_at',
        'users.username',
      ])
      .orderBy('option_history.id', 'desc')
      .limit(size)
      .offset((query.p - 1) * size)
      .execute();
    const items = rows.map(({ username, ...row }) => ({
      ...row,
      actor_name: username ?? '',
      can_roll_back: isSettingKey(row.key) && !isSecret(row.key),
    }));
    return { items, total, page: query.p, page_size: size };
  };
}

export function rollBackOption(dependencies: SettingsDependencies): Handler<typeof options.rollback> {
  return async ({ params }, context) => {
    const { store, settings } = dependencies;
    const change = await store.db
      .selectFrom('option_history')
      .select(['key', 'old_value'])
      .where('id', '=', params.id)
      .executeTakeFirst();
    if (!change) throw new AppError('not_found');
    const key = knownKey(change.key);
    if (isSecret(key)) throw new AppError('setting_cannot_roll_back');
    requireStepUpFor(key, context);
    await refuseGroupsInUse(dependencies, key, change.old_value);
    const options = auditedSave(context, 'option.rollback');
    await settings.set(key, change.old_value, callerOf(context).id, options);
    return { key, value: textOf(settings.current, key) };
  };
}
