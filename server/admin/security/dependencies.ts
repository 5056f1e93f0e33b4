// What server/admin/security needs from the application.
import type { IsOwnPassword, OwnerLetters, SecondFactor, WaysIn } from '#server/admin/accounts.ts';
import type { RequestContext } from '#server/admin/context.ts';
import type { SessionUser } from '#contract/admin/session.ts';
import type { Settings } from '#contract/settings.ts';
import type { Store } from '#server/platform/store/store.ts';

export interface SecurityDependencies {
  store: Store;
  settings: { readonly current: Pick<Settings, 'SystemName' | 'ServerAddress'> };
  secondFactor: SecondFactor;
  ownerLetters: OwnerLetters;
  isOwnPassword: IsOwnPassword;
  /** Signs in without asking for a second factor: a passkey is one. */
  enterFully: (userId: number, context: RequestContext, how: string) => Promise<SessionUser>;
  waysIn: WaysIn;
}
