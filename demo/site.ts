// Sets the demo up through the console's own API, so that everything is checked and audited as if an operator had typed it.
import { ROLE } from '#contract/access.ts';
import type { TollgateApi } from '#contract/api.ts';
import type { Client } from '#contract/client.ts';
import { unixSeconds } from '#contract/time.ts';
import { signIn, type Send } from './api-client.ts';
import { CHANNELS, DEMO_PASSWORD, PEOPLE, ROOT_TOKENS } from './users.ts';
import type { DemoProvider } from './provider.ts';
import { boundOrganization, setUpOrganization, type SiteOrganization } from './set-up-organization.ts';
import { ANNOUNCEMENTS, PLANS, QUESTIONS } from './texts.ts';
import { VIRTUAL_MODELS } from './virtual-models.ts';

export interface SitePerson {
  id: number;
  username: string;
  role: number;
  group: string;
  topUp: number;
  /** In the order of the names in PEOPLE. */
  tokenIds: readonly number[];
  tokenNames: readonly string[];
}

export interface Site {
  people: SitePerson[];
  channelIds: Map<string, number>;
  /** Whole keys of the tokens, for the live calls. */
  keys: string[];
  organization: SiteOrganization;
}

export interface SetUp {
  send: Send;
  url: string;
  provider: DemoProvider;
  rootPassword: string;
  /** Only the super admin may change anything. */
  isReadOnly: boolean;
}

export async function setUpSite({ send, url, provider, rootPassword }: SetUp): Promise<Site> {
  const { client: root } = await signIn(send, url, 'root', rootPassword);
  await saveSettings(root, provider);
  const channelIds = await connect(root, provider);
  for (const body of VIRTUAL_MODELS) await root.virtualModels.create({ body });
  for (const name of ROOT_TOKENS) await root.tokens.create({ body: { name, unlimited_quota: true } });
  const { people, keys } = await invite(root, send, url);
  const organization = await setUpOrganization({ send, url }, root);
  await publish(root);
  const reseller = people.find(({ username }) => username === 'mossgarden');
  if (reseller) await root.agents.set({ body: { user_id: reseller.id, active: true, rate_percent: 10 } });
  // After the sample accounts, which have paid for what they have.
  await root.options.save({ body: { key: 'QuotaForNewUser', value: '500000' } });
  return { people, channelIds, keys: [...keys, ...organization.keys.map(({ key }) => key)], organization };
}

/** After the past calls, with which some things begin. */
export async function finishSite({ send, url, rootPassword, isReadOnly }: SetUp, site: Site): Promise<void> {
  await boundOrganization({ send, url }, site.organization);
  if (!isReadOnly) return;
  // After everything that users had to change themselves.
  const { client: root } = await signIn(send, url, 'root', rootPassword);
  await root.options.save({ body: { key: 'DemoSiteEnabled', value: 'true' } });
}

async function saveSettings(root: Client<TollgateApi>, { payment }: DemoProvider): Promise<void> {
  const settings: Record<string, string> = {
    SystemName: 'Tollgate Demo',
    OrganizationsEnabled: 'true',
    QuotaRemindThreshold: '500000',
    // Everything is set up here.
    FirstStepsEnabled: 'false',
    CheckInEnabled: 'true',
    CheckInMinQuota: '25000',
    CheckInMaxQuota: '100000',
    PayAddress: payment.address,
    EpayId: payment.id,
    EpayKey: payment.key,
    SellerName: 'Gate Ltd',
    SellerAddress: '1 Toll Road\n10115 Berlin',
    // The channel with a wrong key is found and switched off by a test, as in life.
    AutomaticDisableChannelEnabled: 'true',
    // One address signs in as several people here.
    SensitiveCallsPerTwentyMinutes: '0',
    ApiCallsPerThreeMinutes: '0',
    PageLoadsPerThreeMinutes: '0',
  };
  for (const [key, value] of Object.entries(settings)) await root.options.save({ body: { key, value } });
}

async function connect(root: Client<TollgateApi>, provider: DemoProvider): Promise<Map<string, number>> {
  const ids = new Map<string, number>();
  for (const channel of CHANNELS) {
    const [created] = await root.channels.create({
      body: {
        ...provider.connectionOf(channel),
        name: channel.name,
        type: channel.type,
        models: channel.models.join(','),
        groups: 'default,vip',
        tag: channel.tag ?? null,
        priority: channel.priority ?? 0,
        weight: channel.weight ?? 0,
        buy_price: channel.buyPrice === undefined ? '' : JSON.stringify(channel.buyPrice),
      },
    });
    if (created) ids.set(channel.name, created.id);
  }
  return ids;
}

async function invite(
  root: Client<TollgateApi>,
  send: Send,
  url: string,
): Promise<{ people: SitePerson[]; keys: string[] }> {
  const people: SitePerson[] = [];
  const keys: string[] = [];
  for (const { username, displayName, group, role, tokens: names, topUp } of PEOPLE) {
    await root.userManagement.create({
      body: { username, display_name: displayName, password: DEMO_PASSWORD, group },
    });
    const { client, userId: id } = await signIn(send, url, username, DEMO_PASSWORD);
    const tokenIds: number[] = [];
    for (const name of names) {
      const [created] = await client.tokens.create({ body: { name, unlimited_quota: true } });
      if (created === undefined) throw new Error(`the token ${name} was not created`);
      tokenIds.push(created.id);
      keys.push(created.key);
    }
    // Last: a new role ends the sessions of the account.
    if (role >= ROLE.admin) await root.userManagement.manage({ body: { id, action: 'promote' } });
    people.push({ id, username, role, group, topUp, tokenIds, tokenNames: names });
  }
  return { people, keys };
}

async function publish(root: Client<TollgateApi>): Promise<void> {
  for (const body of PLANS) await root.plans.create({ body });
  for (const body of ANNOUNCEMENTS) await root.announcements.create({ body });
  for (const body of QUESTIONS) await root.faq.create({ body });
  const soon = unixSeconds() + 14 * 86_400;
  await root.redemptions.create({ body: { name: 'Welcome', quota: 2_500_000, count: 8 } });
  await root.redemptions.create({
    body: { name: 'Spring offer', quota: 10_000_000, count: 5, expired_time: soon },
  });
}
