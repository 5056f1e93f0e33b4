// Organizations and teams of LiteLLM. An organization stays one and its teams are its projects; a team without an organization
// becomes an organization with the team as a project. Budgets stand in the row or in the shared table of budgets.
import { requireProject } from '#server/operating/import-export/organizations/bring.ts';
import type {
  OrganizationJob,
  SourceMember,
  SourceOrganization,
  SourceProject,
} from '#server/operating/import-export/organizations/model.ts';
import { readable } from '#server/operating/import-export/import/job.ts';
import { requireStorable } from '#server/operating/import-export/import/tokens.ts';
import type { Fields } from '#server/operating/import-export/source/fields.ts';
import { listOf, limitsOf } from './cells.ts';
import { budgetsOf, leaveModelBudgets } from './team-budgets.ts';
import type { TeamTables } from './team-tables.ts';

export interface TeamPlace {
  organization: string;
  project: SourceProject | undefined;
}

export interface LiteLlmTeams {
  organizations: SourceOrganization[];
  /** Where the key of a team or an organization goes; undefined: it is a user's own. */
  placeOf: (key: Fields) => TeamPlace | undefined;
}

const organizationId = (id: string): string => `organization ${id}`;
const teamId = (id: string): string => `team ${id}`;

export async function readTeams(job: OrganizationJob, tables: TeamTables): Promise<LiteLlmTeams> {
  const organizations = new Map<string, SourceOrganization>();
  const left = new Set<string>();
  for (const fields of tables.organizations) {
    const id = fields.text('organization_id');
    const name = fields.text('organization_alias') || id;
    const read = await readable(job, 'organizations', name, () =>
      organizationOf(job, tables, { id, name, fields }),
    );
    if (read === undefined) {
      job.report.count(job.report.found, 'organizations');
      left.add(id);
    } else organizations.set(organizationId(id), read);
  }
  const places = new Map<string, TeamPlace>();
  const membersOfTeams = new Map<string, TeamMember[][]>();
  for (const fields of tables.teams) {
    const id = fields.text('team_id');
    const name = fields.text('team_alias') || id;
    const parent = fields.text('organization_id');
    if (left.has(parent)) {
      job.report.count(job.report.found, 'projects');
      job.report.leave('projects', 'its organization is not brought', name);
      continue;
    }
    const known = organizations.get(organizationId(parent));
    const read = await readable(job, 'projects', name, () => {
      const project = projectOf(job, tables, { id, name, fields });
      if (project.models.length === 0) project.models = known?.models ?? [];
      requireProject(project);
      const own = known ?? ownOrganization(project, fields);
      return { project, organization: own, members: membersOf(job, tables, { id, name, fields }) };
    });
    if (read === undefined) {
      job.report.count(job.report.found, 'projects');
      continue;
    }
    const { project, organization, members } = read;
    organizations.set(organization.id, organization);
    organization.projects.push(project);
    joinMembers(job, organization, { name, members, isOwn: known === undefined });
    places.set(id, { organization: organization.id, project });
    membersOfTeams.set(organization.id, [...(membersOfTeams.get(organization.id) ?? []), members]);
  }
  noteWideBudgets(job, membersOfTeams, organizations.values());
  return {
    organizations: [...organizations.values()],
    placeOf(key) {
      const team = key.text('team_id');
      const parent = key.text('organization_id');
      if (team !== '') return places.get(team) ?? { organization: teamId(team), project: undefined };
      return parent === '' ? undefined : { organization: organizationId(parent), project: undefined };
    },
  };
}

interface Row {
  id: string;
  name: string;
  fields: Fields;
}

function organizationOf(
  job: OrganizationJob,
  tables: TeamTables,
  { id, name, fields }: Row,
): SourceOrganization {
  const shared = tables.budgets.get(fields.text('budget_id'));
  const limits = shared === undefined ? NO_LIMITS : limitsOf(shared);
  requireStorable(limits);
  leaveModelBudgets(job, name, [shared]);
  const members = tables.organizationMembers.filter((row) => row.text('organization_id') === id);
  return {
    id: organizationId(id),
    name,
    models: listOf(fields.text('models')),
    limits,
    budgets: budgetsOf(job, { id: organizationId(id), name, row: fields, shared }),
    members: members.map((row) => {
      const user = row.text('user_id');
      const own = { id: `${organizationId(id)} member ${user}`, name: tables.nameOf(user), row };
      return {
        user,
        role: row.text('user_role') === 'org_admin' ? 'admin' : 'member',
        budgets: budgetsOf(job, { ...own, shared: tables.budgets.get(row.text('budget_id')) }),
      };
    }),
    projects: [],
    isBlocked: false,
  };
}

