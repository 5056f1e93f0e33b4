// Service accounts of a project, its API keys, and the admin keys of the organization, in OpenAI's shapes. A key is shown once, to
// who makes it: that of a service account here, an admin key only in a session of a person.
import { TOKEN_STATUS } from '#contract/admin/tokens.ts';
import type { Row } from '#server/platform/store/schema.ts';
import {
  idIn,
  notFound,
  pageOf,
  refuseOthers,
  textIn,
  unsupported,
  type Answering,
  type Asked,
} from './asked.ts';
import { readProject } from './projects.ts';
import { membersOf, nameOf, userId } from './users.ts';

type Account = Row<'service_accounts'>;

const accountId = (id: number): string => `svc_acct_${id}`;
const redacted = (hint: string): string => `${hint.slice(0, 4)}…${hint.slice(-4)}`;
const keyId = (id: number): string => `key_${id}`;

const accountShape = ({ id, name, created_at }: Account) => ({
  object: 'organization.project.service_account' as const,
  id: accountId(id),
  name,
  role: 'member' as const,
  created_at,
});

async function accountsIn(asked: Asked) {
  const { id } = await readProject(asked);
  return asked.store.db
    .selectFrom('service_accounts')
    .selectAll()
    .where('organization_id', '=', asked.organizationId)
    .where('project_id', '=', id)
    .where('deleted_at', '=', 0);
}

async function readAccount(asked: Asked): Promise<Account> {
  const id = idIn(asked.ids['account'], 'service account');
  const row = await (await accountsIn(asked)).where('id', '=', id).executeTakeFirst();
  if (row === undefined) throw notFound('service account');
  return row;
}

export const listServiceAccounts: Answering = async (asked) => {
  const accounts = await accountsIn(asked);
  return await pageOf(asked, 'service account', async (after, limit) => {
    const rows = await accounts
      .$if(after !== undefined, (query) => query.where('id', '>', after ?? 0))
      .orderBy('id')
      .limit(limit)
      .execute();
    return rows.map(accountShape);
  });
};

export const retrieveServiceAccount: Answering = async (asked) => accountShape(await readAccount(asked));

/** With a first key, which is in this answer only. */
export const createServiceAccount: Answering = async (asked) => {
  refuseOthers(asked, ['name']);
  const { id: project_id } = await readProject(asked);
  const { client } = asked;
  const { id } = await client.serviceAccounts.create({ body: { name: textIn(asked, 'name'), project_id } });
  const [key] = await client.tokens.create({
    body: { name: 'Secret key', service_account_id: id, project_id, unlimited_quota: true },
  });
  const account = await readAccount({ ...asked, ids: { ...asked.ids, account: String(id) } });
  return {
    ...accountShape(account),
    api_key:
      key === undefined
        ? null
        : {
            object: 'organization.project.service_account.api_key',
            id: keyId(key.id),
            name: key.name,
            value: `sk-${key.key}`,
            created_at: key.created_time,
          },
  };
};

/** Its keys are deleted with it. */
export const removeServiceAccount: Answering = async (asked) => {
  const { id } = await readAccount(asked);
  await asked.client.serviceAccounts.remove({ params: { id } });
  return { object: 'organization.project.service_account.deleted', id: accountId(id), deleted: true };
};

async function keysIn(asked: Asked) {
  const { id } = await readProject(asked);
  return asked.store.db
    .selectFrom('tokens')
    .leftJoin('users as member', 'member.id', 'tokens.member_id')
    .leftJoin('service_accounts', 'service_accounts.id', 'tokens.service_account_id')
    .select(['tokens.id', 'tokens.name', 'tokens.key_hint', 'tokens.created_time', 'tokens.accessed_time'])
    .select(['tokens.status', 'tokens.member_id', 'tokens.service_account_id'])
    .select(['member.username', 'member.display_name', 'member.email', 'member.created_at as joined'])
    .select(['service_accounts.name as account', 'service_accounts.created_at as made'])
    .where('tokens.user_id', '=', asked.organizationId)
    .where('tokens.project_id', '=', id)
    .where('tokens.deleted_at', 'is', null);
}

type Key = Awaited<ReturnType<Awaited<ReturnType<typeof keysIn>>['execute']>>[number];

