// An application whose organizations can sign people in: a real provider, a real name server, both on loopback.
import type { Input } from '#contract/endpoint.ts';
import type { organizationSignOn } from '#contract/admin/sign-on.ts';
import { startIdentityProvider, type IdentityProvider } from '#tests/support/identity-provider.ts';
import { startNameServer, type NameServer } from '#tests/support/name-server.ts';
import { LOOPBACK_HOSTS } from '#tests/support/loopback.ts';
import type { DatabaseLabel } from '#tests/support/databases.ts';
import {
  startApplication,
  type Actor,
  type Reply,
  type TestApplication,
  type TestApplicationOptions,
} from '#tests/support/application.ts';
import { makeOrganization, type Organization } from '#tests/integration/admin/organizations/support.ts';

export interface SignOnScene {
  app: TestApplication;
  root: Actor;
  idp: IdentityProvider;
  names: NameServer;
  /** An organization with a provider and this verified domain. */
  organization(domain: string, provider?: ProviderFields): Promise<SignedOrganization>;
  close(): Promise<void>;
}

type ProviderFields = Partial<Input<typeof organizationSignOn.saveProvider>['body']>;

export interface SignedOrganization extends Organization {
  domain: string;
  /** Another token of SCIM. */
  token(name?: string): Promise<string>;
}

export async function openSignOn(
  database: DatabaseLabel,
  options: TestApplicationOptions = {},
): Promise<SignOnScene> {
  const [idp, names] = await Promise.all([startIdentityProvider(), startNameServer()]);
  const app = await startApplication({
    database,
    nameServers: [names.address],
    environment: { EGRESS_ALLOW: `${LOOPBACK_HOSTS},*.example` },
    ...options,
    settings: {
      OrganizationsEnabled: 'true',
      OrganizationSignOn: 'true',
      OrganizationSignOnPrivateAddresses: 'true',
      ...options.settings,
    },
  });
  await app.settings.set('ServerAddress', app.url, 0);
  const root = await app.actor({ role: 100 });
  const scene = { app, root, idp, names };
  return {
    ...scene,
    organization: (domain, provider = {}) => signedOrganization(scene, domain, provider),
    async close() {
      await app.close();
      await idp.close();
      names.close();
    },
  };
}

async function signedOrganization(
  { app, idp, names }: Omit<SignOnScene, 'organization' | 'close'>,
  domain: string,
  provider: ProviderFields,
): Promise<SignedOrganization> {
  const organization = await makeOrganization(app, domain.replace('.example', ''));
  const { client } = organization.owner;
  const { redirect_uri } = await client.organizationSignOn.read();
  const registration = {
    id: `client-${organization.id}`,
    secret: 'a-secret-of-tests',
    redirectUri: redirect_uri,
  };
  idp.register(registration);
  await client.organizationSignOn.saveProvider({
    body: {
      issuer: idp.issuer,
      client_id: registration.id,
      client_secret: registration.secret,
      scopes: 'email profile groups',
      groups_claim: 'groups',
      ...provider,
    },
  });
  await proveDomain(names, organization, domain);
  return {
    ...organization,
    domain,
    token: async (name = 'provisioning') =>
      (await client.organizationSignOn.createToken({ body: { name } })).token,
  };
}

export async function proveDomain(
  names: NameServer,
  { owner }: Organization,
  domain: string,
): Promise<number> {
  const { id, record_name, record_value } = await owner.client.organizationSignOn.addDomain({
    body: { domain },
  });
  names.records.set(record_name, ['v=spf1 -all', record_value]);
  await owner.client.organizationSignOn.verifyDomain({ params: { id } });
  return id;
}

/** A browser with its cookie. */
export class Visitor {
  cookie = '';
  readonly #app: TestApplication;

  constructor({ app }: Pick<SignOnScene, 'app'>) {
    this.#app = app;
  }

  async call(path: string, body?: unknown): Promise<Reply> {
    const headers: Record<string, string> = this.cookie === '' ? {} : { Cookie: this.cookie };
    const reply = await this.#app.request(path, { headers, ...(body === undefined ? {} : { body }) });
    const set = reply.headers.getSetCookie().at(-1)?.split(';')[0];
    if (set) this.cookie = set;
    return reply;
  }

  /** The provider's page; throws what was refused. */
  async begin(email: string): Promise<string> {
    const { body } = await this.call('/api/oauth/organization', { email });
    if (!body.success) throw new Error(body.code ?? body.message);
    return (body.data as { authorize_url: string }).authorize_url;
  }

  /** What the console's page calls with the address that the provider sent the browser to. */
  async finish(returned: URL): Promise<Reply> {
    const query = new URLSearchParams(returned.searchParams);
    query.set('organization', returned.pathname.slice(returned.pathname.lastIndexOf('/') + 1));
    return await this.call(`/api/oauth/organization?${query.toString()}`);
  }
}

/** A whole sign-in; the code of its refusal, or the account. */
export async function signInBy(
  scene: Pick<SignOnScene, 'app' | 'idp'>,
  email: string,
  visitor = new Visitor(scene),
): Promise<{ code: string; actor: Actor; reply: Reply }> {
  const reply = await visitor.finish(await scene.idp.visit(await visitor.begin(email)));
  const { success, code, data } = reply.body;
  const user = (success ? data : {}) as Partial<Actor>;
  const actor = {
    id: user.id ?? 0,
    username: user.username ?? '',
    role: user.role ?? 0,
    cookie: visitor.cookie,
  };
  return { code: success ? 'done' : (code ?? ''), actor, reply };
}
