// What of the sign-on may need somebody: domains without their record, what was refused lately, and SCIM tokens.
import type { Settings } from '#contract/settings.ts';
import type { Store } from '#server/platform/store/store.ts';
import { isSignOnOn } from './allowed.ts';
import { troublesOf } from './troubles.ts';
import { domainView } from './view.ts';

interface Parts {
  store: Pick<Store, 'db'>;
  settings: { readonly current: Pick<Settings, 'OrganizationsEnabled' | 'OrganizationSignOn'> };
}

/** Nothing while the operator has turned sign-on off. */
export async function signOnFacts({ store, settings }: Parts, id: number) {
  if (!isSignOnOn(settings.current)) return { domains: [], troubles: [], tokens: [] };
  const { db } = store;
  const [domains, troubles, tokens] = await Promise.all([
    db
      .selectFrom('sign_on_domains')
      .selectAll()
      .where('organization_id', '=', id)
      .where('missing_since', '>', 0)
      .orderBy('missing_since')
      .execute(),
    troublesOf(db, id),
    db
      .selectFrom('scim_tokens')
      .select(['id', 'name', 'created_at', 'last_used_at', 'revoked_at'])
      .where('organization_id', '=', id)
      .orderBy('id')
      .execute(),
  ]);
  return { domains: domains.map(domainView), troubles, tokens };
}
