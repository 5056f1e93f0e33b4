// The groups of the settings: what uses each of them, and the refusal to remove one that users are in.
import { sql } from 'kysely';
import { AppError } from '#contract/errors.ts';
import type { GroupUse } from '#contract/options.ts';
import { SETTINGS, type SettingKey } from '#contract/settings.ts';
import type { SettingsDependencies } from './dependencies.ts';

export function listGroupUse({ store }: Pick<SettingsDependencies, 'store'>) {
  return async (): Promise<GroupUse[]> => {
    const { rows } = await sql<GroupUse>`
      select * from (
        select g as "group", cast(sum(users) as integer) as users, cast(sum(tokens) as integer) as tokens,
          cast(sum(channels) as integer) as channels
        from (
          select "group" as g, count(*) as users, 0 as tokens, 0 as channels from users
            where deleted_at is null group by "group"
          union all
          select "group", 0, count(*), 0 from tokens where deleted_at is null and "group" <> '' group by "group"
          union all
          select "group", 0, 0, count(distinct channel_id) from abilities group by "group"
        ) counted group by g) used
      order by "group"`.execute(store.db);
    return rows;
  };
}

/** Every call of these users would be refused. `text` is the new value of the option. */
export async function refuseGroupsInUse(
  {
    store,
    settings,
  }: {
    store: Pick<SettingsDependencies['store'], 'db'>;
    settings: Pick<SettingsDependencies['settings'], 'current'>;
  },
  key: SettingKey,
  text: string,
): Promise<void> {
  if (key !== 'GroupRatio') return;
  const next = ratiosOf(text);
  // The rules of the option refuse to remove `default`.
  const removed = Object.keys(settings.current.GroupRatio).filter(
    (group) => next && group !== 'default' && !Object.hasOwn(next, group),
  );
  if (removed.length === 0) return;
  const row = await store.db
    .selectFrom('users')
    .select(['group', (column) => column.fn.countAll<number>().as('users')])
    .where('group', 'in', removed)
    .where('deleted_at', 'is', null)
    .groupBy('group')
    .orderBy('group')
    .executeTakeFirst();
  if (row) throw new AppError('group_in_use', { group: row.group, users: row.users }, { field: key });
}

/** Undefined when the text is not valid; saving it is refused with the reason. */
function ratiosOf(text: string): Record<string, number> | undefined {
  try {
    return SETTINGS.GroupRatio.parse(text);
  } catch {
    return undefined;
  }
}
