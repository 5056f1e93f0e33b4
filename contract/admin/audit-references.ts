// Which things a row of the audit trail mentions: its target, and ids in fields that name another thing.

export const NAMED_TARGETS = [
  'admin_key',
  'budget',
  'channel',
  'order',
  'organization',
  'plan',
  'project',
  'service_account',
  'subscription',
  'token',
  'user',
] as const;
export type NamedTarget = (typeof NAMED_TARGETS)[number];

const FIELD_TARGETS: Readonly<Record<string, NamedTarget>> = {
  asked_by: 'user',
  channel: 'channel',
  channel_id: 'channel',
  inviter_id: 'user',
  invited_by: 'user',
  member_id: 'user',
  order_id: 'order',
  plan: 'plan',
  plan_id: 'plan',
  project_id: 'project',
  service_account_id: 'service_account',
  token_id: 'token',
  user: 'user',
  user_id: 'user',
};

const IS_ID = /^[1-9]\d{0,14}$/;

/** `user_id`, `12` → `user:12`; undefined for other fields, and for 0, which names nothing. */
export function referenceOf(field: string, value: string): string | undefined {
  const kind = Object.hasOwn(FIELD_TARGETS, field) ? FIELD_TARGETS[field] : undefined;
  return kind !== undefined && IS_ID.test(value) ? `${kind}:${value}` : undefined;
}

/** `user:12` → the kind and the id, for kinds that have names. */
export function namedTarget(target: string): { kind: NamedTarget; id: number } | undefined {
  const [kind = '', id = ''] = target.split(':');
  const known = NAMED_TARGETS.find((name) => name === kind);
  return known !== undefined && IS_ID.test(id) ? { kind: known, id: Number(id) } : undefined;
}
