// Idempotent: it reads. The line it logs is a copy of the anchor outside the database.
import type { Job } from '#server/platform/jobs/job.ts';
import type { JobParts } from './parts.ts';

export function auditTrail(parts: JobParts): Job {
  return {
    name: 'audit-trail',
    title: { zh: '审计记录校验', en: 'Audit trail check' },
    description: {
      zh: '校验审计记录没有被修改、删除或截断，并把记录数与最后的哈希写入服务器日志。',
      en: 'Checks that no row of the audit trail was altered, removed or cut off, and writes its length and last hash to the server log.',
    },
    everySeconds: 86_400,
    lease: 'cluster',
    run: () => parts.checkAuditTrail(),
  };
}
