// `/v1/organization` for an organization's admin key, in OpenAI's shapes: users, invites, projects with their users, service
// accounts and API keys, admin keys, audit logs. Usage and costs are server/admin/usage-api.
import type { Answering } from './asked.ts';
import { listAuditLogs } from './audit-logs.ts';
import { createInvite, listInvites, removeInvite, retrieveInvite } from './invites.ts';
import {
  createServiceAccount,
  listAdminKeys,
  listApiKeys,
  listServiceAccounts,
  refuseAdminKeys,
  removeAdminKey,
  removeApiKey,
  removeServiceAccount,
  retrieveAdminKey,
  retrieveApiKey,
  retrieveServiceAccount,
} from './keys.ts';
import {
  archiveProject,
  changeProject,
  changeRateLimit,
  createProject,
  listProjects,
  listProjectUsers,
  listRateLimits,
  refuseProjectUsers,
  retrieveProject,
  retrieveProjectUser,
} from './projects.ts';
import { changeUser, listUsers, removeUser, retrieveUser } from './users.ts';

export { ApiProblem, type Asked, type OrganizationClient } from './asked.ts';

type Methods = Partial<Record<'GET' | 'POST' | 'DELETE', Answering>>;

/** By the path after `/v1/organization/`. */
export const ORGANIZATION_PATHS: Readonly<Record<string, Methods>> = {
  users: { GET: listUsers },
  'users/{user}': { GET: retrieveUser, POST: changeUser, DELETE: removeUser },
  invites: { GET: listInvites, POST: createInvite },
  'invites/{invite}': { GET: retrieveInvite, DELETE: removeInvite },
  projects: { GET: listProjects, POST: createProject },
  'projects/{project}': { GET: retrieveProject, POST: changeProject },
  'projects/{project}/archive': { POST: archiveProject },
  'projects/{project}/users': { GET: listProjectUsers, POST: refuseProjectUsers },
  'projects/{project}/users/{user}': {
    GET: retrieveProjectUser,
    POST: refuseProjectUsers,
    DELETE: refuseProjectUsers,
  },
  'projects/{project}/service_accounts': { GET: listServiceAccounts, POST: createServiceAccount },
  'projects/{project}/service_accounts/{account}': {
    GET: retrieveServiceAccount,
    DELETE: removeServiceAccount,
  },
  'projects/{project}/api_keys': { GET: listApiKeys },
  'projects/{project}/api_keys/{key}': { GET: retrieveApiKey, DELETE: removeApiKey },
  'projects/{project}/rate_limits': { GET: listRateLimits },
  'projects/{project}/rate_limits/{limit}': { POST: changeRateLimit },
  admin_api_keys: { GET: listAdminKeys, POST: refuseAdminKeys },
  'admin_api_keys/{key}': { GET: retrieveAdminKey, DELETE: removeAdminKey },
  audit_logs: { GET: listAuditLogs },
};
