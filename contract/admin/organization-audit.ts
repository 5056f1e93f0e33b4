// What the members of an organization changed in it, for those who manage it. The check of the hash chain is the super admin's.
import { z } from 'zod';
import { endpoint } from '#contract/endpoint.ts';
import { auditFileFilter, auditPage, auditPageFilter } from './audit.ts';

const scoped = {
  method: 'GET',
  access: 'user',
  organization: 'audit.read',
  organizationOnly: true,
} as const;

export const organizationAudit = {
  list: endpoint({
    ...scoped,
    path: '/api/organization/audit',
    summary: { zh: '组织的审计记录', en: 'The audit trail of the organization' },
    query: auditPageFilter,
    returns: auditPage,
  }),
  export: endpoint({
    ...scoped,
    path: '/api/organization/audit/export',
    summary: { zh: '导出组织的审计记录', en: 'Export the audit trail of the organization' },
    query: auditFileFilter,
    /** A file, without an envelope. */
    returns: z.custom<Response>(),
    limit: 'search',
  }),
};
