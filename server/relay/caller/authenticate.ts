// Authenticates a caller: token, owner, group and address are checked in the same way for every form of key. Rows are cached
// by key (the database stores only its digest) and dropped when tokens or users change; balance, limits, status and
// expiry are checked again in the hold's transaction.
import { compileAddressList, type AddressList } from '#contract/ip-address.ts';
import type { Settings } from '#contract/settings.ts';
import { TOKEN_NEVER_EXPIRES, TOKEN_STATUS } from '#contract/admin/tokens.ts';
import type { Store } from '#server/platform/store/store.ts';
import { presentedKey, secretPrefix, type PresentedKey } from './credentials.ts';
import { loadPlans, type CallerPlans } from './plans.ts';
import { RelayError } from '#server/relay/errors/relay-error.ts';
import { readSuffix } from '#server/models/reasoning-suffix.ts';

export interface Caller {
  readonly userId: number;
  readonly username: string;
  readonly role: number;
  /** The group whose channels and ratio apply. */
  readonly group: string;
  /** 0 in the playground. */
  readonly tokenId: number;
  readonly tokenName: string;
  /** Undefined when every model is allowed. */
  readonly models: ReadonlySet<string> | undefined;
  /** The channel an administrator chose by `sk-KEY-<channel>`. */
  readonly channelId: number | undefined;
  readonly rateLimitMessage: string;
  /** The token asks for strict conversion. */
  readonly isStrict: boolean;
  /** Undefined for a user without a subscription. */
  readonly plans?: CallerPlans | undefined;
}

interface KnownToken {
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
  /** The caller as checked under `settings`; valid as long as the settings snapshot is the same object. */
  admitted: { settings: Settings; caller: Caller } | undefined;
}

/** The parts of a request that may carry a key. */
export interface KeyCarrier {
  readonly url: string;
  readonly headers: Pick<Headers, 'get'>;
}

export interface Authenticator {
  authenticate(request: KeyCarrier, address: string, settings: Settings): Caller | Promise<Caller>;
  /** The caller of a secret that a token has issued: with that token's rights and limits, as long as it has them. */
  authenticateIssuer(tokenId: number, address: string, settings: Settings): Promise<Caller>;
  close(): void;
}

const rememberedLimit = 100_000;
/** How long an unknown key is cached as unknown. */
const wrongForMilliseconds = 5_000;
const administratorRole = 10;
const activeUser = 1;

export function createAuthenticator(store: Store): Authenticator {
  const known = new Map<string, KnownToken>();
  /** By the id of the token. */
  const issuers = new Map<number, KnownToken>();
  const wrong = new Map<string, number>();
  // Incremented by every change announcement: a row read before it must not be cached after it.
  let version = 0;
  const forget = (): void => {
    version += 1;
    known.clear();
    issuers.clear();
    wrong.clear();
  };
  const stops = [store.changes.subscribe('tokens', forget), store.changes.subscribe('users', forget)];

  async function load(key: string): Promise<KnownToken> {
    const digest = store.vault.digest('token', key);
    const until = wrong.get(digest);
    if (until !== undefined && until > performance.now()) throw unknownKey(key);
    const readAt = version;
    const token = await find(store, { digest });
    if (token === undefined) {
      if (wrong.size >= rememberedLimit) wrong.clear();
      wrong.set(digest, performance.now() + wrongForMilliseconds);
      throw unknownKey(key);
    }
    if (readAt === version) {
      if (known.size >= rememberedLimit) known.clear();
      known.set(key, token);
    }
    return token;
  }

  /** A key and a channel, or a key of another gateway that contains the dash. */
  async function loadWithDash({ key, whole, channelId }: PresentedKey) {
    try {
      if (key !== '') return { found: await load(key), channel: channelId };
    } catch (error) {
      if (!(error instanceof RelayError) || error.code !== 'invalid_api_key') throw error;
    }
    return { found: await load(whole), channel: undefined };
  }

  return {
    authenticate(request, address, settings) {
      const presented = presentedKey(request.headers, request.url);
      if (presented === undefined) throw new RelayError('missing_api_key');
      const { key, whole, channelId } = presented;
      if (whole === '') throw new RelayError('invalid_api_key');
      const token = known.get(key);
      if (token !== undefined) return admitToken(token, channelId, address, settings);
      if (whole === key) return load(key).then((found) => admitToken(found, channelId, address, settings));
      const imported = known.get(whole);
      if (imported !== undefined) return admitToken(imported, undefined, address, settings);
      return loadWithDash(presented).then(({ found, channel }) =>
        admitToken(found, channel, address, settings),
      );
    },
    async authenticateIssuer(tokenId, address, settings) {
      const readAt = version;
      const token = issuers.get(tokenId) ?? (await find(store, { tokenId }));
      if (token === undefined) throw new RelayError('invalid_api_key');
      if (readAt === version) {
        if (issuers.size >= rememberedLimit) issuers.clear();
        issuers.set(tokenId, token);
      }
      return admitToken(token, undefined, address, settings);
    },
    close() {
      for (const stop of stops) stop();
    },
  };
}

