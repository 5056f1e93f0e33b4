// What the database knows of a token, its owner and the subscriptions that may pay for calls, as it was when the rows were read.
// How much is left is decided by the ledger, call by call.
import { compileAddressList, type AddressList } from '#contract/ip-address.ts';
import type { Store } from '#server/platform/store/store.ts';

export interface KnownToken {
  tokenId: number;
  tokenName: string;
  status: number;
  expiredTime: number;
  group: string;
  models: ReadonlySet<string> | undefined;
  allow: AddressList;
  deny: AddressList;
  rateLimitMessage: string;
  isStrict: boolean;
  userId: number;
  username: string;
  role: number;
  userStatus: number;
  userGroup: string;
  isGone: boolean;
  plans: CallerPlans | undefined;
}

export async function findToken(
  store: Store,
  wanted: { digest: string } | { tokenId: number },
): Promise<KnownToken | undefined> {
  const row = await store.db
    .selectFrom('tokens')
    .innerJoin('users', 'users.id', 'tokens.user_id')
    .select([
      'tokens.id as tokenId',
      'tokens.name as tokenName',
      'tokens.status as status',
      'tokens.expired_time as expiredTime',
      'tokens.group as group',
      'tokens.model_limits_enabled as modelLimitsEnabled',
      'tokens.model_limits as modelLimits',
      'tokens.allow_ips as allowIps',
      'tokens.deny_ips as denyIps',
      'tokens.rate_limit_message as rateLimitMessage',
      'tokens.strict_conversion as strictConversion',
      'users.id as userId',
      'users.username as username',
      'users.role as role',
      'users.status as userStatus',
      'users.group as userGroup',
      'users.deleted_at as userDeletedAt',
      // Only a user with a subscription costs a second query.
      (builder) =>
        builder
          .exists(
            builder
              .selectFrom('subscriptions')
              .select('subscriptions.id')
              .whereRef('subscriptions.user_id', '=', 'users.id')
              .where('subscriptions.status', '=', 'active'),
          )
          .as('hasPlans'),
    ])
    .where((builder) =>
      'digest' in wanted
        ? builder('tokens.key_digest', '=', wanted.digest)
        : builder('tokens.id', '=', wanted.tokenId),
    )
    .where('tokens.deleted_at', 'is', null)
    .executeTakeFirst();
  if (row === undefined) return undefined;
  const {
    modelLimits,
    modelLimitsEnabled,
    strictConversion,
    allowIps,
    denyIps,
    userDeletedAt,
    hasPlans,
    ...rest
  } = row;
  const names = modelLimits.split(',').map((name) => name.trim());
  return {
    ...rest,
    models: modelLimitsEnabled === 1 ? new Set(names.filter(Boolean)) : undefined,
    isStrict: strictConversion === 1,
    allow: compileAddressList(allowIps),
    deny: compileAddressList(denyIps),
    isGone: userDeletedAt !== null,
    plans: hasPlans ? await loadPlans(store, row.userId, row.group !== '') : undefined,
  };
}

export interface CallerPlan {
  readonly id: number;
  /** Unix seconds. */
  readonly startsAt: number;
  readonly endsAt: number;
  /** Undefined when every model is allowed. */
  readonly models: ReadonlySet<string> | undefined;
  /** Empty: the plan changes no group. */
  readonly group: string;
}

export interface CallerPlans {
  /** The one that ends first is first. */
  readonly list: readonly CallerPlan[];
  /** The balance pays before a subscription does. */
  readonly isWalletFirst: boolean;
  /** The token or the call names a group: no plan changes it. */
  readonly keepsGroup: boolean;
}

export async function loadPlans(
  { db }: Store,
  userId: number,
  keepsGroup: boolean,
): Promise<CallerPlans | undefined> {
  const rows = await db
    .selectFrom('subscriptions')
    .innerJoin('users', 'users.id', 'subscriptions.user_id')
    .select([
      'subscriptions.id',
      'subscriptions.started_at as startsAt',
      'subscriptions.ends_at as endsAt',
      'subscriptions.models',
      'subscriptions.group',
      'users.wallet_first',
    ])
    .where('subscriptions.user_id', '=', userId)
    .where('subscriptions.status', '=', 'active')
    .orderBy('subscriptions.ends_at')
    .orderBy('subscriptions.id')
    .execute();
  const [first] = rows;
  if (first === undefined) return undefined;
  const list = rows.map(({ models, wallet_first: _walletFirst, ...plan }) => ({
    ...plan,
    models: models === '' ? undefined : new Set(models.split(',')),
  }));
  return { list, isWalletFirst: first.wallet_first === 1, keepsGroup };
}
