// The tables of LiteLLM from which organizations are made, read once. Older versions lack some of them.
import { Fields } from '#server/operating/import-export/source/fields.ts';
import type { Source } from '#server/operating/import-export/source/source.ts';
import { listOf } from './cells.ts';

export const TEAM_TABLES = [
  'LiteLLM_OrganizationTable',
  'LiteLLM_OrganizationMembership',
  'LiteLLM_TeamTable',
  'LiteLLM_TeamMembership',
  'LiteLLM_BudgetTable',
  'LiteLLM_EndUserTable',
  'LiteLLM_TagTable',
  'LiteLLM_ProjectTable',
] as const;

export interface TeamTables {
  organizations: Fields[];
  organizationMembers: Fields[];
  teams: Fields[];
  /** By team and user. */
  memberships: Map<string, Map<string, Fields>>;
  budgets: Map<string, Fields>;
  endUsers: Fields[];
  tags: Fields[];
  projects: Fields[];
  nameOf(user: string): string;
  /** Of a team; users that have no account are given by their address. */
  rolesOf(team: Fields): { user: string; role: 'admin' | 'member' }[];
}

export async function rowsOf(source: Source | undefined, table: string): Promise<Fields[]> {
  if (source === undefined || (await source.columns(table)).size === 0) return [];
  return (await source.all(table)).map((row) => new Fields(row));
}

export async function readTeamTables(source: Source | undefined): Promise<TeamTables> {
  const users = await rowsOf(source, 'LiteLLM_UserTable');
  const memberships = await rowsOf(source, 'LiteLLM_TeamMembership');
  const budgets = await rowsOf(source, 'LiteLLM_BudgetTable');
  const byId = new Map(users.map((row) => [row.text('user_id'), row]));
  const byEmail = new Map(users.map((row) => [row.text('user_email').toLowerCase(), row.text('user_id')]));
  byEmail.delete('');
  return {
    organizations: await rowsOf(source, 'LiteLLM_OrganizationTable'),
    organizationMembers: await rowsOf(source, 'LiteLLM_OrganizationMembership'),
    teams: await rowsOf(source, 'LiteLLM_TeamTable'),
    memberships: new Map(
      [...Map.groupBy(memberships, (row) => row.text('team_id'))].map(([team, rows]) => [
        team,
        new Map(rows.map((row) => [row.text('user_id'), row])),
      ]),
    ),
    budgets: new Map(budgets.map((row) => [row.text('budget_id'), row])),
    endUsers: await rowsOf(source, 'LiteLLM_EndUserTable'),
    tags: await rowsOf(source, 'LiteLLM_TagTable'),
    projects: await rowsOf(source, 'LiteLLM_ProjectTable'),
    nameOf(user) {
      const row = byId.get(user);
      return row?.text('user_alias') || row?.text('user_email') || user;
    },
    rolesOf: (team) =>
      namedIn(team).flatMap(({ user, email, role }) => {
        const id = user || byEmail.get(email.toLowerCase()) || email;
        return id === ''
          ? []
          : [{ user: id, role: role === 'admin' ? ('admin' as const) : ('member' as const) }];
      }),
  };
}

/** Old versions had two lists instead of the one with roles. */
function namedIn(team: Fields): { user: string; email: string; role: string }[] {
  const list = team.array('members_with_roles');
  if (list.length === 0)
    return [
      ...listOf(team.text('admins')).map((user) => ({ user, email: '', role: 'admin' })),
      ...listOf(team.text('members')).map((user) => ({ user, email: '', role: 'user' })),
    ];
  return list.map((item) => {
    const row = new Fields(typeof item === 'object' && item !== null ? { ...item } : {});
    return { user: row.text('user_id'), email: row.text('user_email'), role: row.text('role') };
  });
}
