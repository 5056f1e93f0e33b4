// Whose calls of an organization were: the ids of the rows with the names of today. Rows of people have none, and cost nothing.
import type { TokenHolderView } from '#contract/admin/token-holders.ts';
import type { LogView } from '#contract/admin/logs.ts';
import type { Row } from '#server/platform/store/schema.ts';
import type { Store } from '#server/platform/store/store.ts';

type Attributed = Pick<Row<'logs'>, 'id' | 'member_id' | 'service_account_id' | 'project_id' | 'tags'>;

/** The views in the order of their rows. */
export async function withHolders(
  { db }: Pick<Store, 'db'>,
  rows: readonly Attributed[],
  views: LogView[],
): Promise<LogView[]> {
  const attributed = rows.filter(({ project_id }) => project_id > 0);
  if (attributed.length === 0) return views;
  const idsOf = (column: Exclude<keyof Attributed, 'id' | 'tags'>) => [
    ...new Set(attributed.map((row) => row[column]).filter((id) => id > 0)),
  ];
  const names = async (table: 'projects' | 'service_accounts', ids: readonly number[]) =>
    new Map(
      (ids.length === 0
        ? []
        : await db.selectFrom(table).select(['id', 'name']).where('id', 'in', ids).execute()
      ).map(({ id, name }) => [id, name]),
    );
  const memberIds = idsOf('member_id');
  const [members, accounts, projects] = await Promise.all([
    memberIds.length === 0
      ? []
      : db.selectFrom('users').select(['id', 'username']).where('id', 'in', memberIds).execute(),
    names('service_accounts', idsOf('service_account_id')),
    names('projects', idsOf('project_id')),
  ]);
  const usernames = new Map(members.map(({ id, username }) => [id, username]));
  const holders = new Map(
    attributed.map((row): [number, TokenHolderView & Pick<Attributed, 'tags'>] => [
      row.id,
      {
        member_id: row.member_id,
        member_name: usernames.get(row.member_id) ?? '',
        service_account_id: row.service_account_id,
        service_account_name: accounts.get(row.service_account_id) ?? '',
        project_id: row.project_id,
        project_name: projects.get(row.project_id) ?? '',
        tags: row.tags,
      },
    ]),
  );
  return views.map((view) => ({ ...view, ...holders.get(view.id) }));
}
