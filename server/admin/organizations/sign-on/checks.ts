// Looks after the sign-on of organizations by time: whether each provider answers, and whether the domains are still proven. A domain
// whose record is gone leads to its organization for some more days, of which the owners are told; then it is no longer verified.
import type { AuditAction } from '#contract/admin/audit.ts';
import type { AuditTarget } from '#contract/admin/audit-targets.ts';
import { DOMAIN_GRACE_SECONDS } from '#contract/admin/sign-on.ts';
import { AppError } from '#contract/errors.ts';
import { DAY_SECONDS, unixSeconds } from '#contract/time.ts';
import type { OidcClient } from '#server/admin/oidc-client.ts';
import { lockOrganization } from '#server/admin/organizations/acting.ts';
import { putDomainLetters, type LetterParts } from '#server/admin/organizations/letters.ts';
import type { Row, Schema } from '#server/platform/store/schema.ts';
import type { Transaction } from 'kysely';
import { isSignOnOn } from './allowed.ts';
import type { SignOnDependencies } from './dependencies.ts';
import { hasProof } from './domains.ts';
import { enabledProviders } from './flow.ts';
import { discoveryAddress } from './noticing.ts';
import { endTroubles, noteTrouble } from './troubles.ts';
import { domainView } from './view.ts';

export interface CheckParts extends Pick<SignOnDependencies, 'store' | 'egress' | 'log'> {
  settings: SignOnDependencies['settings'] & LetterParts['settings'];
  letters: LetterParts['letters'];
  /** In the transaction, after the change. */
  audit(
    transaction: Transaction<Schema>,
    entry: { action: AuditAction; target: AuditTarget; before: unknown; after: unknown },
  ): Promise<void>;
}

type Domain = Row<'sign_on_domains'>;

/** Asked for at once. */
const TOGETHER = 8;
const READ_EVERY_SECONDS = DAY_SECONDS;

/** Idempotent: what was read lately is not read again, and each step is told once. */
export async function checkSignOn(
  parts: CheckParts,
  client: Pick<OidcClient, 'check'>,
  signal: AbortSignal,
): Promise<void> {
  if (!isSignOnOn(parts.settings.current)) return;
  await inBatches(await enabledProviders(parts).execute(), signal, (row) =>
    checkProvider(parts, client, row),
  );
  const now = unixSeconds();
  const due = await parts.store.db
    .selectFrom('sign_on_domains')
    .selectAll()
    .where('verified_at', '>', 0)
    // A record that is gone may be put back at any time.
    .where((where) =>
      where.or([where('missing_since', '>', 0), where('read_at', '<=', now - READ_EVERY_SECONDS)]),
    )
    .orderBy('read_at')
    .execute();
  await inBatches(due, signal, (domain) => checkDomain(parts, domain));
}

async function inBatches<Item>(
  items: readonly Item[],
  signal: AbortSignal,
  work: (item: Item) => Promise<void>,
): Promise<void> {
  for (let at = 0; at < items.length && !signal.aborted; at += TOGETHER)
    await Promise.all(items.slice(at, at + TOGETHER).map(work));
}

async function checkProvider(
  { store }: Pick<CheckParts, 'store'>,
  client: Pick<OidcClient, 'check'>,
  {
    organization_id: organizationId,
    issuer,
    name,
  }: { organization_id: number; issuer: string; name: string },
): Promise<void> {
  const refusal = await client.check({ name, issuer }).then(
    () => undefined,
    (error: unknown) => {
      if (error instanceof AppError) return error;
      throw error;
    },
  );
  if (refusal === undefined) await endTroubles(store.db, organizationId, ['unreachable']);
  else await noteTrouble(store, { organizationId, reason: 'unreachable', detail: discoveryAddress(issuer) });
}

/** A name server that does not answer says nothing about the domain. */
async function checkDomain(parts: CheckParts, domain: Domain): Promise<void> {
  const { store, egress, log } = parts;
  const { record_name } = domainView(domain);
  const records = await egress.textRecords(record_name).catch((error: unknown) => {
    log.warn('a mail domain may not be looked up', { name: record_name, error });
    return undefined;
  });
  if (records === undefined) return;
  const now = unixSeconds();
  if (hasProof(records, domain)) {
    await store.db
      .updateTable('sign_on_domains')
      .set({ read_at: now, missing_since: 0 })
      .where('id', '=', domain.id)
      .where('verified_at', '=', domain.verified_at)
      .execute();
    return;
  }
  const since = domain.missing_since;
  const isOver = since > 0 && now - since >= DOMAIN_GRACE_SECONDS;
  if (since > 0 && !isOver) {
    await store.db.updateTable('sign_on_domains').set({ read_at: now }).where('id', '=', domain.id).execute();
    return;
  }
  const isTold = await store.db
    .transaction()
    .execute((transaction) => step(parts, transaction, domain, isOver, now));
  if (isTold) parts.letters.wake();
}

/** The record is gone, or has been for too long. False: somebody changed the domain meanwhile. */
async function step(
  parts: CheckParts,
  transaction: Transaction<Schema>,
  domain: Domain,
  isOver: boolean,
  now: number,
): Promise<boolean> {
  const organizationId = domain.organization_id;
  const { name } = await lockOrganization(parts.store, transaction, organizationId);
  const changed = isOver ? { verified_at: 0, read_at: now } : { missing_since: now, read_at: now };
  const row = await transaction
    .updateTable('sign_on_domains')
    .set(changed)
    .where('id', '=', domain.id)
    .where('verified_at', '=', domain.verified_at)
    .where('missing_since', '=', domain.missing_since)
    .returningAll()
    .executeTakeFirst();
  if (row === undefined) return false;
  const { record_name: record, record_value: value, ends_at: endsAt } = domainView(row);
  const facts = { organization: name, domain: domain.domain, record, value, endsAt };
  await putDomainLetters(parts, transaction, organizationId, facts);
  await parts.audit(transaction, {
    action: isOver ? 'sign_on.lose_domain' : 'sign_on.miss_domain',
    target: `organization:${organizationId}`,
    before: { domain: domain.domain, verified_at: domain.verified_at, missing_since: domain.missing_since },
    after: { domain: domain.domain, verified_at: row.verified_at, missing_since: row.missing_since },
  });
  return true;
}
