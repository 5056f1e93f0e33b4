// The balance and the keys of an organization, as account.ts checks those of a person; and what has ended already: a balance that is
// used up, and keys that are exhausted or expired.
import type { AttentionKind } from '#contract/admin/attention-kinds.ts';
import { MOST_SUBJECTS } from '#contract/admin/attention.ts';
import { TOKEN_STATUS } from '#contract/admin/tokens.ts';
import { readBalancePace } from '#server/admin/balance-pace.ts';
import { nowSeconds } from '#server/admin/clock.ts';
import { statusExpression } from '#server/admin/token-status.ts';
import { checkKeys, lowBalance, type AccountDependencies } from './account.ts';
import { found, type Found } from './found.ts';

/** Empty in place of low. */
export async function checkWallet(dependencies: AccountDependencies, id: number): Promise<Found[]> {
  const pace = await readBalancePace(dependencies.store, id, nowSeconds(dependencies));
  if (pace.quota + pace.plans > 0)
    return lowBalance(pace, id).map((item) => ({ ...item, id: `${item.id}:${id}` }));
  const nothing = { mark: '', since: 0, subjects: [], count: 1, values: {} };
  return [found('wallet_empty', { of: id, address: '/topup', ...nothing })];
}

interface Keys {
  organizationId: number;
  /** Undefined: those of all. */
  memberId: number | undefined;
}

export async function checkOrganizationKeys(dependencies: AccountDependencies, keys: Keys): Promise<Found[]> {
  const [soon, exhausted, expired] = await Promise.all([
    checkKeys(dependencies, keys.organizationId, keys.memberId),
    findEndedKeys(dependencies, keys, 'exhausted'),
    findEndedKeys(dependencies, keys, 'expired'),
  ]);
  // One without any quota left is exhausted already.
  const nearly = soon.filter(({ values }) => values['left_quota'] !== 0);
  return [...nearly, ...exhausted, ...expired];
}

const KINDS = {
  exhausted: 'keys_exhausted',
  expired: 'keys_expired',
} as const satisfies Record<string, AttentionKind>;

/** All of them are one item; with the names of those that were used last. */
async function findEndedKeys(
  dependencies: AccountDependencies,
  { organizationId, memberId }: Keys,
  state: keyof typeof KINDS,
): Promise<Found[]> {
  const status = TOKEN_STATUS[state];
  const keys = dependencies.store.db
    .selectFrom('tokens')
    .where('user_id', '=', organizationId)
    .where('deleted_at', 'is', null)
    .where(statusExpression(nowSeconds(dependencies)), '=', status)
    .$if(memberId !== undefined, (query) => query.where('member_id', '=', memberId ?? 0));
  const { total, newest } = await keys
    .select(({ fn }) => [fn.countAll<number>().as('total'), fn.max('id').as('newest')])
    .executeTakeFirstOrThrow();
  if (total === 0) return [];
  const rows = await keys
    .select(['id', 'name'])
    .orderBy('accessed_time', 'desc')
    .orderBy('id')
    .limit(MOST_SUBJECTS)
    .execute();
  return [
    found(KINDS[state], {
      of: organizationId,
      mark: `${total} ${newest}`,
      since: 0,
      subjects: rows.map(({ id, name }) => ({ kind: 'token', id: String(id), name })),
      count: total,
      values: {},
      address: `/token?status=${status}`,
    }),
  ];
}
