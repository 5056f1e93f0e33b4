// What of an organization's sign-on needs its owners and admins: a provider that does not answer or refuses, people whose address is
// not accepted, domains whose proof is gone, and SCIM tokens that are refused, revoked or not used.
import type { AttentionKind } from '#contract/admin/attention-kinds.ts';
import { DAY_SECONDS, HOUR_SECONDS } from '#contract/time.ts';
import type { SignOnFacts } from './dependencies.ts';
import { found, markOf, type Found } from './found.ts';

/** A provider that did not answer once may be restarting. */
const STOP_SECONDS = HOUR_SECONDS;
/** A provider that provisions calls at least so often. */
const UNUSED_DAYS = 30;

type Trouble = SignOnFacts['troubles'][number];

const ADDRESS = '/organization-sign-on';
const OF_PROVIDER = {
  unreachable: 'sign_on_unreachable',
  secret: 'sign_on_secret',
  clock: 'sign_on_clock',
  answer: 'sign_on_answer',
} as const satisfies Partial<Record<Trouble['reason'], AttentionKind>>;

export function checkSignOn(facts: SignOnFacts, organizationId: number, now: number): Found[] {
  return [
    ...facts.troubles.flatMap((trouble) => ofProvider(trouble, organizationId, now)),
    ...ofPeople(facts.troubles, organizationId),
    ...facts.domains.map(ofDomain),
    ...facts.troubles.flatMap((trouble) => ofToken(trouble, facts)),
    ...unused(facts, organizationId, now),
  ];
}

function ofProvider(
  { reason, detail, count, first_at, last_at }: Trouble,
  organizationId: number,
  now: number,
): Found[] {
  if (!(reason in OF_PROVIDER)) return [];
  const kind = OF_PROVIDER[reason as keyof typeof OF_PROVIDER];
  const isLong = kind === 'sign_on_unreachable' && now - first_at >= STOP_SECONDS;
  return [
    found(kind, {
      of: organizationId,
      ...(isLong ? { severity: 'stop' as const } : {}),
      mark: `${first_at}${isLong ? ' long' : ''}`,
      since: first_at,
      subjects: [],
      count: 1,
      values: { refusals: count, address: detail, reason: detail, last_at },
      address: ADDRESS,
    }),
  ];
}

/** All of them are one item; another person makes it another. */
function ofPeople(troubles: readonly Trouble[], organizationId: number): Found[] {
  const people = troubles.filter(({ reason }) => reason === 'unverified' || reason === 'foreign');
  const [first] = people;
  if (first === undefined) return [];
  const counted = (reason: Trouble['reason']) => people.filter((each) => each.reason === reason).length;
  return [
    found('sign_on_claim', {
      of: organizationId,
      mark: markOf(people.map(({ reason, subject }) => `${reason} ${subject}`)),
      since: first.first_at,
      subjects: people.map(({ subject }) => ({ kind: 'user', id: subject, name: subject || '?' })),
      users: people.length,
      values: { unverified: counted('unverified'), foreign: counted('foreign') },
      address: ADDRESS,
    }),
  ];
}

function ofDomain({
  id,
  domain,
  verified_at,
  missing_since,
  ends_at,
  record_name,
}: SignOnFacts['domains'][number]): Found {
  return found(verified_at > 0 ? 'domain_unproven' : 'domain_lost', {
    of: id,
    mark: String(missing_since),
    since: missing_since,
    subjects: [{ kind: 'domain', id: String(id), name: domain }],
    values: { record: record_name, ends_at, gone_at: missing_since },
    address: ADDRESS,
  });
}

function ofToken(
  { reason, subject, detail, count, first_at, last_at }: Trouble,
  facts: SignOnFacts,
): Found[] {
  if (reason !== 'scim_refused' && reason !== 'scim_revoked') return [];
  const token = facts.tokens.find(({ id }) => String(id) === subject);
  if (token === undefined) return [];
  return [
    found(reason, {
      of: subject,
      mark: String(first_at),
      since: first_at,
      subjects: [{ kind: 'scim_token', id: subject, name: token.name }],
      values: { refusals: count, reason: detail, last_at },
      address: ADDRESS,
    }),
  ];
}

function unused({ tokens }: SignOnFacts, organizationId: number, now: number): Found[] {
  const idle = tokens.filter(
    ({ created_at, last_used_at, revoked_at }) =>
      revoked_at === 0 && now - Math.max(created_at, last_used_at) >= UNUSED_DAYS * DAY_SECONDS,
  );
  if (idle.length === 0) return [];
  const since = Math.min(...idle.map((token) => Math.max(token.created_at, token.last_used_at)));
  return [
    found('scim_unused', {
      of: organizationId,
      mark: markOf(idle.map(({ id, last_used_at }) => `${id} ${last_used_at}`)),
      since,
      subjects: idle.map(({ id, name }) => ({ kind: 'scim_token', id: String(id), name })),
      values: { days: UNUSED_DAYS },
      address: ADDRESS,
    }),
  ];
}
