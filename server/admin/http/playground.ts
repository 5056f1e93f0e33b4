// The signed-in user of a playground call, authenticated like any API call.
import type { SettingsReader } from '#server/platform/settings/settings.ts';
import { isCrossSite, ownOrigins, type Authenticator } from './authenticate.ts';
import type { Caller } from './context.ts';

export function playgroundUser(
  authenticator: Authenticator,
  settings: SettingsReader,
): (request: Request) => Promise<Caller | null> {
  return async (request) => {
    if (isCrossSite(request, ownOrigins(settings.current))) return null;
    // The relay's route does not know whether the browser used https, so both cookie names are tried.
    for (const secure of [true, false]) {
      const { user, via, headerMatches } = await authenticator.identify(request, secure);
      if (via === 'session') return headerMatches ? user : null;
    }
    return null;
  };
}
