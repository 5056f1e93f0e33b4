// Projects group the keys of an organization and bound what they may do; service accounts have keys without a person.
import { z } from 'zod';
import { basedOn } from '#contract/based-on.ts';
import { endpoint } from '#contract/endpoint.ts';
import { idParams } from '#contract/lists.ts';

export const PROJECT_NAME_MAX = 50;
export const PROJECTS_MAX = 500;
export const SERVICE_ACCOUNTS_MAX = 500;

const limit = z.number().int().min(0).max(1_000_000_000);
const name = z.string().trim().min(1).max(PROJECT_NAME_MAX);
const projectFields = z.object({
  name,
  /** Comma list of model names; blank: all that the key may use. */
  models: z.string().max(50_000),
  /** One address or range per line; leave blank for every address. */
  allow_ips: z.string().max(20_000),
  /** Of all its keys together; 0: no limit. */
  requests_per_minute: limit,
  tokens_per_minute: limit,
});

export const projectView = projectFields.extend({
  id: z.number(),
  is_default: z.boolean(),
  archived: z.boolean(),
  created_at: z.number(),
  /** Keys that are not deleted; of one's own without the right to see all. */
  tokens: z.number(),
});
export type ProjectView = z.output<typeof projectView>;

export const serviceAccountView = z.object({
  id: z.number(),
  name: z.string(),
  project_id: z.number(),
  project_name: z.string(),
  created_at: z.number(),
  created_by_name: z.string(),
  tokens: z.number(),
});
export type ServiceAccountView = z.output<typeof serviceAccountView>;

const scoped = { access: 'user', organizationOnly: true } as const;

export const projects = {
  /** By name, the default one first. */
  list: endpoint({
    ...scoped,
    method: 'GET',
    path: '/api/organization/projects',
    organization: 'organization.read',
    summary: { zh: '项目列表', en: 'List the projects' },
    returns: z.array(projectView),
  }),
  create: endpoint({
    ...scoped,
    method: 'POST',
    path: '/api/organization/projects',
    organization: 'projects.manage',
    summary: { zh: '创建项目', en: 'Create a project' },
    body: projectFields.partial().extend({ name }),
    returns: projectView,
  }),
  change: endpoint({
    ...scoped,
    method: 'PUT',
    path: '/api/organization/projects/{id}',
    organization: 'projects.manage',
    summary: { zh: '修改项目', en: 'Change a project' },
    params: idParams,
    body: projectFields.partial().extend({ based_on: basedOn }),
    returns: projectView,
  }),
  /** Its keys are disabled; what they spent stays with it. */
  archive: endpoint({
    ...scoped,
    method: 'POST',
    path: '/api/organization/projects/{id}/archive',
    organization: 'projects.manage',
    summary: { zh: '归档项目', en: 'Archive a project' },
    params: idParams,
    returns: projectView,
  }),
};

export const serviceAccounts = {
  list: endpoint({
    ...scoped,
    method: 'GET',
    path: '/api/organization/service_accounts',
    organization: 'organization.read',
    summary: { zh: '服务账号列表', en: 'List the service accounts' },
    returns: z.array(serviceAccountView),
  }),
  create: endpoint({
    ...scoped,
    method: 'POST',
    path: '/api/organization/service_accounts',
    organization: 'service_accounts.manage',
    summary: { zh: '创建服务账号', en: 'Create a service account' },
    /** Without a project: the default one. */
    body: z.object({ name, project_id: z.number().int().positive().optional() }),
    returns: serviceAccountView,
  }),
  /** Its keys are deleted with it. */
  remove: endpoint({
    ...scoped,
    method: 'DELETE',
    path: '/api/organization/service_accounts/{id}',
    organization: 'service_accounts.manage',
    summary: { zh: '删除服务账号', en: 'Delete a service account' },
    params: idParams,
    returns: z.null(),
  }),
};
