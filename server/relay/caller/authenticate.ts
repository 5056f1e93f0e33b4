// Authenticates a caller: token, owner, group and address are checked in the same way for every form of key. Rows are cached
// by key (the database stores only its digest) and dropped when tokens or users change; balance, limits, status and
// expiry are checked again in the hold's transaction.
import type { Settings } from '#contract/settings.ts';
import { TOKEN_NEVER_EXPIRES, TOKEN_STATUS } from '#contract/admin/tokens.ts';
import type { Store } from '#server/platform/store/store.ts';
import {
  ACTIVE_USER,
  findToken,
  type CallerOrganization,
  type CallerPlans,
  type KnownToken,
} from './load-token.ts';
import { cachePolicyOf, type CachePolicy } from './cache-policy.ts';
import { listAllows } from './model-list.ts';
import { RelayError } from '#server/relay/errors/relay-error.ts';

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
  /** Undefined for a person's own token. */
  readonly organization?: CallerOrganization | undefined;
  /** Undefined: nothing of its calls is kept for equal ones. */
  readonly cache?: CachePolicy | undefined;
}

interface CheckedToken extends KnownToken {
  /** The caller as checked under `settings`; valid as long as the settings snapshot is the same object. */
  admitted?: { settings: Settings; caller: Caller };
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

const REMEMBERED_LIMIT = 100_000;
/** How long an unknown key is cached as unknown. */
const WRONG_FOR_MILLISECONDS = 5_000;
const ADMINISTRATOR_ROLE = 10;

export function createAuthenticator(store: Store): Authenticator {
  const known = new Map<string, CheckedToken>();
  /** By the id of the token. */
  const issuers = new Map<number, CheckedToken>();
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

  async function load(key: string): Promise<CheckedToken> {
    const digest = store.vault.digest('token', key);
    const until = wrong.get(digest);
    if (until !== undefined && until > performance.now()) throw unknownKey(key);
    const readAt = version;
    const token = await findToken(store, { digest });
    if (token === undefined) {
      if (wrong.size >= REMEMBERED_LIMIT) wrong.clear();
      wrong.set(digest, performance.now() + WRONG_FOR_MILLISECONDS);
      throw unknownKey(key);
    }
    if (readAt === version) {
      if (known.size >= REMEMBERED_LIMIT) known.clear();
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
      const presented = presentedKey(request);
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
      const token = issuers.get(tokenId) ?? (await findToken(store, { tokenId }));
      if (token === undefined) throw new RelayError('invalid_api_key');
      if (readAt === version) {
        if (issuers.size >= REMEMBERED_LIMIT) issuers.clear();
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
  new RelayError(key.startsWith(SECRET_PREFIX) ? 'secret_for_realtime' : 'invalid_api_key');

/** A refusal names the owner of the token. */
function admitToken(
  token: CheckedToken,
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
  token: CheckedToken,
  channelId: number | undefined,
  address: string,
  settings: Settings,
): Caller {
  if (token.status === TOKEN_STATUS.disabled) throw new RelayError('token_disabled');
  const isExpired = token.expiredTime !== TOKEN_NEVER_EXPIRES && token.expiredTime * 1000 <= Date.now();
  if (token.status === TOKEN_STATUS.expired || isExpired) throw new RelayError('token_expired');
  if (token.status === TOKEN_STATUS.exhausted) throw new RelayError('token_exhausted');
  if (token.isGone || token.isMemberGone) throw new RelayError('user_disabled');
  if (token.userStatus !== ACTIVE_USER) throw refusedAccount(token);
  if (!token.allow.empty || !token.deny.empty) {
    if (token.deny.matches(address)) throw new RelayError('address_not_allowed');
    if (!token.allow.empty && !token.allow.matches(address)) throw new RelayError('address_not_allowed');
  }
  if (token.projectAllow?.matches(address) === false) throw new RelayError('address_not_allowed');
  const { admitted } = token;
  if (admitted !== undefined && admitted.settings === settings && channelId === undefined)
    return admitted.caller;
  const group = token.group === '' ? token.userGroup : token.group;
  requireUsableGroup(group, token.userGroup, settings);
  if (channelId !== undefined && token.role < ADMINISTRATOR_ROLE) throw new RelayError('channel_for_admins');
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
    organization: token.organization,
    cache: channelId === undefined ? cachePolicyOf(token, settings) : undefined,
  };
  if (channelId === undefined) token.admitted = { settings, caller };
  return caller;
}

function refusedAccount({ organization, suspendedReason }: CheckedToken): RelayError {
  if (organization === undefined) return new RelayError('user_disabled');
  const reason = suspendedReason === '' ? '' : ` (${suspendedReason})`;
  return new RelayError('organization_suspended', { reason });
}

/** Allowed are the user's own group and the groups the operator offers, if they have a ratio. */
export function requireUsableGroup(group: string, userGroup: string, settings: Settings): void {
  const isUsable = group === userGroup || Object.hasOwn(settings.UserUsableGroups, group);
  if (!isUsable || !Object.hasOwn(settings.GroupRatio, group))
    throw new RelayError('group_not_allowed', { group });
}

export function modelAllowed({ models }: Pick<Caller, 'models'>, model: string): boolean {
  return models === undefined || listAllows(models, model);
}

/** Extracted from the six places where clients put it: the only extractor, so that every form is checked alike. */
export interface PresentedKey {
  /** Without `sk-` and without the channel. */
  readonly key: string;
  /** Without `sk-`, but with all that follows: keys of other gateways may contain a dash. */
  readonly whole: string;
  /** `sk-KEY-12` asks for channel 12. */
  readonly channelId: number | undefined;
}

/** Of short-lived secrets, which open realtime sessions only. */
export const SECRET_PREFIX = 'ek_';

const PROTOCOL_PREFIX = 'openai-insecure-api-key.';
const LONGEST_KEY = 256;

/** Cache by header value: callers repeat their header with every call. */
const knownKeys = new Map<string, PresentedKey>();
const MOST_KNOWN = 10_000;
const longestKnown = LONGEST_KEY + 'Bearer '.length;

/** Undefined without a key. An empty key when the given text cannot be one. */
export function presentedKey(request: KeyCarrier): PresentedKey | undefined {
  const authorization = request.headers.get('authorization');
  if (authorization !== null && authorization !== '') return authorizedKey(authorization);
  // Only now: the platform makes the text of the address when it is asked for it.
  const text = keyText(request);
  return text === undefined ? undefined : splitKey(text);
}

function authorizedKey(authorization: string): PresentedKey {
  let presented = knownKeys.get(authorization);
  if (presented === undefined) {
    const isBearer = authorization.slice(0, 7).toLowerCase() === 'bearer ';
    // Copied, because a substring would keep the whole header in memory.
    const own = Buffer.from(authorization).toString();
    presented = splitKey((isBearer ? own.slice(7) : own).trim());
    if (own.length > longestKnown) return presented;
    if (knownKeys.size >= MOST_KNOWN) knownKeys.clear();
    knownKeys.set(own, presented);
  }
  return presented;
}

function keyText({ headers, url }: KeyCarrier): string | undefined {
  const named = headers.get('x-api-key') ?? headers.get('x-goog-api-key') ?? headers.get('api-key');
  if (named !== null && named !== '') return named.trim();
  const protocols = headers.get('sec-websocket-protocol');
  if (protocols !== null) {
    for (const item of protocols.split(',')) {
      const protocol = item.trim();
      if (protocol.startsWith(PROTOCOL_PREFIX)) return protocol.slice(PROTOCOL_PREFIX.length);
    }
  }
  const query = url.indexOf('?');
  if (query < 0) return undefined;
  return new URLSearchParams(url.slice(query + 1)).get('key') ?? undefined;
}

function splitKey(text: string): PresentedKey {
  if (text.length > LONGEST_KEY) return { key: '', whole: '', channelId: undefined };
  const bare = text.startsWith('sk-') ? text.slice(3) : text;
  const dash = bare.indexOf('-');
  if (dash < 0) return { key: bare, whole: bare, channelId: undefined };
  const suffix = bare.slice(dash + 1);
  // Anything but a number after the dash is a channel that cannot exist.
  const channelId = /^\d{1,15}$/.test(suffix) ? Number(suffix) : -1;
  return { key: bare.slice(0, dash), whole: bare, channelId };
}
