// The audit trail for the super admin: actor, action, target and address of each change, and the check of the hash chain.
import { z } from 'zod';
import { endpoint } from '#contract/endpoint.ts';
import { EXPORT_FORMATS, pageFromOne } from '#contract/lists.ts';

/** Every action that the server records, by the kind of thing before its dot. The console has words for each. */
export const AUDIT_ACTIONS = {
  admin_key: ['create', 'revoke'],
  agent: ['set', 'transfer'],
  announcement: ['create', 'delete', 'update'],
  audit: ['anchor', 'export'],
  channel: [
    'change',
    'copy',
    'create',
    'delete',
    'delete_disabled',
    'fix',
    'renew_key',
    'restore',
    'reveal',
    'reveal_refused',
    'status',
    'tag',
    'tag_change',
    'test_all',
    'test_stop',
    'update_balances',
  ],
  answer_cache: ['purge'],
  budget: ['ask', 'change', 'create', 'decline', 'delete', 'grant'],
  chat_share: ['create', 'revoke'],
  configuration: ['apply'],
  email: ['code'],
  faq: ['create', 'delete', 'order', 'update'],
  import: ['apply'],
  incident: ['add_line', 'create', 'delete', 'remove_line', 'update'],
  job: ['run'],
  log: ['cleanup', 'cleanup_failed', 'cleanup_started', 'export'],
  mail: ['retry', 'test'],
  node: ['drain', 'resume'],
  notice_way: ['create', 'delete', 'test', 'update'],
  organization: [
    'accept',
    'accept_ownership',
    'add_owner',
    'balance',
    'change',
    'change_company',
    'change_role',
    'change_tags',
    'create',
    'decline',
    'delete',
    'invite',
    'leave',
    'lift',
    'move_accept',
    'move_ask',
    'move_decline',
    'move_in',
    'offer_ownership',
    'remove_member',
    'resend_invitation',
    'revoke_invitation',
    'set_group',
    'suspend',
    'withdraw_ownership',
  ],
  option: ['allow_address', 'reset', 'rollback', 'save'],
  order: ['complete', 'refund', 'refund_end'],
  passkey: ['add', 'refused', 'remove', 'rename'],
  password: ['reset', 'reset_mail'],
  plan: ['buy', 'change', 'create', 'end', 'grant', 'preference', 'remove', 'renewal'],
  price_draft: ['change', 'create', 'not_published', 'schedule', 'withdraw'],
  price_list: ['import'],
  price_proposal: ['accept', 'refuse'],
  price_version: ['publish', 'rollback'],
  project: ['archive', 'change', 'create'],
  redemption: ['change', 'create', 'delete', 'disable', 'enable', 'read_keys', 'redeem', 'refused'],
  rerating: ['apply', 'create', 'discard', 'export', 'undo'],
  scim: [
    'activate_user',
    'change_group',
    'change_user',
    'create_group',
    'create_user',
    'deactivate_user',
    'delete_group',
    'delete_user',
  ],
  scim_token: ['create', 'revoke'],
  service_account: ['create', 'delete'],
  session: ['confirm', 'confirm_refused', 'end', 'end_others', 'refused', 'start'],
  shadow: ['change', 'create', 'delete', 'delete_samples', 'read_texts'],
  sign_on: [
    'add_domain',
    'change_group',
    'change_member',
    'create_group',
    'join',
    'link',
    'lose_domain',
    'miss_domain',
    'other_way',
    'remove_domain',
    'remove_group',
    'remove_provider',
    'save_provider',
    'verify_domain',
  ],
  statement: ['export'],
  supplier: ['change', 'create', 'delete', 'import_bill', 'remove_bill', 'trust'],
  token: [
    'change',
    'create',
    'delete',
    'disable',
    'disable_leaked',
    'enable',
    'find_key',
    'read_keys',
    'restore',
  ],
  two_factor: ['disable', 'enable', 'recovery_codes', 'recovery_used', 'refused', 'setup'],
  user: [
    'access_token',
    'aff_transfer',
    'bind',
    'change',
    'create',
    'delete',
    'demote',
    'disable',
    'email',
    'enable',
    'leave',
    'lift',
    'password',
    'promote',
    'quota',
    'register',
    'register_refused',
    'rename',
    'reset_two_factor',
    'set_password',
    'shadow_consent',
    'unbind',
  ],
  virtual_model: ['change', 'create', 'delete'],
  withdrawal: ['approve', 'pay', 'refuse', 'request'],
} as const;

