// The admin keys of the signed-in user: create, list, revoke. A key for the site belongs to the super admin who made it, and
// every super admin sees and revokes it.
import { isRoot } from '#contract/access.ts';
import {
  ADMIN_KEY_PREFIX,
  ADMIN_KEYS_MAX,
  type AdminKeyView,
  type adminKeys,
} from '#contract/admin/admin-keys.ts';
import { AppError } from '#contract/errors.ts';
import { nowSeconds } from '#server/admin/clock.ts';
import { callerOf, type Caller, type Handler, type Handlers } from '#server/admin/context.ts';
import type { ExpressionBuilder, Transaction } from 'kysely';
import { takeLock } from '#server/platform/store/locks.ts';
import type { Row, Schema } from '#server/platform/store/schema.ts';
import type { OrganizationDependencies } from './dependencies.ts';
import { keyDigest, keyHint, maskedKey, newKey } from './key.ts';

type Keys = ExpressionBuilder<Schema, 'admin_keys'>;

const isVisibleTo =
  ({ id, role }: Caller) =>
  (builder: Keys) =>
    isRoot(role)
      ? builder.or([builder('user_id', '=', id), builder('scope', '=', 'site')])
      : builder('user_id', '=', id);

export function createAdminKeyHandlers(dependencies: OrganizationDependencies): Handlers<typeof adminKeys> {
  const { store } = dependencies;
  return {
    async list(_, context) {
      const rows = await store.db
        .selectFrom('admin_keys')
        .selectAll()
        .where(isVisibleTo(callerOf(context)))
        .orderBy('id')
        .execute();
      return rows.map((row) => viewOf(row, maskedKey(row.key_hint)));
    },

    create: create(dependencies, 'user'),
    createForSite: create(dependencies, 'site'),

    async remove({ params }, context) {
      await store.db.transaction().execute(async (transaction) => {
        const row = await transaction
          .deleteFrom('admin_keys')
          .where('id', '=', params.id)
          .where(isVisibleTo(callerOf(context)))
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

/** The whole key is in this answer only. */
function create(
  dependencies: OrganizationDependencies,
  scope: AdminKeyView['scope'],
): Handler<typeof adminKeys.create> {
  const { store } = dependencies;
  return async ({ body }, context) => {
    const caller = callerOf(context);
    const bare = newKey();
    const row = await store.db.transaction().execute(async (transaction) => {
      // Two concurrent creations would count the same rows.
      await takeLock(store, transaction, 'adminKeys', caller.id);
      const { total } = await transaction
        .selectFrom('admin_keys')
        .select((builder) => builder.fn.countAll<number>().as('total'))
        .where('user_id', '=', caller.id)
        .executeTakeFirstOrThrow();
      if (total >= ADMIN_KEYS_MAX) throw new AppError('admin_key_limit_reached', { limit: ADMIN_KEYS_MAX });
      const made = await transaction
        .insertInto('admin_keys')
        .values({
          user_id: caller.id,
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
    return viewOf(row, `${ADMIN_KEY_PREFIX}${bare}`);
  };
}

function viewOf({ id, name, scope, created_at, last_used_at }: Row<'admin_keys'>, key: string): AdminKeyView {
  return { id, name, scope, key, created_at, last_used_at };
}

const audited = ({ user_id, name, scope, key_hint }: Row<'admin_keys'>) => ({
  user_id,
  name,
  scope,
  key_hint,
});
