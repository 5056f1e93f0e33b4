// Channels over HTTP on the whole application, with a mock upstream behind them.
import { afterAll, beforeAll, describe } from 'bun:test';
import { ROLE } from '#contract/access.ts';
import type { ChannelView } from '#contract/relay/channel-fields.ts';
import { CHANNEL_TYPE } from '#contract/relay/channel-type.ts';
import type { SettingKey } from '#contract/settings.ts';
import type { Row } from '#server/platform/store/schema.ts';
import { startApplication, type Actor, type TestApplication } from '#tests/support/application.ts';
import { databaseLabels } from '#tests/support/databases.ts';
import { LOOPBACK_HOSTS } from '#tests/support/loopback.ts';
import { startMockUpstream, type MockUpstream } from '#mock/upstream/index.ts';

export interface ChannelScene {
  application: TestApplication;
  admin: Actor;
  upstream: MockUpstream;
  /** One channel on the mock upstream; every field can be overridden. */
  create: (fields?: Record<string, unknown>) => Promise<ChannelView>;
  row: (id: number) => Promise<Row<'channels'>>;
  abilities: (id: number) => Promise<Row<'abilities'>[]>;
  set: (key: SettingKey, value: string) => Promise<void>;
}

let names = 0;

/** A name that is unique in the file. */
export function uniqueName(prefix = 'channel'): string {
  names += 1;
  return `${prefix}-${names}-${process.pid}`;
}

/** Runs the same tests on SQLite and on PostgreSQL. */
export function forEachScene(body: (scene: () => ChannelScene) => void): void {
  describe.each(databaseLabels)('on %s', (database) => {
    let scene: ChannelScene;
    beforeAll(async () => {
      // A listed private address still needs its own permission.
      const environment = { EGRESS_ALLOW: `${LOOPBACK_HOSTS},10.0.0.1` };
      const application = await startApplication({ database, environment });
      const admin = await application.actor({ role: ROLE.admin });
      scene = sceneOf(application, admin, startMockUpstream());
    }, 60_000);
    afterAll(async () => {
      await scene.upstream.stop();
      await scene.application.close();
    });
    body(() => scene);
  });
}

function sceneOf(application: TestApplication, admin: Actor, upstream: MockUpstream): ChannelScene {
  const { db } = application.store;
  return {
    application,
    admin,
    upstream,
    async create(fields = {}) {
      const [channel] = await application.client(admin).channels.create({
        body: {
          name: uniqueName(),
          type: CHANNEL_TYPE.openAi,
          key: `sk-${crypto.randomUUID()}`,
          base_url: upstream.url,
          models: 'gpt-4o-mini',
          groups: 'default',
          ...fields,
        },
      });
      if (!channel) throw new Error('nothing was created');
      return channel;
    },
    row: (id) => db.selectFrom('channels').selectAll().where('id', '=', id).executeTakeFirstOrThrow(),
    abilities: (id) =>
      db
        .selectFrom('abilities')
        .selectAll()
        .where('channel_id', '=', id)
        .orderBy('model')
        .orderBy('group')
        .execute(),
    async set(key, value) {
      await application.settings.set(key, value, admin.id);
    },
  };
}
