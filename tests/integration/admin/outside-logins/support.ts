// One application with a local server for every login provider, and a browser that keeps its cookie between calls.
import {
  startApplication,
  type Actor,
  type Reply,
  type TestApplication,
} from '#tests/support/application.ts';
import type { DatabaseLabel } from '#tests/support/databases.ts';
import { closeProviders, providerSettings, startProviders, type Providers } from '#mock/logins/index.ts';

export { providerSettings, startProviders };

export interface OutsideScene extends Providers {
  app: TestApplication;
  close(): Promise<void>;
}

export async function startScene(database: DatabaseLabel = 'sqlite'): Promise<OutsideScene> {
  const providers = await startProviders();
  const app = await startApplication({ database, settings: providerSettings(providers) });
  await app.settings.set('ServerAddress', app.url, 0);
  providers.github.callback = `${app.url}/oauth/github`;
  return {
    ...providers,
    app,
    async close() {
      await app.close();
      await closeProviders(providers);
    },
  };
}

/** A browser with its cookies; signed in when it is given an actor. */
export class Browser {
  cookie: string;
  readonly #app: TestApplication;
  /** The id in its user-id header; 0 = none. */
  userId: number;

  constructor(app: TestApplication, actor?: Actor) {
    this.#app = app;
    this.cookie = actor?.cookie ?? '';
    this.userId = actor?.id ?? 0;
  }

  async get(path: string, headers: Record<string, string> = {}): Promise<Reply> {
    return this.#keep(await this.#app.request(path, { headers: { ...this.#own(), ...headers } }));
  }

  async post(path: string, body: unknown): Promise<Reply> {
    return this.#keep(await this.#app.request(path, { body, headers: this.#own() }));
  }

  /** The state, and the address the browser is redirected to. */
  async begin(provider?: string, aff?: string): Promise<{ state: string; authorizeUrl: string }> {
    const query = new URLSearchParams({ ...(provider ? { provider } : {}), ...(aff ? { aff } : {}) });
    const { body } = await this.get(`/api/oauth/state?${query.toString()}`);
    if (!body.success) throw new Error(body.message);
    return { state: String(body.data), authorizeUrl: String(body['authorize_url']) };
  }

  #own(): Record<string, string> {
    return {
      ...(this.cookie ? { Cookie: this.cookie } : {}),
      ...(this.userId ? { 'New-Api-User': String(this.userId) } : {}),
    };
  }

  #keep(reply: Reply): Reply {
    const set = reply.headers.getSetCookie()[0]?.split(';')[0];
    if (set) this.cookie = set;
    return reply;
  }
}

/** A whole GitHub login of that person; the browser is signed in afterwards. */
export async function throughGitHub(
  { github }: OutsideScene,
  browser: Browser,
  aff?: string,
): Promise<Reply> {
  const { state, authorizeUrl } = await browser.begin('github', aff);
  const challenge = new URL(authorizeUrl).searchParams.get('code_challenge') ?? '';
  const query = new URLSearchParams({ code: github.code(challenge), state });
  return await browser.get(`/api/oauth/github?${query.toString()}`);
}

export async function throughLinuxDo({ app, linuxdo }: OutsideScene, browser: Browser): Promise<Reply> {
  const { state } = await browser.begin('linuxdo');
  const query = new URLSearchParams({ code: linuxdo.code(`${app.url}/oauth/linuxdo`), state });
  return await browser.get(`/api/oauth/linuxdo?${query.toString()}`);
}

export async function throughOidc({ oidc }: OutsideScene, browser: Browser): Promise<Reply> {
  const { state, authorizeUrl } = await browser.begin('oidc');
  const query = new URLSearchParams({ code: oidc.code(authorizeUrl), state });
  return await browser.get(`/api/oauth/oidc?${query.toString()}`);
}
