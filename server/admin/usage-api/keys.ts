// The admin keys of the signed-in user: create, list, revoke. A key for the site belongs to the super admin who made it, and
// every super admin sees and revokes it. One of an organization belongs to the member who made it, and those who manage the
// organization see and revoke it.
import { isRoot } from '#contract/access.ts';
import {
  ADMIN_KEY_PREFIX,
  ADMIN_KEYS_MAX,
  type AdminKeyView,
  type adminKeys,
} from '#contract/admin/admin-keys.ts';
import { AppError } from '#contract/errors.ts';
import { nowSeconds } from '#server/admin/clock.ts';
import { callerOf, type Handler, type Handlers, type RequestContext } from '#server/admin/context.ts';
import type { ExpressionBuilder, Transaction } from 'kysely';
import { takeLock } from '#server/platform/store/locks.ts';
import type { Row, Schema } from '#server/platform/store/schema.ts';
import type { OrganizationDependencies } from './dependencies.ts';
import { keyDigest, keyHint, maskedKey, newKey } from './key.ts';

type Keys = ExpressionBuilder<Schema, 'admin_keys'>;

/** In the scope of an organization its keys, else one's own. */
const isVisibleTo = (context: RequestContext) => (builder: Keys) => {
  const { id, role } = callerOf(context);
  const { organization } = context;
  if (organization !== undefined) return builder('organization_id', '=', organization.id);
  const own = builder.and([builder('user_id', '=', id), builder('organization_id', '=', 0)]);
  return isRoot(role) ? builder.or([own, builder('scope', '=', 'site')]) : own;
};

export function createAdminKeyHandlers(dependencies: OrganizationDependencies): Handlers<typeof adminKeys> {
  const { store } = dependencies;
  return {
    async list(_, context) {
      const rows = await store.db
        .selectFrom('admin_keys')
        .selectAll()
        .where(isVisibleTo(context))
        .orderBy('id')
        .execute();
      const makers = await store.db
        .selectFrom('users')
        .select(['id', 'username'])
        .where('id', 'in', [0, ...new Set(rows.map(({ user_id }) => user_id))])
        .execute();
      const names = new Map(makers.map(({ id, username }) => [id, username]));
      return rows.map((row) => viewOf(row, maskedKey(row.key_hint), names.get(row.user_id)));
    },

    create: create(dependencies, 'user'),
    createForSite: create(dependencies, 'site'),

    async remove({ params }, context) {
      await store.db.transaction().execute(async (transaction) => {
        const row = await transaction
          .deleteFrom('admin_keys')
          .where('id', '=', params.id)
          .where(isVisibleTo(context))
          .returningAll()
          .executeTakeFirst();
        if (!row) throw new AppError('not_found');
        await context.audit(transaction, 'admin_key.revoke', `admin_key:${row.id}`, audited(row));
      });
      return null;
    },
  };
}

/** How many. */
export async function removeKeysOf(transaction: Transaction<Schema>, userId: number): Promise<number> {
  const { numDeletedRows } = await transaction
    .deleteFrom('admin_keys')
    .where('user_id', '=', userId)
    .executeTakeFirst();
  return Number(numDeletedRows);
}

/** Of somebody who leaves the organization; of everybody when it is deleted. */
export async function removeKeysOfOrganization(
  transaction: Transaction<Schema>,
  organizationId: number,
  userId?: number,
): Promise<void> {
  await transaction
    .deleteFrom('admin_keys')
    .where('organization_id', '=', organizationId)
    .$if(userId !== undefined, (query) => query.where('user_id', '=', userId ?? 0))
    .execute();
}

/** The whole key is in this answer only. */
function create(
  dependencies: OrganizationDependencies,
  scope: Row<'admin_keys'>['scope'],
): Handler<typeof adminKeys.create> {
  const { store } = dependencies;
  return async ({ body }, context) => {
    const caller = callerOf(context);
    const organizationId = context.organization?.id ?? 0;
    const bare = newKey();
    const row = await store.db.transaction().execute(async (transaction) => {
      // Two concurrent creations would count the same rows.
      await takeLock(store, transaction, 'adminKeys', organizationId || caller.id);
      const { total } = await transaction
        .selectFrom('admin_keys')
        .select((builder) => builder.fn.countAll<number>().as('total'))
        .where('organization_id', '=', organizationId)
        .$if(organizationId === 0, (query) => query.where('user_id', '=', caller.id))
        .executeTakeFirstOrThrow();
      if (total >= ADMIN_KEYS_MAX) throw new AppError('admin_key_limit_reached', { limit: ADMIN_KEYS_MAX });
      const made = await transaction
        .insertInto('admin_keys')
        .values({
          user_id: caller.id,
          organization_id: organizationId,
          name: body.name,
          scope,
          key_digest: keyDigest(store.vault, bare),
          key_hint: keyHint(bare),
          created_at: nowSeconds(dependencies),
        })
        .returningAll()
        .executeTakeFirstOrThrow();
      await context.audit(transaction, 'admin_key.create', `admin_key:${made.id}`, undefined, audited(made));
      return made;
    });
    return viewOf(row, `${ADMIN_KEY_PREFIX}${bare}`, caller.username);
  };
}

function viewOf(row: Row<'admin_keys'>, key: string, maker = ''): AdminKeyView {
  const { id, name, created_at, last_used_at } = row;
  return { id, name, scope: scopeOfKey(row), key, created_at, created_by_name: maker, last_used_at };
}

const scopeOfKey = ({ scope, organization_id }: Row<'admin_keys'>): AdminKeyView['scope'] =>
  organization_id > 0 ? 'organization' : scope;

const audited = (row: Row<'admin_keys'>) => ({
  user_id: row.user_id,
  name: row.name,
  scope: scopeOfKey(row),
  key_hint: row.key_hint,
});