const NO_LIMITS = { requests_per_minute: 0, tokens_per_minute: 0, concurrent_calls: 0 } as const;

function ownOrganization(project: SourceProject, fields: Fields): SourceOrganization {
  const limits = { ...NO_LIMITS, concurrent_calls: limitsOf(fields).concurrent_calls };
  requireStorable(limits);
  const { name, models, isBlocked } = project;
  // The whole organization is suspended, and lifting that is enough.
  project.isBlocked = false;
  return { id: project.id, name, models, limits, budgets: [], members: [], projects: [], isBlocked };
}

function projectOf(job: OrganizationJob, { budgets }: TeamTables, { id, name, fields }: Row): SourceProject {
  const { requests_per_minute, tokens_per_minute } = limitsOf(fields);
  leaveModelBudgets(job, name, [fields]);
  const shared = budgets.get(fields.text('budget_id'));
  return {
    id: teamId(id),
    name,
    models: listOf(fields.text('models')),
    requestsPerMinute: requests_per_minute,
    tokensPerMinute: tokens_per_minute,
    budgets: budgetsOf(job, { id: teamId(id), name, row: fields, shared }),
    isBlocked: fields.flag('blocked') === 1,
  };
}

interface TeamMember extends SourceMember {
  label: string;
  /** With the team. */
  name: string;
}

/** Each user once. */
function membersOf(job: OrganizationJob, tables: TeamTables, { id, name, fields }: Row): TeamMember[] {
  const memberships = tables.memberships.get(id) ?? new Map<string, Fields>();
  const members = new Map<string, TeamMember>();
  for (const { user, role } of tables.rolesOf(fields)) {
    const row = memberships.get(user);
    const shared = tables.budgets.get(row?.text('budget_id') ?? '');
    const own = { id: `${teamId(id)} member ${user}`, name: `${name}: ${tables.nameOf(user)}` };
    if (shared !== undefined && (shared.text('rpm_limit') !== '' || shared.text('tpm_limit') !== ''))
      job.report.conflict(`member ${own.name}: requests and tokens per minute of a member are not brought`);
    if (shared !== undefined && listOf(shared.text('allowed_models')).length > 0)
      job.report.conflict(`member ${own.name}: models of a member are not brought`);
    leaveModelBudgets(job, own.name, [shared]);
    const budgets = row === undefined ? [] : budgetsOf(job, { ...own, row, shared });
    if (members.get(user)?.role !== 'admin')
      members.set(user, { user, role, label: tables.nameOf(user), name: own.name, budgets });
  }
  return [...members.values()];
}

/** The admin of one team among several must not manage the others. */
function joinMembers(
  { report }: OrganizationJob,
  organization: SourceOrganization,
  { name, members, isOwn }: { name: string; members: TeamMember[]; isOwn: boolean },
): void {
  for (const { user, role, budgets, name: memberName } of members) {
    const known = organization.members.find((member) => member.user === user);
    if (!isOwn && role === 'admin' && known?.role !== 'admin')
      report.conflict(
        `member ${memberName}: admin of the team ${name} only, brought as a member of ${organization.name}`,
      );
    if (known === undefined) {
      organization.members.push({ user, role: isOwn ? role : 'member', budgets });
      continue;
    }
    known.budgets.push(...budgets);
  }
}

/** A budget of a member has no project here. */
function noteWideBudgets(
  { report }: OrganizationJob,
  teams: ReadonlyMap<string, readonly TeamMember[][]>,
  organizations: Iterable<SourceOrganization>,
): void {
  for (const { id, name } of organizations)
    for (const [, places] of Map.groupBy(teams.get(id)?.flat() ?? [], ({ user }) => user))
      if (places.length > 1 && places.some(({ budgets }) => budgets.length > 0))
        report.conflict(
          `member ${places[0]?.label}: budgets of a team count the calls in all teams of ${name}`,
        );
}
