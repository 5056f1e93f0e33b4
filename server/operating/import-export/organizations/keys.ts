// Keys that belong to an organization: in its project, of the member who has them or of a service account of the project. One that
// refills has a budget; one that does not has its rest as its own quota, like a key of a user.
import { TOKEN_STATUS } from '#contract/admin/tokens.ts';
import { BUDGETS_MAX } from '#contract/admin/organization-budgets.ts';
import { PROJECT_NAME_MAX } from '#contract/admin/organization-projects.ts';
import { insertServiceAccount } from '#server/admin/organizations/imported.ts';
import { insertTokens } from '#server/admin/tokens/insert.ts';
import { keyDigest } from '#server/admin/tokens/key.ts';
import { holderColumns, projectColumns } from '#server/admin/tokens/of-organization.ts';
import { bareKey } from '#server/operating/import-export/import/tokens.ts';
import { readable } from '#server/operating/import-export/import/job.ts';
import type { NewRow, Row, Schema } from '#server/platform/store/schema.ts';
import type { Transaction } from 'kysely';
import { leftOf, noteWindow, planBudgets, readOwner, writeBudgets, type Owner } from './budgets.ts';
import { readDeleted, within } from './bring.ts';
import type { OrganizationJob, SourceBudget, SourceKey } from './model.ts';
import { uniqueName } from './names.ts';

export async function bringOrganizationKeys(
  job: OrganizationJob,
  keys: readonly SourceKey[],
  columnsOf: (key: SourceKey) => Partial<NewRow<'tokens'>>,
): Promise<void> {
  const { report, ids, store } = job;
  const rows = await store.db.selectFrom('tokens').select('key_digest').execute();
  const digests = new Set(rows.map(({ key_digest }) => key_digest));
  const gone = await readDeleted(job);
  const owners = new Map<number, Owner>();
  for (const key of keys) {
    const { row, name, organization, project } = key;
    report.count(report.found, 'tokens');
    const digest = keyDigest(store.vault, bareKey(row.key));
    const organizationId = ids.find('organizations', organization);
    const isPlaced =
      project === undefined || ids.find('projects', within(organization, project.id)) !== undefined;
    if (ids.find('tokens', row.hash) !== undefined) report.count(report.already, 'tokens');
    else if (row.key === '') report.leave('tokens', job.keyMissing, name);
    else if (organizationId === undefined || gone.has(organizationId) || !isPlaced)
      report.leave('tokens', 'its team or organization is not brought', name);
    else if (digests.has(digest)) report.leave('tokens', 'its key exists here already', name);
    else {
      const owner = owners.get(organizationId) ?? (await readOwner(job, organizationId));
      owners.set(organizationId, owner);
      await readable(job, 'tokens', name, async () => {
        await bringKey(job, key, { owner, columns: columnsOf(key) });
        digests.add(digest);
      });
    }
  }
}

async function bringKey(
  job: OrganizationJob,
  key: SourceKey,
  { owner, columns }: { owner: Owner; columns: Partial<NewRow<'tokens'>> },
): Promise<void> {
  const { report, ids, store, isDry } = job;
  const { row, name, user, organization } = key;
  const member = user === '' ? undefined : ids.find('members', within(organization, user));
  const { own, budgets } = dividedBudgets(job, key, owner);
  const planned = planBudgets(job, owner, budgets);
  if (!isDry)
    await store.db.transaction().execute(async (transaction) => {
      const project = await projectOf(job, transaction, key, owner.organizationId);
      const holder =
        member === undefined
          ? { serviceAccountId: await serviceAccountOf(job, transaction, key, project) }
          : { memberId: member };
      const place = { ...holderColumns(holder), ...projectColumns(project) };
      const status = key.project?.isBlocked === true ? TOKEN_STATUS.disabled : columns.status;
      const [token] = await insertTokens(store, transaction, owner.organizationId, [
        { columns: { ...columns, ...own, ...place, status }, key: bareKey(row.key) },
      ]);
      const subject = { subject: 'token', subject_id: token?.id ?? 0 } as const;
      await writeBudgets(job, transaction, { owner, subject, planned });
      await ids.add(transaction, 'tokens', row.hash, token?.id ?? 0);
    });
  if (user !== '' && member === undefined)
    report.conflict(`key ${name}: ${user} is not a member, a service account has it`);
  report.count(report.brought, 'tokens');
}

/** A budget without an end is the key's own quota. So is one that no budget is free for, which is then not refilled. */
function dividedBudgets(
  job: OrganizationJob,
  { name, budgets }: SourceKey,
  { names }: Owner,
): { own: Partial<NewRow<'tokens'>>; budgets: SourceBudget[] } {
  const isEndless = ({ isHard, window }: SourceBudget) => isHard && window.period === 'total';
  const refilled = budgets.filter((budget) => !isEndless(budget));
  const isFull = names.size + refilled.length > BUDGETS_MAX;
  const kept = isFull ? budgets : budgets.filter(isEndless);
  for (const budget of kept) noteWindow(job, budget);
  const left = leftOf(kept);
  if (isFull && refilled.length > 0)
    job.report.conflict(
      `key ${name}: its organization has ${BUDGETS_MAX} budgets already, so what is left is its quota and is not refilled`,
    );
  const own =
    left === undefined ? { unlimited_quota: 1, remain_quota: 0 } : { unlimited_quota: 0, remain_quota: left };
  return { own: own as Partial<NewRow<'tokens'>>, budgets: isFull ? [] : refilled };
}

type Project = Pick<Row<'projects'>, 'id' | 'requests_per_minute' | 'tokens_per_minute'>;

async function projectOf(
  { ids }: OrganizationJob,
  transaction: Transaction<Schema>,
  { project, organization }: SourceKey,
  organizationId: number,
): Promise<Project> {
  const id = project === undefined ? undefined : ids.find('projects', within(organization, project.id));
  return await transaction
    .selectFrom('projects')
    .select(['id', 'requests_per_minute', 'tokens_per_minute'])
    .where('organization_id', '=', organizationId)
    .where((builder) => (id === undefined ? builder('is_default', '=', 1) : builder('id', '=', id)))
    .executeTakeFirstOrThrow();
}

/** The service account that owns all keys of a project which belong to no person. */
async function serviceAccountOf(
  { ids, gateway }: OrganizationJob,
  transaction: Transaction<Schema>,
  { organization, project }: SourceKey,
  { id: projectId }: Project,
): Promise<number> {
  const source = within(organization, project?.id ?? '');
  const known = ids.find('service accounts', source);
  if (known !== undefined) return known;
  const organizationId = ids.find('organizations', organization) ?? 0;
  const rows = await transaction
    .selectFrom('service_accounts')
    .select('name')
    .where('organization_id', '=', organizationId)
    .where('deleted_at', '=', 0)
    .execute();
  const taken = new Set(rows.map(({ name }) => name.toLowerCase()));
  const name = uniqueName(project?.name || gateway, PROJECT_NAME_MAX, taken);
  const wanted = { name, project_id: projectId, createdBy: 0 };
  const { id } = await insertServiceAccount(transaction, organizationId, wanted);
  await ids.add(transaction, 'service accounts', source, id);
  return id;
}