const unknownKey = (key: string): RelayError =>
  new RelayError(key.startsWith(secretPrefix) ? 'secret_for_realtime' : 'invalid_api_key');

/** A refusal names the owner of the token. */
function admitToken(
  token: KnownToken,
  channelId: number | undefined,
  address: string,
  settings: Settings,
): Caller {
  try {
    return admit(token, channelId, address, settings);
  } catch (error) {
    if (error instanceof RelayError) error.owner = token;
    throw error;
  }
}

function admit(
  token: KnownToken,
  channelId: number | undefined,
  address: string,
  settings: Settings,
): Caller {
  if (token.status === TOKEN_STATUS.disabled) throw new RelayError('token_disabled');
  const isExpired = token.expiredTime !== TOKEN_NEVER_EXPIRES && token.expiredTime * 1000 <= Date.now();
  if (token.status === TOKEN_STATUS.expired || isExpired) throw new RelayError('token_expired');
  if (token.status === TOKEN_STATUS.exhausted) throw new RelayError('token_exhausted');
  if (token.isGone || token.userStatus !== activeUser) throw new RelayError('user_disabled');
  if (!token.allow.empty || !token.deny.empty) {
    if (token.deny.matches(address)) throw new RelayError('address_not_allowed');
    if (!token.allow.empty && !token.allow.matches(address)) throw new RelayError('address_not_allowed');
  }
  const { admitted } = token;
  if (admitted !== undefined && admitted.settings === settings && channelId === undefined)
    return admitted.caller;
  const group = token.group === '' ? token.userGroup : token.group;
  requireUsableGroup(group, token.userGroup, settings);
  if (channelId !== undefined && token.role < administratorRole) throw new RelayError('channel_for_admins');
  const caller: Caller = {
    userId: token.userId,
    username: token.username,
    role: token.role,
    group,
    tokenId: token.tokenId,
    tokenName: token.tokenName,
    models: token.models,
    channelId,
    rateLimitMessage: token.rateLimitMessage,
    isStrict: token.isStrict,
    plans: token.plans,
  };
  if (channelId === undefined) token.admitted = { settings, caller };
  return caller;
}

/** Allowed are the user's own group and the groups the operator offers, if they have a ratio. */
export function requireUsableGroup(group: string, userGroup: string, settings: Settings): void {
  const isUsable = group === userGroup || Object.hasOwn(settings.UserUsableGroups, group);
  if (!isUsable || !Object.hasOwn(settings.GroupRatio, group))
    throw new RelayError('group_not_allowed', { group });
}

async function find(
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
    admitted: undefined,
  };
}

/** A reasoning suffix makes no other model: a token that lists `o3-mini` may call `o3-mini-high`. */
export function modelAllowed({ models }: Pick<Caller, 'models'>, model: string): boolean {
  if (models === undefined || models.has(model)) return true;
  const bare = readSuffix(model)?.model;
  return bare !== undefined && models.has(bare);
}
