// Founds the sample organization through the console's own API, as its owner and its members would; after the past calls it sets the
// budgets by what they have spent, and a member asks for more.
import type { TollgateApi } from '#contract/api.ts';
import type { Client } from '#contract/client.ts';
import { signIn, type Send } from './api-client.ts';
import {
  ASKED,
  BUDGETS,
  COMPANY,
  KEYS,
  MEMBERS,
  NEW_MEMBERS,
  ORGANIZATION,
  PROJECTS,
} from './organization.ts';
import { DEMO_PASSWORD } from './users.ts';

/** Quota units; a budget of less than a dollar looks odd. */
const CENT = 5000;
const LEAST_BUDGET = 100 * CENT;
/** Before anything was spent: the plan at the founding. */
const FIRST_BUDGET = 20_000 * CENT;

export interface SiteKey {
  tokenId: number;
  /** Whole, for the live calls. */
  key: string;
  memberId: number;
  serviceAccountId: number;
  projectId: number;
}

export interface SiteOrganization {
  id: number;
  /** In the order of KEYS. */
  keys: readonly SiteKey[];
}

interface Door {
  send: Send;
  url: string;
}

type Api = Client<TollgateApi>;

export async function setUpOrganization(door: Door, root: Api): Promise<SiteOrganization> {
  for (const { username, displayName } of NEW_MEMBERS)
    await root.userManagement.create({
      body: { username, display_name: displayName, password: DEMO_PASSWORD, group: 'default' },
    });
  const founder = await signIn(door.send, door.url, ORGANIZATION.owner, DEMO_PASSWORD);
  const { id } = await founder.client.organizations.create({ body: { name: ORGANIZATION.name } });
  const owner = founder.actingFor(id);
  await owner.organizations.changeCompany({ body: COMPANY });
  await owner.budgets.changeTagKeys({ body: { keys: [...ORGANIZATION.tagKeys] } });
  const projectIds = new Map<string, number>();
  for (const name of PROJECTS) projectIds.set(name, (await owner.projects.create({ body: { name } })).id);
  const [usual] = await owner.projects.list();
  const memberIds = new Map<string, number>();
  const clients = new Map<string, Api>();
  for (const { username, role } of MEMBERS) {
    const invitation = await owner.invitations.create({ body: { to: username, role } });
    const member = await signIn(door.send, door.url, username, DEMO_PASSWORD);
    await member.client.invitations.accept({ body: { id: invitation.id } });
    memberIds.set(username, member.userId);
    clients.set(username, member.actingFor(id));
  }
  await owner.invitations.create({ body: { to: ORGANIZATION.invited, role: 'member' } });
  const account = await owner.serviceAccounts.create({
    body: { name: ORGANIZATION.serviceAccount, project_id: projectIds.get('Reader app') },
  });
  const keys: SiteKey[] = [];
  for (const { name, member, project = '' } of KEYS) {
    const projectId = projectIds.get(project) ?? usual?.id ?? 0;
    const holder = member === undefined ? { service_account_id: account.id } : {};
    const client = clients.get(member ?? '') ?? owner;
    const [made] = await client.tokens.create({
      body: { name, unlimited_quota: true, project_id: projectId, ...holder },
    });
    if (made === undefined) throw new Error(`the key ${name} was not created`);
    keys.push({
      tokenId: made.id,
      key: made.key,
      memberId: memberIds.get(member ?? '') ?? 0,
      serviceAccountId: member === undefined ? account.id : 0,
      projectId,
    });
  }
  for (const { name, subject, of = '', tag, period, isHard } of BUDGETS)
    await owner.budgets.create({
      body: {
        name,
        subject,
        subject_id: projectIds.get(of) ?? memberIds.get(of) ?? 0,
        tag_key: tag?.key ?? '',
        tag_value: tag?.value ?? '',
        period,
        quota: FIRST_BUDGET,
        is_hard: isHard,
      },
    });
  return { id, keys };
}

/** Limits that the past calls have used as far as BUDGETS says, to a cent. */
export async function boundOrganization(door: Door, { id }: SiteOrganization): Promise<void> {
  const owner = (await signIn(door.send, door.url, ORGANIZATION.owner, DEMO_PASSWORD)).actingFor(id);
  const views = await owner.budgets.list();
  const change = views.flatMap((view) => {
    const wanted = BUDGETS.find(({ name }) => name === view.name);
    if (wanted === undefined) return [];
    const spent = Math.max(0, ...view.counters.map((counter) => counter.spent));
    const cents = Math.floor((spent * 100) / wanted.usedPercent / CENT);
    return [{ id: view.id, quota: Math.max(LEAST_BUDGET, cents * CENT) }];
  });
  await owner.budgets.save({ body: { change } });
  const asked = views.find(({ name }) => name === ASKED.budget);
  if (asked === undefined) return;
  const member = (await signIn(door.send, door.url, ASKED.member, DEMO_PASSWORD)).actingFor(id);
  await member.budgets.ask({
    params: { id: asked.id },
    body: { amount: ASKED.amount, reason: ASKED.reason },
  });
}
