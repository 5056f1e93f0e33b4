// An audit row as it is shown. No writer puts secrets into a row; fields with a name of a secret are masked here as well.
import type { AuditView } from '#contract/admin/audit.ts';
import type { Row } from '#server/platform/store/schema.ts';

const SECRET_NAME =
  /(password|passwd|secret|private_?key|api_?key|access_?token|token_?key|_digest|_sealed|_hash)$/i;
const EXACT_SECRET_NAME = /^(key|token|code|cookie|authorization)$/i;
const HIDDEN = '•••';

export function auditViewOf(row: Row<'audit'>): AuditView {
  return {
    id: row.id,
    created_at: row.created_at,
    actor_id: row.actor_id,
    actor_name: row.actor_name,
    ip: row.ip,
    action: row.action,
    target: row.target,
    before: withoutSecrets(row.before),
    after: withoutSecrets(row.after),
    request_id: row.request_id,
    hash: row.hash,
  };
}

/** Text that does not parse is not shown: a secret in it could not be masked. */
export function withoutSecrets(text: string): string {
  if (text === '' || text === '{}') return '';
  try {
    const value: unknown = JSON.parse(text);
    return JSON.stringify(value, (name, part: unknown) =>
      typeof part === 'string' && part !== '' && (SECRET_NAME.test(name) || EXACT_SECRET_NAME.test(name))
        ? HIDDEN
        : part,
    );
  } catch {
    return '';
  }
}
