// The audit trail of the organization in OpenAI's shape, newest first. Actions that OpenAI knows have its names, the others ours.
import { withoutSecrets } from '#server/admin/without-secrets.ts';
import type { Row } from '#server/platform/store/schema.ts';
import { pageOf, type Answering, type Asked } from './asked.ts';
import { userId } from './users.ts';

const TYPES: Readonly<Record<string, string>> = {
  'token.create': 'api_key.created',
  'token.change': 'api_key.updated',
  'token.delete': 'api_key.deleted',
  'organization.invite': 'invite.sent',
  'organization.accept': 'invite.accepted',
  'organization.revoke_invitation': 'invite.deleted',
  'organization.change': 'organization.updated',
  'organization.change_role': 'user.updated',
  'organization.remove_member': 'user.deleted',
  'project.create': 'project.created',
  'project.change': 'project.updated',
  'project.archive': 'project.archived',
  'service_account.create': 'service_account.created',
  'service_account.delete': 'service_account.deleted',
};

const typeOf = (action: string): string => TYPES[action] ?? action;

/** OpenAI's names and ours. */
const actionsOf = (types: readonly string[]): string[] =>
  types.flatMap((type) => [
    type,
    ...Object.entries(TYPES).flatMap(([action, name]) => (name === type ? [action] : [])),
  ]);

function valueOf(text: string): unknown {
  return text === '' ? undefined : JSON.parse(withoutSecrets(text));
}

const shapeOf = (row: Row<'audit'>) => ({
  object: 'organization.audit_log' as const,
  id: `audit_log-${row.id}`,
  type: typeOf(row.action),
  effective_at: row.created_at,
  actor: {
    type: 'session' as const,
    session: { user: { id: userId(row.actor_id), email: '', name: row.actor_name }, ip_address: row.ip },
  },
  [typeOf(row.action)]: {
    id: row.target,
    ...(row.before === '' ? {} : { before: valueOf(row.before) }),
    ...(row.after === '' ? {} : { data: valueOf(row.after) }),
  },
});

const COMPARISONS = { gt: '>', gte: '>=', lt: '<', lte: '<=' } as const;

export const listAuditLogs: Answering = async (asked) =>
  await pageOf(asked, 'audit log', async (after, limit) => {
    const rows = await filtered(asked)
      .$if(after !== undefined, (query) => query.where('id', '<', after ?? 0))
      .orderBy('id', 'desc')
      .limit(limit)
      .execute();
    return rows.map(shapeOf);
  });

function filtered({ store, organizationId, parameters }: Asked) {
  let query = store.db.selectFrom('audit').selectAll().where('organization_id', '=', organizationId);
  for (const [name, operator] of Object.entries(COMPARISONS)) {
    const time = parameters.whole(`effective_at[${name}]`, 253_402_300_799);
    if (time !== undefined) query = query.where('created_at', operator, time);
  }
  const types = parameters.list('event_types');
  if (types !== undefined) query = query.where('action', 'in', actionsOf(types));
  const actors = parameters.ids('actor_ids');
  if (actors !== undefined) query = query.where('actor_id', 'in', actors);
  return query;
}
