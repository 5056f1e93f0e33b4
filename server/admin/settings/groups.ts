// The groups of the settings: what uses each of them.
import { sql } from 'kysely';
import type { GroupUse } from '#contract/options.ts';
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
