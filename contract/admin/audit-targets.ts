// What the actions of the audit trail concern.

/** What an action can concern; most are followed by a colon and an id. */
export const AUDIT_TARGETS = [
  'abilities',
  'admin_key',
  'announcement',
  'answer_cache',
  'audit',
  'batch',
  'bill',
  'budget',
  'channel',
  'channels',
  'configuration',
  'email',
  'faq',
  'import',
  'incident',
  'job',
  'logs',
  'mail',
  'node',
  'notice_way',
  'option',
  'order',
  'organization',
  'plan',
  'price_draft',
  'price_proposals',
  'price_version',
  'project',
  'redemption',
  'redemptions',
  'rerating',
  'service_account',
  'shadow',
  'subscription',
  'supplier',
  'token',
  'user',
  'virtual_model',
  'withdrawal',
] as const;

export type AuditTargetKind = (typeof AUDIT_TARGETS)[number];
/** Such as `user:12`. */
export type AuditTarget = AuditTargetKind | `${AuditTargetKind}:${string}`;
