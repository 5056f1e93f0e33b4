// Every login provider at once, and the settings that make an application use them.
import type { SettingKey } from '#contract/settings.ts';
import { startGitHub, type GitHubServer } from './github.ts';
import { startLinuxDo, type LinuxDoServer } from './linuxdo.ts';
import { startOidc, type OidcServer } from './oidc.ts';
import { BOT_NAME, BOT_TOKEN } from './telegram.ts';
import { startWeChat, type WeChatServer } from './wechat.ts';

export interface Providers {
  github: GitHubServer;
  linuxdo: LinuxDoServer;
  oidc: OidcServer;
  wechat: WeChatServer;
}

export async function startProviders(): Promise<Providers> {
  return { github: startGitHub(), linuxdo: startLinuxDo(), oidc: await startOidc(), wechat: startWeChat() };
}

export async function closeProviders({ github, linuxdo, oidc, wechat }: Providers): Promise<void> {
  await Promise.all([github, linuxdo, oidc, wechat].map((provider) => provider.close()));
}

/** In an order that the settings' rules accept. */
export function providerSettings({
  github,
  linuxdo,
  oidc,
  wechat,
}: Providers): Partial<Record<SettingKey, string>> {
  return {
    GitHubAddress: github.url,
    GitHubClientId: github.clientId,
    GitHubClientSecret: github.clientSecret,
    GitHubOAuthEnabled: 'true',
    LinuxDOAddress: linuxdo.url,
    LinuxDOClientId: linuxdo.clientId,
    LinuxDOClientSecret: linuxdo.clientSecret,
    LinuxDOOAuthEnabled: 'true',
    OIDCName: 'Company ID',
    OIDCIssuer: oidc.url,
    OIDCClientId: oidc.clientId,
    OIDCClientSecret: oidc.clientSecret,
    OIDCEnabled: 'true',
    WeChatServerAddress: wechat.url,
    WeChatServerToken: wechat.token,
    WeChatAccountQRCodeImageURL: `${wechat.url}/qr.svg`,
    WeChatAuthEnabled: 'true',
    TelegramBotToken: BOT_TOKEN,
    TelegramBotName: BOT_NAME,
    TelegramOAuthEnabled: 'true',
  };
}
