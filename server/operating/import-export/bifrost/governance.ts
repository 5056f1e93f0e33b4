// Reads the governance of Bifrost. A customer becomes an organization, and each of its teams becomes a project there. A team without
// a customer becomes an organization. Keys without a customer and a team come into one organization, so that their budgets stay.
import { requireProject } from '#server/operating/import-export/organizations/bring.ts';
import type {
  OrganizationJob,
  SourceOrganization,
  SourceProject,
} from '#server/operating/import-export/organizations/model.ts';
import { readable } from '#server/operating/import-export/import/job.ts';
import { requireStorable } from '#server/operating/import-export/import/tokens.ts';
import type { Fields } from '#server/operating/import-export/source/fields.ts';
import { budgetsOf, limitsOf } from './limits.ts';
import type { Governance } from './tables.ts';

export interface Place {
  organization: string;
  project: SourceProject | undefined;
}

export interface ReadGovernance {
  organizations: SourceOrganization[];
  placeOf: (key: Fields) => Place;
}

const customerId = (id: string): string => `customer ${id}`;
const teamId = (id: string): string => `team ${id}`;
const FREE_KEYS = 'keys without a team';

export async function readGovernance(job: OrganizationJob, governance: Governance): Promise<ReadGovernance> {
  const { report } = job;
  const organizations = new Map<string, SourceOrganization>();
  const left = new Set<string>();
  for (const row of governance.customers) {
    const id = row.text('id');
    const name = row.text('name') || id;
    const read = await readable(job, 'organizations', name, () => {
      const { requests, tokens } = limitsOf(job, governance, { name, row });
      const limits = { requests_per_minute: requests, tokens_per_minute: tokens, concurrent_calls: 0 };
      requireStorable(limits);
      const budgets = budgetsOf(job, governance, { column: 'customer_id', id, name, row });
      return { ...plainOrganization(customerId(id), name), limits, budgets };
    });
    if (read === undefined) {
      report.count(report.found, 'organizations');
      left.add(id);
    } else organizations.set(read.id, read);
  }
  const places = new Map<string, Place>();
  for (const row of governance.teams) {
    const id = row.text('id');
    const name = row.text('name') || id;
    const read = left.has(row.text('customer_id'))
      ? report.leave('projects', 'its organization is not brought', name)
      : await readable(job, 'projects', name, () => projectOf(job, governance, { id, name, row }));
    if (read === undefined) {
      report.count(report.found, 'projects');
      continue;
    }
    const own = plainOrganization(read.id, name);
    const organization = organizations.get(customerId(row.text('customer_id'))) ?? own;
    organizations.set(organization.id, organization);
    organization.projects.push(read);
    places.set(id, { organization: organization.id, project: read });
  }
  if (governance.keys.some((key) => key.text('team_id') === '' && key.text('customer_id') === ''))
    organizations.set(FREE_KEYS, plainOrganization(FREE_KEYS, job.gateway));
  return {
    organizations: [...organizations.values()],
    placeOf(key) {
      const team = key.text('team_id');
      const customer = key.text('customer_id');
      if (team !== '') return places.get(team) ?? { organization: teamId(team), project: undefined };
      return { organization: customer === '' ? FREE_KEYS : customerId(customer), project: undefined };
    },
  };
}

const plainOrganization = (id: string, name: string): SourceOrganization => ({
  id,
  name,
  models: [],
  limits: { requests_per_minute: 0, tokens_per_minute: 0, concurrent_calls: 0 },
  budgets: [],
  members: [],
  projects: [],
  isBlocked: false,
});

function projectOf(
  job: OrganizationJob,
  governance: Governance,
  { id, name, row }: { id: string; name: string; row: Fields },
): SourceProject {
  const { requests, tokens } = limitsOf(job, governance, { name, row });
  const project: SourceProject = {
    id: teamId(id),
    name,
    models: [],
    requestsPerMinute: requests,
    tokensPerMinute: tokens,
    budgets: budgetsOf(job, governance, { column: 'team_id', id, name, row }),
    isBlocked: false,
  };
  requireProject(project);
  return project;
}
