// Joins what decides who calls the admin API and for whom: sessions, credentials, memberships of organizations.
import { createAuthenticator } from '#server/admin/http/authenticate.ts';
import { openMemberships } from '#server/admin/http/memberships.ts';
import { openSessions } from '#server/admin/http/sessions.ts';
import type { RootLog } from '#server/platform/log.ts';
import type { Store } from '#server/platform/store/store.ts';

export function joinAccess({ store, log }: { store: Store; log: RootLog }) {
  const sessions = openSessions(store, log);
  const memberships = openMemberships(store);
  return {
    parts: { sessions, memberships, authenticator: createAuthenticator(store, sessions) },
    close() {
      sessions.close();
      memberships.close();
    },
  };
}
