// Tokens of SCIM: each is shown once and stored as a digest.
import { randomBytes } from 'node:crypto';
import { SCIM_TOKENS_MAX, type organizationSignOn } from '#contract/admin/sign-on.ts';
import { AppError } from '#contract/errors.ts';
import { DAY_SECONDS, unixSeconds } from '#contract/time.ts';
import type { Handler } from '#server/admin/context.ts';
import { actFor } from '#server/admin/organizations/acting.ts';
import type { Store } from '#server/platform/store/store.ts';
import { requireSignOn } from './allowed.ts';
import type { SignOnDependencies } from './dependencies.ts';
import { endTroubles, noteTrouble } from './troubles.ts';
import { tokenViews } from './view.ts';

type Parts = Pick<SignOnDependencies, 'store' | 'settings'>;

const PURPOSE = 'scim_token';
const PREFIX = 'scim-';
const HINT_CHARACTERS = 4;
/** A revoked one is known for so long. */
const KEEP_REVOKED_DAYS = 90;
/** `last_used_at` is written again when it is older than this. */
const TOUCH_SECONDS = 60;

export function createToken({ store, settings }: Parts): Handler<typeof organizationSignOn.createToken> {
  return async ({ body: { name } }, context) => {
    requireSignOn(settings.current);
    const token = PREFIX + randomBytes(32).toString('base64url');
    const [organizationId, made] = await store.db.transaction().execute(async (transaction) => {
      const { id, caller } = await actFor(store, transaction, context, 'sign_on.manage');
      const { total } = await transaction
        .selectFrom('scim_tokens')
        .select((builder) => builder.fn.countAll<number>().as('total'))
        .where('organization_id', '=', id)
        .where('revoked_at', '=', 0)
        .executeTakeFirstOrThrow();
      if (total >= SCIM_TOKENS_MAX)
        throw new AppError('scim_token_limit_reached', { limit: SCIM_TOKENS_MAX });
      const row = await transaction
        .insertInto('scim_tokens')
        .values({
          organization_id: id,
          name,
          token_digest: store.vault.digest(PURPOSE, token),
          hint: token.slice(-HINT_CHARACTERS),
          created_by: caller.id,
          created_at: unixSeconds(),
        })
        .returning('id')
        .executeTakeFirstOrThrow();
      const after = { id: row.id, name };
      await context.audit(transaction, 'scim_token.create', `organization:${id}`, undefined, after);
      return [id, row.id] as const;
    });
    const view = (await tokenViews(store.db, organizationId)).find(({ id }) => id === made);
    if (view === undefined) throw new AppError('not_found');
    return { ...view, token };
  };
}

export function revokeToken({ store }: Parts): Handler<typeof organizationSignOn.revokeToken> {
  return async ({ params }, context) => {
    await store.db.transaction().execute(async (transaction) => {
      const { id } = await actFor(store, transaction, context, 'sign_on.manage');
      const row = await transaction
        .updateTable('scim_tokens')
        .set({ revoked_at: unixSeconds() })
        .where('id', '=', params.id)
        .where('organization_id', '=', id)
        .where('revoked_at', '=', 0)
        .returning(['id', 'name'])
        .executeTakeFirst();
      if (row === undefined) throw new AppError('not_found');
      await endTroubles(transaction, id, ['scim_refused'], String(row.id));
      await context.audit(transaction, 'scim_token.revoke', `organization:${id}`, row);
    });
    return null;
  };
}

export interface ScimHolder {
  organizationId: number;
  tokenId: number;
  tokenName: string;
}

/**
 * Read for each call, so that a revoked token ends at once. Undefined: not known, or its organization is deleted; or revoked, which
 * its organization is told.
 */
export async function holderOf(store: Store, token: string): Promise<ScimHolder | undefined> {
  if (!token.startsWith(PREFIX) || token.length > 200) return undefined;
  const row = await store.db
    .selectFrom('scim_tokens')
    .innerJoin('organizations', 'organizations.id', 'scim_tokens.organization_id')
    .select(['scim_tokens.id', 'scim_tokens.organization_id', 'scim_tokens.name', 'scim_tokens.last_used_at'])
    .select('scim_tokens.revoked_at')
    .where('token_digest', '=', store.vault.digest(PURPOSE, token))
    .where('organizations.deleted_at', 'is', null)
    .executeTakeFirst();
  if (row === undefined) return undefined;
  if (row.revoked_at > 0) {
    const subject = String(row.id);
    await noteTrouble(store, { organizationId: row.organization_id, reason: 'scim_revoked', subject });
    return undefined;
  }
  const now = unixSeconds();
  if (now - row.last_used_at >= TOUCH_SECONDS)
    await store.db.updateTable('scim_tokens').set({ last_used_at: now }).where('id', '=', row.id).execute();
  return { organizationId: row.organization_id, tokenId: row.id, tokenName: row.name };
}

/** What the provider asked for with a valid token was refused. */
export async function noteRefusedCall(
  store: Store,
  { organizationId, tokenId }: Pick<ScimHolder, 'organizationId' | 'tokenId'>,
  detail: string,
): Promise<void> {
  await noteTrouble(store, { organizationId, reason: 'scim_refused', subject: String(tokenId), detail });
}

export async function removeRevokedTokens({ db }: Store): Promise<void> {
  const before = unixSeconds() - KEEP_REVOKED_DAYS * DAY_SECONDS;
  await db.deleteFrom('scim_tokens').where('revoked_at', '>', 0).where('revoked_at', '<', before).execute();
}
