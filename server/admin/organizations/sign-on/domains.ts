// Mail domains of an organization. One counts only after its TXT record has shown that the organization controls it, and for one
// organization at most.
import { randomBytes } from 'node:crypto';
import { isIP } from 'node:net';
import { domainToASCII } from 'node:url';
import { SIGN_ON_DOMAINS_MAX, type organizationSignOn } from '#contract/admin/sign-on.ts';
import { AppError } from '#contract/errors.ts';
import { unixSeconds } from '#contract/time.ts';
import type { Handler } from '#server/admin/context.ts';
import { actFor, scopeIn } from '#server/admin/organizations/acting.ts';
import { EgressError } from '#server/platform/egress/index.ts';
import { isUniqueViolation } from '#server/platform/store/errors.ts';
import type { Row, Schema } from '#server/platform/store/schema.ts';
import { sql, type Kysely, type Transaction } from 'kysely';
import { requireSignOn } from './allowed.ts';
import type { SignOnDependencies } from './dependencies.ts';
import { endUnboundSessions } from './required.ts';
import { endTroubles } from './troubles.ts';
import { domainView } from './view.ts';

type Parts = Pick<SignOnDependencies, 'store' | 'settings' | 'egress'>;
type Domain = Row<'sign_on_domains'>;

const NAME = /^(?:[a-z0-9](?:[a-z0-9-]{0,61}[a-z0-9])?\.)+[a-z][a-z0-9-]*[a-z0-9]$/;

/** As DNS has it; the ending of no name is a number. */
export function domainIn(text: string): string {
  const name = domainToASCII(text.trim().toLowerCase().replace(/^@/, '').replace(/\.$/, ''));
  if (name.length > 253 || isIP(name) !== 0 || !NAME.test(name))
    throw new AppError('domain_invalid', {}, { field: 'domain' });
  return name;
}

export function addDomain({ store, settings }: Parts): Handler<typeof organizationSignOn.addDomain> {
  return async ({ body }, context) => {
    requireSignOn(settings.current);
    const domain = domainIn(body.domain);
    return await store.db.transaction().execute(async (transaction) => {
      const { id } = await actFor(store, transaction, context, 'sign_on.manage');
      await refuseListed(transaction, id, domain);
      await refuseTaken(transaction, id, domain);
      const row = await transaction
        .insertInto('sign_on_domains')
        .values({
          organization_id: id,
          domain,
          proof: randomBytes(20).toString('hex'),
          created_at: unixSeconds(),
        })
        .returningAll()
        .executeTakeFirstOrThrow();
      await context.audit(transaction, 'sign_on.add_domain', `organization:${id}`, undefined, { domain });
      return domainView(row);
    });
  };
}

export function verifyDomain({
  store,
  settings,
  egress,
}: Parts): Handler<typeof organizationSignOn.verifyDomain> {
  return async ({ params }, context) => {
    requireSignOn(settings.current);
    const { id } = scopeIn(context);
    const before = await domainRow(store.db, id, params.id);
    if (before.verified_at > 0) return domainView(before);
    const { record_name, record_value } = domainView(before);
    const records = (await textRecords(egress, record_name)) ?? [];
    if (!hasProof(records, before))
      throw new AppError('domain_not_proven', { name: record_name, value: record_value });
    try {
      const [row, ended] = await store.db.transaction().execute(async (transaction) => {
        await actFor(store, transaction, context, 'sign_on.manage');
        const { domain } = await domainRow(transaction, id, params.id);
        await refuseTaken(transaction, id, domain);
        const now = unixSeconds();
        const verified = await transaction
          .updateTable('sign_on_domains')
          .set({ verified_at: now, read_at: now, missing_since: 0 })
          .where('id', '=', params.id)
          .returningAll()
          .executeTakeFirstOrThrow();
        await endTroubles(transaction, id, ['foreign']);
        const ids = (await isRequired(transaction, id)) ? await endUnboundSessions(transaction, id) : [];
        await context.audit(transaction, 'sign_on.verify_domain', `organization:${id}`, undefined, {
          domain,
        });
        return [verified, ids] as const;
      });
      for (const userId of ended) await store.changes.announce('users', String(userId));
      return domainView(row);
    } catch (error) {
      // Two organizations at once: the unique index decides.
      if (isUniqueViolation(error)) throw new AppError('domain_taken', {}, { field: 'domain' });
      throw error;
    }
  };
}

async function textRecords(egress: Parts['egress'], name: string): Promise<string[] | undefined> {
  try {
    return await egress.textRecords(name);
  } catch (error) {
    if (error instanceof EgressError) throw new AppError('domain_not_allowed', { name });
    throw error;
  }
}

export const hasProof = (records: readonly string[], domain: Domain): boolean =>
  records.some((record) => record.trim() === domainView(domain).record_value);

/** People stay members; they cannot sign in with this domain any more. */
export function removeDomain({ store }: Parts): Handler<typeof organizationSignOn.removeDomain> {
  return async ({ params }, context) => {
    await store.db.transaction().execute(async (transaction) => {
      const { id } = await actFor(store, transaction, context, 'sign_on.manage');
      const { domain, verified_at } = await domainRow(transaction, id, params.id);
      await transaction.deleteFrom('sign_on_domains').where('id', '=', params.id).execute();
      await context.audit(transaction, 'sign_on.remove_domain', `organization:${id}`, {
        domain,
        verified_at,
      });
    });
    return null;
  };
}

async function domainRow(db: Kysely<Schema>, organizationId: number, id: number): Promise<Domain> {
  const row = await db
    .selectFrom('sign_on_domains')
    .selectAll()
    .where('id', '=', id)
    .where('organization_id', '=', organizationId)
    .executeTakeFirst();
  if (row === undefined) throw new AppError('not_found');
  return row;
}

async function refuseListed(transaction: Transaction<Schema>, id: number, domain: string): Promise<void> {
  const { total, same } = await transaction
    .selectFrom('sign_on_domains')
    .select(sql<number>`count(*)`.as('total'))
    .select(sql<number>`count(case when domain = ${domain} then 1 end)`.as('same'))
    .where('organization_id', '=', id)
    .executeTakeFirstOrThrow();
  if (same > 0) throw new AppError('domain_exists', {}, { field: 'domain' });
  if (total >= SIGN_ON_DOMAINS_MAX)
    throw new AppError('domain_limit_reached', { limit: SIGN_ON_DOMAINS_MAX });
}

async function refuseTaken(transaction: Transaction<Schema>, id: number, domain: string): Promise<void> {
  const other = await transaction
    .selectFrom('sign_on_domains')
    .select('id')
    .where('domain', '=', domain)
    .where('verified_at', '>', 0)
    .where('organization_id', '<>', id)
    .executeTakeFirst();
  if (other !== undefined) throw new AppError('domain_taken', {}, { field: 'domain' });
}

async function isRequired(transaction: Transaction<Schema>, id: number): Promise<boolean> {
  const row = await transaction
    .selectFrom('sign_on_providers')
    .select('organization_id')
    .where('organization_id', '=', id)
    .where('enabled', '=', 1)
    .where('required', '=', 1)
    .executeTakeFirst();
  return row !== undefined;
}
