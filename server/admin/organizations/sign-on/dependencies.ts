// What the sign-on of organizations needs from the application.
import type { LoginAnswer } from '#contract/admin/session.ts';
import type { Log } from '#contract/context.ts';
import type { Settings } from '#contract/settings.ts';
import type { OwnerLetters } from '#server/admin/accounts.ts';
import type { RequestContext } from '#server/admin/context.ts';
import type { OrganizationKeys } from '#server/admin/organizations/dependencies.ts';
import type { Egress } from '#server/platform/egress/index.ts';
import type { Store } from '#server/platform/store/store.ts';

export interface SignOnDependencies {
  store: Store;
  settings: {
    readonly current: Pick<
      Settings,
      'OrganizationsEnabled' | 'OrganizationSignOn' | 'OrganizationSignOnPrivateAddresses' | 'ServerAddress'
    >;
  };
  keys: OrganizationKeys;
  egress: Pick<Egress, 'fetch' | 'textRecords'>;
  log: Log;
  ownerLetters: OwnerLetters;
  /** The last step of every sign-in. */
  enter(userId: number, context: RequestContext, how: string, organizationId: number): Promise<LoginAnswer>;
}
