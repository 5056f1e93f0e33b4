// Dependencies of outside logins, and facts that all providers share.
import type { OwnerLetters } from '#server/admin/accounts.ts';
import type { SignUpParts } from '#server/admin/sign-up.ts';
import type { Log, RequestContext } from '#server/admin/context.ts';
import type { OutsideProvider } from '#contract/admin/outside-logins.ts';
import type { LoginAnswer } from '#contract/admin/session.ts';
import type { Settings } from '#contract/settings.ts';
import type { Egress } from '#server/platform/egress/index.ts';
import type { Store } from '#server/platform/store/store.ts';

/** Rules of sign-in and sign-up by password: nouns do not import each other. */
export interface SignUps extends SignUpParts {
  /** The address in the stored form; throws AppError when this site does not accept it. */
  usableEmail(text: string): string;
  /** The last step of every sign-in: a session, or the question for a second factor. */
  enter(userId: number, context: RequestContext, how: OutsideProvider): Promise<LoginAnswer>;
}

/** Counts tries of short codes. */
export interface Tries {
  /** Seconds to wait before the next try; 0 = now. */
  begin(account: string, address: string): Promise<number>;
  succeed(account: string, address: string): Promise<void>;
}

export interface OutsideLoginDependencies {
  store: Store;
  settings: { readonly current: Settings };
  egress: Pick<Egress, 'fetch'>;
  log: Log;
  signUps: SignUps;
  tries: Tries;
  ownerLetters: OwnerLetters;
}

export type OutsideColumn = 'github_id' | 'linux_do_id' | 'oidc_id' | 'wechat_id' | 'telegram_id';

export type OutsideNameColumn =
  | 'github_name'
  | 'linux_do_name'
  | 'oidc_name'
  | 'wechat_name'
  | 'telegram_name';

/** A person as the provider identifies them. */
export interface OutsideIdentity {
  provider: OutsideProvider;
  /** The provider's permanent id of the person: a number or `sub`, never a name, which can change hands. */
  id: string;
  /** Display name; empty when unknown. */
  name: string;
  /** The name by which the person knows the account: its login, else its display name; empty when unknown. */
  knownAs: string;
  /** Only one the provider says it has verified; empty otherwise. */
  email: string;
}

export const COLUMNS: Readonly<Record<OutsideProvider, OutsideColumn>> = {
  github: 'github_id',
  linuxdo: 'linux_do_id',
  oidc: 'oidc_id',
  wechat: 'wechat_id',
  telegram: 'telegram_id',
};

export const NAME_COLUMNS: Readonly<Record<OutsideProvider, OutsideNameColumn>> = {
  github: 'github_name',
  linuxdo: 'linux_do_name',
  oidc: 'oidc_name',
  wechat: 'wechat_name',
  telegram: 'telegram_name',
};

/** The provider's name in messages. */
export function nameOf(provider: OutsideProvider, settings: Settings): string {
  if (provider === 'oidc') return settings.OIDCName === '' ? 'OIDC' : settings.OIDCName;
  return { github: 'GitHub', linuxdo: 'LinuxDO', wechat: 'WeChat', telegram: 'Telegram' }[provider];
}

/** On and fully configured: an empty secret means off, never open. */
export function isEnabled(provider: OutsideProvider, settings: Settings): boolean {
  const parts: Record<OutsideProvider, readonly (boolean | string)[]> = {
    github: [settings.GitHubOAuthEnabled, settings.GitHubClientId, settings.GitHubClientSecret],
    linuxdo: [settings.LinuxDOOAuthEnabled, settings.LinuxDOClientId, settings.LinuxDOClientSecret],
    oidc: [settings.OIDCEnabled, settings.OIDCIssuer, settings.OIDCClientId, settings.OIDCClientSecret],
    wechat: [settings.WeChatAuthEnabled, settings.WeChatServerAddress, settings.WeChatServerToken],
    telegram: [settings.TelegramOAuthEnabled, settings.TelegramBotName, settings.TelegramBotToken],
  };
  return parts[provider].every(Boolean);
}