export type AuditKind = keyof typeof AUDIT_ACTIONS;
/** Such as `user.create`. */
export type AuditAction = {
  [Kind in AuditKind]: `${Kind}.${(typeof AUDIT_ACTIONS)[Kind][number]}`;
}[AuditKind];

export const auditView = z.object({
  id: z.number(),
  created_at: z.number(),
  actor_id: z.number(),
  /** Empty: no user was signed in. */
  actor_name: z.string(),
  ip: z.string(),
  action: z.string(),
  target: z.string(),
  /** JSON, or empty. */
  before: z.string(),
  after: z.string(),
  request_id: z.string(),
  hash: z.string(),
});
export type AuditView = z.output<typeof auditView>;

/**
 * `altered`: a row was changed, or the row before it was removed. `cut`: rows at the end are missing. `unproven`: the anchor, which
 * says where the trail ends, is missing, is not ours or was made again.
 */
export const AUDIT_FAULTS = ['altered', 'cut', 'unproven'] as const;
export type AuditFault = (typeof AUDIT_FAULTS)[number];

const time = z.coerce.number().int().min(0).max(253_402_300_799);

const auditFilter = z.object({
  /** A name or an id. */
  actor: z.string().trim().max(64).optional(),
  /** A whole action such as `user.disable`, or the part before its dot. */
  action: z.string().trim().max(64).optional(),
  /** A whole target such as `user:12`, or the kind before its colon. */
  target: z.string().trim().max(200).optional(),
  start_timestamp: time.optional(),
  end_timestamp: time.optional(),
});
export type AuditFilter = z.output<typeof auditFilter>;

export const auditPageFilter = auditFilter.extend({
  ...pageFromOne.pick({ page_size: true }).shape,
  /** Rows older than this one. */
  before_id: z.coerce.number().int().positive().optional(),
  /** The rows next newer than this one. */
  after_id: z.coerce.number().int().positive().optional(),
});
export const auditFileFilter = auditFilter.extend({ format: z.enum(EXPORT_FORMATS).default('csv') });

/** Newest first. `total` counts all rows of the filter. */
export const auditPage = z.object({
  items: z.array(auditView),
  total: z.number(),
  /** Names of users, channels, keys, plans and orders that the rows mention, by target: `user:12`. */
  names: z.record(z.string(), z.string()),
});

export const audit = {
  list: endpoint({
    method: 'GET',
    path: '/api/audit/',
    access: 'root',
    summary: { zh: '审计记录', en: 'The audit trail' },
    query: auditPageFilter,
    returns: auditPage,
  }),
  actions: endpoint({
    method: 'GET',
    path: '/api/audit/actions',
    access: 'root',
    summary: { zh: '出现过的操作', en: 'The actions that occur' },
    returns: z.array(z.string()),
  }),
  verify: endpoint({
    method: 'GET',
    path: '/api/audit/verify',
    access: 'root',
    summary: { zh: '校验审计链', en: 'Verify the chain of the audit trail' },
    returns: z.object({
      rows: z.number(),
      fault: z.enum(AUDIT_FAULTS).nullable(),
      /** The first row that was altered or follows a removed one; of `unproven`: where the trail was anchored again. */
      broken_id: z.number().nullable(),
      last_hash: z.string(),
      checked_at: z.number(),
    }),
  }),
  export: endpoint({
    method: 'GET',
    path: '/api/audit/export',
    access: 'root',
    summary: { zh: '导出审计记录', en: 'Export the audit trail' },
    query: auditFileFilter,
    /** A file, without an envelope. */
    returns: z.custom<Response>(),
    limit: 'search',
  }),
};
