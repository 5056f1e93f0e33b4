// Identifies the caller by a browser session or a system access token. In both cases the user-id header must name the same
// user; a page of another site cannot set it.
import type { Settings } from '#contract/settings.ts';
import { USER_STATUS } from '#contract/admin/users.ts';
import type { Store } from '#server/platform/store/store.ts';
import type { Caller } from './context.ts';
import { sessionIdOf } from './cookie.ts';
import { isProtected } from './protection.ts';
import type { Session, Sessions } from './sessions.ts';

export interface Credentials {
  user: Caller | null;
  via: 'session' | 'access_token' | 'admin_key' | null;
  sessionDigest: string | null;
  /** When the session's user last authenticated; 0 without a session. */
  verifiedAt: number;
  /** The caller has two-factor or a passkey. */
  isProtected: boolean;
  /** The caller's password is still the one generated at the first start. */
  passwordIsInitial: boolean;
  /** The session id the browser sent, valid or not: a login replaces it, a logout ends it. */
  sessionId: string | null;
  /** The user-id header names this user. */
  headerMatches: boolean;
}

export const USER_HEADERS = ['New-Api-User', 'Tollgate-User'] as const;
/** The purpose under which access tokens are digested. */
export const ACCESS_TOKEN_PURPOSE = 'access_token';
const LONGEST_TOKEN = 200;

export interface Authenticator {
  /** Reads and verifies the credentials; `admit` decides what they allow. */
  identify(request: Request, secure: boolean): Promise<Credentials>;
}

export function createAuthenticator(store: Store, sessions: Sessions): Authenticator {
  async function byAccessToken(
    token: string,
  ): Promise<Pick<Session, 'user' | 'isProtected' | 'passwordIsInitial'> | null> {
    const row = await store.db
      .selectFrom('users')
      .select(['id', 'username', 'role', 'group', 'password_is_initial', isProtected()])
      .where('access_token_digest', '=', store.vault.digest(ACCESS_TOKEN_PURPOSE, token))
      .where('kind', '=', 'person')
      .where('status', '=', USER_STATUS.activated)
      .where('deleted_at', 'is', null)
      .executeTakeFirst();
    if (!row) return null;
    const { is_protected, password_is_initial, ...user } = row;
    return { user, isProtected: is_protected === 1, passwordIsInitial: password_is_initial === 1 };
  }

  return {
    async identify(request, secure) {
      const sessionId = sessionIdOf(request.headers.get('cookie'), secure);
      const session = sessionId ? await sessions.find(sessionId) : null;
      if (session) {
        const { digest, ...known } = session;
        const headerMatches = namesUser(request, session.user.id);
        return { ...known, via: 'session', sessionDigest: digest, sessionId, headerMatches };
      }
      const token = accessTokenOf(request);
      const holder = token ? await byAccessToken(token) : null;
      return {
        user: holder?.user ?? null,
        via: holder ? 'access_token' : null,
        sessionDigest: null,
        verifiedAt: 0,
        isProtected: holder?.isProtected ?? false,
        passwordIsInitial: holder?.passwordIsInitial ?? false,
        sessionId,
        headerMatches: holder !== null && namesUser(request, holder.user.id),
      };
    },
  };
}

/** `Authorization: <token>`, with or without `Bearer`. */
function accessTokenOf(request: Request): string | null {
  const header = request.headers.get('authorization');
  if (!header || header.length > LONGEST_TOKEN) return null;
  return header.replace(/^bearer\s+/i, '').trim() || null;
}

function namesUser(request: Request, userId: number): boolean {
  const named = USER_HEADERS.map((name) => request.headers.get(name)).find((value) => value !== null);
  return named?.trim() === String(userId);
}

/**
 * Whether a browser sent the request for a page of another site. Programs send neither header and pass; they hold no
 * cookie that another site could use.
 */
export function isCrossSite(request: Request, ownOrigins: readonly string[]): boolean {
  const site = request.headers.get('sec-fetch-site');
  if (site !== null) return site !== 'same-origin' && site !== 'none';
  const origin = request.headers.get('origin');
  if (origin === null) return false;
  const host = URL.canParse(origin) ? new URL(origin).host : null;
  return host === null || (host !== request.headers.get('host') && !ownOrigins.includes(origin));
}

/** The origin of the operator's server address. */
export function ownOrigins({ ServerAddress }: Pick<Settings, 'ServerAddress'>): string[] {
  return ServerAddress === '' ? [] : [new URL(ServerAddress).origin];
}
