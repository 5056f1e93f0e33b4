// Who is signed in, for the one relayed call that a browser session pays for: the same proofs as any API call.
import type { SettingsReader } from '#server/settings/settings.ts';
import { isCrossSite, ownOrigins, type Authenticator } from './authenticate.ts';
import type { Caller } from './context.ts';

export function playgroundUser(
  authenticator: Authenticator,
  settings: SettingsReader,
): (request: Request) => Promise<Caller | null> {
  return async (request) => {
    if (isCrossSite(request, ownOrigins(settings.current))) return null;
    // The route does not know how the browser reached a proxy before us, so the cookie of either kind will do.
    for (const secure of [true, false]) {
      const { user, via, headerMatches } = await authenticator.identify(request, secure);
      if (via === 'session') return headerMatches ? user : null;
    }
    return null;
  };
}
