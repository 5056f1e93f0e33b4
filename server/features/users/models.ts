// The models a user can call now: in an enabled channel of a group the user may use.
import type { users } from '#contract/users.ts';
import { callerOf, type Handler } from '#server/features/context.ts';
import type { UserDependencies } from './dependencies.ts';
import { usableGroupNames } from './groups.ts';

const CHANNEL_ENABLED = 1;

export function usableModels({ store, settings }: UserDependencies): Handler<typeof users.models> {
  return async (_, context) => {
    const rows = await store.db
      .selectFrom('abilities')
      .innerJoin('channels', 'channels.id', 'abilities.channel_id')
      .select('abilities.model')
      .distinct()
      .where('abilities.enabled', '=', 1)
      .where('channels.status', '=', CHANNEL_ENABLED)
      .where('abilities.group', 'in', usableGroupNames(settings, callerOf(context).group))
      .orderBy('abilities.model')
      .execute();
    return rows.map(({ model }) => model);
  };
}
