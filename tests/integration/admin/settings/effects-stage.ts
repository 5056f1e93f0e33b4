// The application on which every option shows its effect: one running server with an upstream, a mail server, login
// providers and a worker. Options are changed only through the API, and nothing is restarted.
import { ROLE } from '#contract/access.ts';
import { CHANNEL_TYPE } from '#contract/relay/channel-type.ts';
import type { SettingKey } from '#contract/settings.ts';
import { addChannel } from '#tests/support/channels.ts';
import {
  startApplication,
  type Actor,
  type Reply,
  type TestApplication,
} from '#tests/support/application.ts';
import { startHumanCheckServer, type HumanCheckServer } from '#tests/support/human-check-server.ts';
import { closeProviders, startProviders } from '#mock/logins/index.ts';
import { serveLocally, type LocalServer } from '#mock/logins/serve.ts';
import { startMailServer, type MailServer } from '#tests/support/mail-server.ts';
import { startMidjourney, type MidjourneyServer } from '#mock/upstream/midjourney/server.ts';
import { startMockUpstream, type MockUpstream } from '#mock/upstream/index.ts';
import type { OutsideScene } from '#tests/integration/admin/outside-logins/support.ts';

export const MODEL = 'effect-model';

/** The effect of an option, as docs/options.md describes it and as the test observes it. */
export interface Effect {
  effect: string;
  /** Saved first, through the API, and reset afterwards. */
  given?: (stage: Stage) => Texts;
  text: string | ((stage: Stage) => string);
  observe: (stage: Stage) => Promise<unknown>;
  before: unknown;
  after: unknown;
  /** The browser test of the visible effect; it names the option. */
  shown?: string;
}

/** The effect is tested by the tests of its noun, which name the option. */
export interface ShownElsewhere {
  effect: string;
  file: string;
}

export type Texts = Partial<Record<SettingKey, string>>;
export type Effects = Partial<Record<SettingKey, Effect | ShownElsewhere>>;

export interface Stage extends OutsideScene {
  root: Actor;
  mock: MockUpstream;
  midjourney: MidjourneyServer;
  mail: MailServer;
  human: HumanCheckServer;
  worker: LocalServer;
  save(texts: Texts): Promise<void>;
  reset(keys: readonly string[]): Promise<void>;
  /** An unused name. */
  readonly fresh: (prefix: string) => string;
  register(body?: Record<string, unknown>): Promise<Reply & { username: string }>;
  /** A key of a new user with this quota, in this group. */
  key(quota?: number, group?: string): Promise<{ key: string; userId: number }>;
  call(key: string, body?: Record<string, unknown>): Promise<Response>;
  spentBy(userId: number): Promise<number>;
}

export const HUMAN_SECRET = 'human-secret-of-tests';

export async function openStage(): Promise<Stage> {
  const providers = await startProviders();
  const [mock, mail, human] = [
    startMockUpstream(),
    await startMailServer(),
    startHumanCheckServer(HUMAN_SECRET),
  ];
  const midjourney = startMidjourney();
  const worker = serveLocally(() => Response.json({ success: true }));
  const app = await startApplication();
  const root = await app.actor({ role: ROLE.root });
  await app.client(root).options.save({ body: { key: 'ServerAddress', value: app.url } });
  providers.github.callback = `${app.url}/oauth/github`;
  await addChannel(app.store, {
    base_url: mock.url,
    models: [MODEL, 'unpriced-model'],
    groups: ['default', 'vip'],
  });
  await addChannel(app.store, {
    type: CHANNEL_TYPE.midjourneyProxy,
    base_url: midjourney.url,
    key: midjourney.secret,
    models: ['mj_imagine', 'mj_reroll'],
  });
  return {
    ...providers,
    app,
    root,
    mock,
    midjourney,
    mail,
    human,
    worker,
    ...actions(app, root),
    async close() {
      await app.close();
      await closeProviders(providers);
      await mock.stop();
      await midjourney.stop();
      await mail.close();
      human.close();
      await worker.close();
    },
  };
}

function actions(app: TestApplication, root: Actor) {
  let count = 0;
  const fresh = (prefix: string) => `${prefix}${(count += 1)}`;
  const options = app.client(root).options;
  return {
    fresh,
    async save(texts: Texts) {
      for (const [key, value] of Object.entries(texts)) await options.save({ body: { key, value } });
    },
    async reset(keys: readonly string[]) {
      for (const key of keys) await options.reset({ body: { key } });
    },
    async register(body: Record<string, unknown> = {}) {
      const username = fresh('new');
      const password = 'a-good-enough-password';
      const reply = await app.request('/api/user/register', { body: { username, password, ...body } });
      return { ...reply, username };
    },
    async key(quota = 10_000_000, group = 'default') {
      const user = await app.actor({ quota, group });
      const [token] = await app
        .client(user)
        .tokens.create({ body: { name: 'effect', unlimited_quota: true } });
      return { key: `sk-${token?.key}`, userId: user.id };
    },
    call: (key: string, body: Record<string, unknown> = {}) =>
      fetch(`${app.url}/v1/chat/completions`, {
        method: 'POST',
        headers: { 'Content-Type': 'application/json', Authorization: `Bearer ${key}` },
        body: JSON.stringify({ model: MODEL, messages: [{ role: 'user', content: 'hello' }], ...body }),
      }),
    async spentBy(userId: number) {
      const row = app.store.db.selectFrom('users').select('used_quota').where('id', '=', userId);
      return (await row.executeTakeFirstOrThrow()).used_quota;
    },
  };
}

/** The field of the public status object. */
export const status =
  (name: string) =>
  async ({ app }: Stage): Promise<unknown> =>
    ((await app.request('/api/status')).body.data as Record<string, unknown>)[name];

export const content =
  (path: string) =>
  async ({ app }: Stage): Promise<unknown> =>
    (await app.request(path)).body.data;
