// Saves and removes the provider of an organization. The secret never goes to another issuer than the one it was given for.
import { organizationSignOn } from '#contract/admin/sign-on.ts';
import type { Input } from '#contract/endpoint.ts';
import { AppError } from '#contract/errors.ts';
import { unixSeconds } from '#contract/time.ts';
import { editedFields, refuseConflict } from '#server/admin/based-on.ts';
import type { Handler } from '#server/admin/context.ts';
import type { OidcClient } from '#server/admin/oidc-client.ts';
import { actFor, scopeIn } from '#server/admin/organizations/acting.ts';
import type { Row, Schema } from '#server/platform/store/schema.ts';
import type { Transaction } from 'kysely';
import { requireSignOn } from './allowed.ts';
import type { SignOnDependencies } from './dependencies.ts';
import { secretPlace } from './flow.ts';
import { discoveryAddress } from './noticing.ts';
import { endUnboundSessions } from './required.ts';
import { endTroubles, PERSON_TROUBLES, PROVIDER_TROUBLES } from './troubles.ts';
import { fieldsOf, signOnView } from './view.ts';

type Body = Input<typeof organizationSignOn.saveProvider>['body'];
type Fields = ReturnType<typeof fieldsOf>;

export function saveProvider(
  parts: SignOnDependencies,
  client: OidcClient,
): Handler<typeof organizationSignOn.saveProvider> {
  const { store, settings } = parts;
  return async ({ body }, context) => {
    requireSignOn(settings.current);
    const { id, name } = scopeIn(context);
    const issuer = issuerIn(body.issuer, settings.current.OrganizationSignOnPrivateAddresses);
    // The provider is asked before the transaction, so that a slow one does not keep the organization locked.
    await client.check({ name, issuer }).catch((error: unknown) => refuseUnusable(error, issuer));
    const ended = await store.db.transaction().execute(async (transaction) => {
      await actFor(store, transaction, context, 'sign_on.manage');
      const row = await providerRow(transaction, id);
      const present = row && fieldsOf(row);
      const target = `organization:${id}` as const;
      if (present)
        await refuseConflict(transaction, {
          fields: organizationSignOn.saveProvider.body,
          body,
          present,
          target,
        });
      const after = fieldsAfter(present, { ...body, issuer });
      const secret_sealed = sealed(parts, row, id, after, body.client_secret);
      if (after.required) await requireUsable(transaction, id, after);
      await writeProvider(transaction, row, id, after, secret_sealed);
      await endTroubles(transaction, id, PROVIDER_TROUBLES);
      const isNewSecret = secret_sealed !== row?.secret_sealed;
      const bound = after.required && present?.required !== true;
      const ids = bound ? await endUnboundSessions(transaction, id) : [];
      await context.audit(transaction, 'sign_on.save_provider', target, present, {
        ...after,
        client_secret_changed: isNewSecret,
        sessions_ended_of: ids.length,
      });
      return ids;
    });
    for (const userId of ended) await store.changes.announce('users', String(userId));
    return await signOnView(parts, id);
  };
}

export function removeProvider(parts: SignOnDependencies): Handler<typeof organizationSignOn.removeProvider> {
  const { store } = parts;
  return async (_, context) => {
    const { id } = scopeIn(context);
    await store.db.transaction().execute(async (transaction) => {
      await actFor(store, transaction, context, 'sign_on.manage');
      const row = await providerRow(transaction, id);
      if (row === undefined) throw new AppError('sign_on_provider_missing');
      await transaction.deleteFrom('sign_on_providers').where('organization_id', '=', id).execute();
      await endTroubles(transaction, id, [...PROVIDER_TROUBLES, ...PERSON_TROUBLES]);
      await context.audit(transaction, 'sign_on.remove_provider', `organization:${id}`, fieldsOf(row));
    });
    return await signOnView(parts, id);
  };
}

function refuseUnusable(error: unknown, issuer: string): never {
  if (!(error instanceof AppError)) throw error;
  throw new AppError('sign_on_issuer_unusable', { address: discoveryAddress(issuer) }, { field: 'issuer' });
}

const providerRow = (transaction: Transaction<Schema>, id: number) =>
  transaction
    .selectFrom('sign_on_providers')
    .selectAll()
    .where('organization_id', '=', id)
    .executeTakeFirst();

/** Without the slash at its end; plain http only where the operator lets providers into private networks. */
export function issuerIn(text: string, mayBePrivate: boolean): string {
  const invalid = () => new AppError('sign_on_issuer_invalid', {}, { field: 'issuer' });
  const url = URL.parse(text);
  if (url === null || url.username !== '' || url.password !== '' || url.search !== '' || url.hash !== '')
    throw invalid();
  if (url.protocol !== 'https:' && !(mayBePrivate && url.protocol === 'http:')) throw invalid();
  return url.href.replace(/\/$/, '');
}

const NEW: Omit<Fields, 'issuer' | 'client_id'> = {
  scopes: 'email profile',
  groups_claim: '',
  default_role: 'member',
  enabled: true,
  required: false,
};

function fieldsAfter(present: Fields | undefined, body: Body): Fields {
  const { client_secret: _, ...edited } = editedFields(organizationSignOn.saveProvider.body, body);
  const { issuer, client_id } = body;
  return { ...NEW, ...present, issuer, client_id, ...edited };
}

function sealed(
  { store }: SignOnDependencies,
  row: Row<'sign_on_providers'> | undefined,
  id: number,
  after: Fields,
  secret: string | undefined,
): string {
  if (secret !== undefined && secret !== '') return store.vault.seal(secret, secretPlace(id));
  if (row === undefined || row.issuer !== after.issuer)
    throw new AppError('sign_on_secret_required', {}, { field: 'client_secret' });
  return row.secret_sealed;
}

/** Required of people who cannot use it, it would lock them out. */
async function requireUsable(
  transaction: Transaction<Schema>,
  id: number,
  { enabled }: Fields,
): Promise<void> {
  const domain = await transaction
    .selectFrom('sign_on_domains')
    .select('id')
    .where('organization_id', '=', id)
    .where('verified_at', '>', 0)
    .executeTakeFirst();
  if (!enabled || domain === undefined) throw new AppError('sign_on_needs_domain', {}, { field: 'required' });
}

async function writeProvider(
  transaction: Transaction<Schema>,
  row: Row<'sign_on_providers'> | undefined,
  id: number,
  { enabled, required, ...fields }: Fields,
  secret_sealed: string,
): Promise<void> {
  const now = unixSeconds();
  const columns = {
    ...fields,
    enabled: enabled ? (1 as const) : (0 as const),
    required: required ? (1 as const) : (0 as const),
    secret_sealed,
    changed_at: now,
  };
  if (row === undefined)
    await transaction
      .insertInto('sign_on_providers')
      .values({ organization_id: id, created_at: now, ...columns })
      .execute();
  else
    await transaction
      .updateTable('sign_on_providers')
      .set(columns)
      .where('organization_id', '=', id)
      .execute();
}
