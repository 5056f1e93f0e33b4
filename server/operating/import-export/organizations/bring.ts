// Brings organizations with their members, projects and budgets. Each row is remembered in the transaction that makes it, so an import
// that is killed goes on where it was, and a second one makes only what is new at the source.
import { ROLE } from '#contract/access.ts';
import { ORGANIZATION_NAME_MAX } from '#contract/admin/organizations.ts';
import {
  PROJECT_NAME_MAX,
  PROJECTS_MAX,
  projects as projectEndpoints,
} from '#contract/admin/organization-projects.ts';
import { USER_STATUS } from '#contract/admin/users.ts';
import { bookOpeningBalance } from '#server/money/ledger/imported.ts';
import {
  addMember,
  DEFAULT_PROJECT,
  insertProject,
  openImportedOrganization,
} from '#server/admin/organizations/imported.ts';
import { requireFields } from '#server/operating/import-export/import/checks.ts';
import { SourceError } from '#server/operating/import-export/source/source.ts';
import { bringBudgets, leftOf, readOwner, type Owner } from './budgets.ts';
import type { OrganizationJob, SourceOrganization, SourceProject } from './model.ts';
import { uniqueName } from './names.ts';

/** Of a member or a project. */
export const within = (organization: string, id: string): string => JSON.stringify([organization, id]);

export async function bringOrganizations(
  job: OrganizationJob,
  organizations: readonly SourceOrganization[],
): Promise<void> {
  if (organizations.length === 0) return;
  const operator = await readOperator(job);
  const taken = new Set(
    (await job.store.db.selectFrom('users').select('username').execute()).map(({ username }) =>
      username.toLowerCase(),
    ),
  );
  const gone = await readDeleted(job);
  for (const organization of organizations) {
    const known = job.ids.find('organizations', organization.id);
    if (known !== undefined && gone.has(known)) {
      job.report.count(job.report.found, 'organizations');
      job.report.leave('organizations', 'it was deleted here', organization.name);
      continue;
    }
    const { id, founder } = await bringOrganization(job, organization, { operator, taken });
    const owner = await readOwner(job, id);
    await bringBudgets(job, owner, { subject: 'organization' }, organization.budgets);
    await bringMembers(job, organization, { owner, founder });
    await bringProjects(job, organization, owner);
  }
}

/** Organizations that were brought and then deleted here. */
export async function readDeleted({ store }: Pick<OrganizationJob, 'store'>): Promise<ReadonlySet<number>> {
  const rows = await store.db
    .selectFrom('organizations')
    .select('id')
    .where('deleted_at', 'is not', null)
    .execute();
  return new Set(rows.map(({ id }) => id));
}

/** Owns the organizations that have no admin who is brought. */
async function readOperator({ store }: OrganizationJob): Promise<number> {
  const root = await store.db
    .selectFrom('users')
    .select('id')
    .where('role', '>=', ROLE.root)
    .where('status', '=', USER_STATUS.activated)
    .where('deleted_at', 'is', null)
    .orderBy('id')
    .executeTakeFirst();
  if (root === undefined)
    throw new SourceError('there is no super admin here who could own organizations without an admin.');
  return root.id;
}

async function bringOrganization(
  job: OrganizationJob,
  organization: SourceOrganization,
  { operator, taken }: { operator: number; taken: Set<string> },
): Promise<{ id: number; founder?: string }> {
  const { report, ids, store, isDry, importId, gateway } = job;
  report.count(report.found, 'organizations');
  const known = ids.find('organizations', organization.id);
  if (known !== undefined) {
    report.count(report.already, 'organizations');
    return { id: known };
  }
  const first = organization.members.find(({ role, user }) => role === 'admin' && isUser(job, user));
  const name = uniqueName(organization.name || organization.id, ORGANIZATION_NAME_MAX, new Set());
  const quota = balanceOf(organization);
  if (organization.members.length === 0)
    report.note('The super admin owns the organizations that have no members.');
  else if (first === undefined)
    report.conflict(`organization ${name}: none of its admins is brought, the super admin owns it`);
  if (organization.isBlocked)
    report.conflict(`organization ${name}: blocked at the source, brought suspended`);
  if (quota === 0)
    report.note(
      'Organizations without a budget, or with nothing left of it, come with a balance of 0: top them up.',
    );
  report.balances.source += BigInt(quota);
  report.balances.here += BigInt(quota);
  report.count(report.brought, 'organizations');
  if (isDry) {
    ids.expect('organizations', organization.id);
    return { id: 0 };
  }
  const owner = (first && ids.find('users', first.user)) ?? operator;
  return await store.db.transaction().execute(async (transaction) => {
    const { limits, models, isBlocked } = organization;
    const suspendedReason = isBlocked ? `Blocked at ${gateway}.` : '';
    const columns = { name, owner, limits, models: models.join(','), suspendedReason };
    const id = await openImportedOrganization(transaction, columns, taken);
    await bookOpeningBalance(transaction, store.dialect, {
      importId,
      userId: id,
      sourceId: `organization:${organization.id}`,
      quota,
      affQuota: 0,
      affHistoryQuota: 0,
    });
    await ids.add(transaction, 'organizations', organization.id, id);
    if (first === undefined) return { id };
    await ids.add(transaction, 'members', within(organization.id, first.user), owner);
    return { id, founder: first.user };
  });
}

