// The demo with its sample organization, for the screenshots: people in every role, and what the demo leaves out: sign-on, keys of
// administration, money on its way, a mailed invitation and a suspended organization.
import { readOptions } from '#demo/options.ts';
import { ORGANIZATION } from '#demo/organization.ts';
import { startProvider } from '#demo/provider.ts';
import { seedDemo } from '#demo/seed.ts';
import { DEMO_PASSWORD } from '#demo/users.ts';
import { temporaryPlace } from '#tests/support/databases.ts';
import { startApplication, type Actor, type TestApplication } from '#tests/support/application.ts';
import { startIdentityProvider, type IdentityProvider } from '#tests/support/identity-provider.ts';
import { LOOPBACK_HOSTS } from '#tests/support/loopback.ts';
import { startNameServer } from '#tests/support/name-server.ts';
import type { CompanyPeople } from './screenshot-people.ts';
import type { Site } from './screenshot-shoot.ts';

const CALLS = 6000;
const MAILED_TO = 'reader.team.lead@harbour-publishing.example';
const SETTINGS = {
  SystemName: 'Tollgate',
  OrganizationSignOn: 'true',
  OrganizationSignOnPrivateAddresses: 'true',
  SMTPServer: '127.0.0.1',
  SMTPFrom: 'gate@example.com',
} as const;

export async function openCompany(): Promise<Site> {
  const provider = startProvider();
  const place = await temporaryPlace('sqlite', { bare: true });
  const options = readOptions(['--data', place.dataDir, '--calls', String(CALLS)], {});
  const site = await seedDemo({ ...options, provider, isReadOnly: false, onStep: () => undefined });
  const [idp, names] = await Promise.all([startIdentityProvider(), startNameServer()]);
  const application = await startApplication({
    place,
    settings: SETTINGS,
    nameServers: [names.address],
    environment: { EGRESS_ALLOW: `${LOOPBACK_HOSTS},*.example` },
  });
  await application.settings.set('ServerAddress', application.url, 0);
  const login = (username: string) => application.login(username, DEMO_PASSWORD);
  const people: CompanyPeople = {
    owner: await login(ORGANIZATION.owner),
    billing: await login('mira'),
    member: await login('tomas'),
    viewer: await login('noor'),
    guest: await login(ORGANIZATION.invited),
    suspended: await login('halfmoon'),
    root: await login('root'),
  };
  const { id } = site.organization;
  await signOn(application, people.owner, id, { idp, records: names.records });
  await moveMoney(application, people, id);
  const invitation = await invite(application, people.owner, id);
  const suspended = await suspend(application, people);
  const owner = application.client(people.owner, id);
  const order = (await owner.orders.own({ query: { status: 'paid' } })).items[0];
  return {
    application,
    people: { ...people },
    words: {
      org: String(id),
      suspended: String(suspended),
      invitation,
      token: String(site.organization.keys[0]?.tokenId),
      ownToken: String(site.organization.keys[1]?.tokenId),
      order: order?.trade_no ?? '',
      project: String(site.organization.keys[0]?.projectId),
    },
    async close() {
      await application.close();
      await provider.stop();
      await idp.close();
      names.close();
    },
  };
}

interface Providers {
  idp: IdentityProvider;
  records: Map<string, string[]>;
}

async function signOn(
  application: TestApplication,
  owner: Actor,
  id: number,
  { idp, records }: Providers,
): Promise<void> {
  const { organizationSignOn, adminKeys, projects } = application.client(owner, id);
  const { redirect_uri } = await organizationSignOn.read();
  const client = { id: 'paper-boat-console', secret: 'a-secret-of-tests', redirectUri: redirect_uri };
  idp.register(client);
  await organizationSignOn.saveProvider({
    body: {
      issuer: idp.issuer,
      client_id: client.id,
      client_secret: client.secret,
      scopes: 'email profile groups',
      groups_claim: 'groups',
    },
  });
  const proven = await organizationSignOn.addDomain({ body: { domain: 'paperboat.example' } });
  records.set(proven.record_name, [proven.record_value]);
  await organizationSignOn.verifyDomain({ params: { id: proven.id } });
  await organizationSignOn.addDomain({ body: { domain: 'reader.paperboat.example' } });
  const own = (await projects.list()).find(({ name }) => name === 'Reader app');
  await organizationSignOn.createGroup({ body: { name: 'Engineering', role: 'admin' } });
  await organizationSignOn.createGroup({
    body: { name: 'Reader team', role: 'member', project_ids: own ? [own.id] : [] },
  });
  await organizationSignOn.createToken({ body: { name: 'Entra provisioning' } });
  await adminKeys.create({ body: { name: 'Monthly cost report' } });
}

/** From the owner at once; what billing asks for waits for the owner. */
async function moveMoney(
  application: TestApplication,
  { owner, billing }: CompanyPeople,
  id: number,
): Promise<void> {
  const into = { amount: 1_250_000, request_id: 'screenshot-move-in' };
  await application.client(owner, id).moves.into({ body: into });
  await application.client(billing, id).moves.out({
    body: {
      amount: 500_000,
      to_user_id: billing.id,
      request_id: 'screenshot-move-out',
      reason: 'Paid twice in October',
    },
  });
}

/** Returns the token of the link in the mail. */
async function invite(application: TestApplication, owner: Actor, id: number): Promise<string> {
  await application.client(owner, id).invitations.create({ body: { to: MAILED_TO, role: 'viewer' } });
  const { store } = application;
  const mail = await store.db
    .selectFrom('mails')
    .selectAll()
    .where('recipient', '=', MAILED_TO)
    .executeTakeFirstOrThrow();
  const text = store.vault.open(mail.body, `mails:${mail.created_at}:${mail.recipient}`);
  return /token=([\w-]+)/.exec(text)?.[1] ?? '';
}

/** The owner of the sample organization has a second one, so that there is something to switch between. */
async function suspend(
  application: TestApplication,
  { owner, suspended, root }: CompanyPeople,
): Promise<number> {
  await application.client(owner).organizations.create({ body: { name: 'Harbour Reading Club' } });
  const { id } = await application
    .client(suspended)
    .organizations.create({ body: { name: 'Half Moon Press' } });
  await application.client(root).organizationManagement.suspend({
    params: { id },
    body: { reason: 'The invoice of September is not paid' },
  });
  return id;
}