const keyShape = (key: Key) => ({
  object: 'organization.project.api_key' as const,
  id: keyId(key.id),
  name: key.name,
  redacted_value: `sk-${redacted(key.key_hint)}`,
  created_at: key.created_time,
  last_used_at: key.accessed_time > 0 ? key.accessed_time : null,
  owner_project_access: key.status === TOKEN_STATUS.disabled ? ('inactive' as const) : ('active' as const),
  owner:
    key.service_account_id > 0
      ? {
          type: 'service_account' as const,
          service_account: {
            object: 'organization.project.service_account',
            id: accountId(key.service_account_id),
            name: key.account ?? '',
            role: 'member',
            created_at: key.made ?? 0,
          },
        }
      : {
          type: 'user' as const,
          user: {
            object: 'organization.project.user',
            id: userId(key.member_id),
            name: key.display_name || key.username || '',
            email: key.email ?? '',
            role: 'member',
            created_at: key.joined ?? 0,
          },
        },
});

export const listApiKeys: Answering = async (asked) => {
  const keys = await keysIn(asked);
  const access = asked.parameters.choice('owner_project_access', { active: 1, inactive: 2, any: 0 }, 0);
  return await pageOf(asked, 'API key', async (after, limit) => {
    const rows = await keys
      .$if(after !== undefined, (query) => query.where('tokens.id', '>', after ?? 0))
      .$if(access === 1, (query) => query.where('tokens.status', '<>', TOKEN_STATUS.disabled))
      .$if(access === 2, (query) => query.where('tokens.status', '=', TOKEN_STATUS.disabled))
      .orderBy('tokens.id')
      .limit(limit)
      .execute();
    return rows.map(keyShape);
  });
};

async function readKey(asked: Asked): Promise<Key> {
  const id = idIn(asked.ids['key'], 'API key');
  const row = await (await keysIn(asked)).where('tokens.id', '=', id).executeTakeFirst();
  if (row === undefined) throw notFound('API key');
  return row;
}

export const retrieveApiKey: Answering = async (asked) => keyShape(await readKey(asked));

export const removeApiKey: Answering = async (asked) => {
  const { id } = await readKey(asked);
  await asked.client.tokens.remove({ params: { id } });
  return { object: 'organization.project.api_key.deleted', id: keyId(id), deleted: true };
};

async function adminKeyRows(asked: Asked, after: number | undefined, limit: number) {
  const isAscending = asked.parameters.choice('order', { asc: true, desc: false }, true);
  return await asked.store.db
    .selectFrom('admin_keys')
    .selectAll()
    .where('organization_id', '=', asked.organizationId)
    .$if(after !== undefined, (query) => query.where('id', isAscending ? '>' : '<', after ?? 0))
    .orderBy('id', isAscending ? 'asc' : 'desc')
    .limit(limit)
    .execute();
}

async function adminKeyShapes(asked: Asked, rows: Awaited<ReturnType<typeof adminKeyRows>>) {
  const owners = new Map<number, { name: string; role: string }>();
  if (rows.length > 0) {
    const ids = [...new Set(rows.map(({ user_id }) => user_id))];
    for (const member of await membersOf(asked).where('organization_members.user_id', 'in', ids).execute())
      owners.set(member.user_id, { name: nameOf(member), role: member.role });
  }
  return rows.map((row) => ({
    object: 'organization.admin_api_key' as const,
    id: keyId(row.id),
    name: row.name,
    redacted_value: `sk-admin-${redacted(row.key_hint)}`,
    created_at: row.created_at,
    last_used_at: row.last_used_at > 0 ? row.last_used_at : null,
    expires_at: null,
    owner: {
      type: 'user',
      object: 'organization.user',
      id: userId(row.user_id),
      ...owners.get(row.user_id),
      created_at: row.created_at,
    },
  }));
}

export const listAdminKeys: Answering = (asked) =>
  pageOf(asked, 'admin key', async (after, limit) =>
    adminKeyShapes(asked, await adminKeyRows(asked, after, limit)),
  );

async function readAdminKey(asked: Asked) {
  const id = idIn(asked.ids['key'], 'admin key');
  const rows = await asked.store.db
    .selectFrom('admin_keys')
    .selectAll()
    .where('organization_id', '=', asked.organizationId)
    .where('id', '=', id)
    .execute();
  const [shape] = await adminKeyShapes(asked, rows);
  if (shape === undefined) throw notFound('admin key');
  return { id, shape };
}

export const retrieveAdminKey: Answering = async (asked) => (await readAdminKey(asked)).shape;

export const refuseAdminKeys: Answering = () =>
  Promise.reject(
    unsupported('Admin keys are made by a person who is signed in and confirms it, not by a key.'),
  );

export const removeAdminKey: Answering = async (asked) => {
  const { id } = await readAdminKey(asked);
  await asked.client.adminKeys.remove({ params: { id } });
  return { object: 'organization.admin_api_key.deleted', id: keyId(id), deleted: true };
};