/** What is left of the organization's budgets. If it has none: the sum of what is left of its projects' budgets. */
const balanceOf = ({ budgets, projects }: SourceOrganization): number =>
  leftOf(budgets) ?? projects.reduce((sum, project) => sum + (leftOf(project.budgets) ?? 0), 0);

const isUser = ({ ids }: OrganizationJob, user: string): boolean => ids.find('users', user) !== undefined;

async function bringMembers(
  job: OrganizationJob,
  { id: organization, name, members }: SourceOrganization,
  { owner, founder }: { owner: Owner; founder: string | undefined },
): Promise<void> {
  const { report, ids, store, isDry } = job;
  const { organizationId } = owner;
  for (const { user, role, budgets } of members) {
    report.count(report.found, 'members');
    const userId = ids.find('users', user);
    const key = within(organization, user);
    if (userId === undefined) {
      report.leave('members', 'its user is not brought', `${user} of ${name}`);
      continue;
    }
    const isKnown = ids.find('members', key) !== undefined;
    report.count(isKnown && user !== founder ? report.already : report.brought, 'members');
    if (!isKnown && isDry) ids.expect('members', key);
    else if (!isKnown)
      await store.db.transaction().execute(async (transaction) => {
        // Somebody who was added here in the meantime keeps the role.
        await addMember(transaction, {
          organization_id: organizationId,
          user_id: userId,
          role,
          source: 'admin',
        });
        await ids.add(transaction, 'members', key, userId);
      });
    await bringBudgets(job, owner, { subject: 'member', subject_id: userId }, budgets);
  }
}

async function bringProjects(
  job: OrganizationJob,
  { id: organization, projects }: SourceOrganization,
  owner: Owner,
): Promise<void> {
  const { report, ids, store, isDry } = job;
  const { organizationId } = owner;
  const names = await readProjectNames(job, organizationId);
  for (const project of projects) {
    report.count(report.found, 'projects');
    const key = within(organization, project.id);
    let id = ids.find('projects', key);
    if (id !== undefined) report.count(report.already, 'projects');
    else if (names.size >= PROJECTS_MAX) {
      report.leave('projects', `an organization has at most ${PROJECTS_MAX} projects`, project.name);
      continue;
    } else {
      const fields = projectFields(project, names);
      if (project.isBlocked)
        report.conflict(`project ${fields.name}: blocked at the source, its keys come disabled`);
      report.count(report.brought, 'projects');
      if (isDry) ids.expect('projects', key);
      else
        await store.db.transaction().execute(async (transaction) => {
          const row = await insertProject(transaction, organizationId, fields);
          await ids.add(transaction, 'projects', key, row.id);
        });
      id = ids.find('projects', key) ?? 0;
    }
    await bringBudgets(job, owner, { subject: 'project', subject_id: id }, project.budgets);
  }
}

const projectFields = (
  { id, name, models, requestsPerMinute, tokensPerMinute }: SourceProject,
  names: Set<string>,
) => ({
  name: uniqueName(name || id, PROJECT_NAME_MAX, names),
  models: models.join(','),
  requests_per_minute: requestsPerMinute,
  tokens_per_minute: tokensPerMinute,
});

/** Throws the reason why the console would refuse the project. */
export function requireProject(project: SourceProject): void {
  requireFields(projectEndpoints.create.body, projectFields(project, new Set()));
}

async function readProjectNames({ store }: OrganizationJob, organizationId: number): Promise<Set<string>> {
  const rows = await store.db
    .selectFrom('projects')
    .select('name')
    .where('organization_id', '=', organizationId)
    .where('archived_at', '=', 0)
    .execute();
  // A new organization has one, which a dry run does not find.
  return new Set([DEFAULT_PROJECT, ...rows.map(({ name }) => name.toLowerCase())]);
}

export function noteSwitch(
  { report }: Pick<OrganizationJob, 'report'>,
  organizations: readonly SourceOrganization[],
  { OrganizationsEnabled }: { OrganizationsEnabled: boolean },
): void {
  if (organizations.length > 0 && !OrganizationsEnabled)
    report.note(
      'Organizations are off (OrganizationsEnabled): their keys work, and members open them once it is on.',
    );
}
