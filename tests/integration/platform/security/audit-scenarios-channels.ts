// The audited calls of channels.
import { ROLE } from '#contract/access.ts';
import { CHANNEL_TYPE } from '#contract/relay/channel-type.ts';
import { USER_PASSWORD } from '#tests/support/application.ts';
import { addChannel } from '#tests/support/channels.ts';
import { byRoot, now, sending, unique, type Prepare, type Scenario, type Stage } from './audit-stage.ts';

const makeChannel = ({ app }: Stage, fields: Record<string, string | number> = {}) =>
  addChannel(app.store, { base_url: 'http://127.0.0.1:9', models: ['m'], fields });
const tagged = (method: string, path: string, body: object): Prepare =>
  byRoot(async (stage) => {
    const tag = unique('tag');
    await makeChannel(stage, { tag });
    return { path, method, body: { tag, ...body } };
  });
const manyChannels = (path: string, body: object, fields: Record<string, number> = {}): Prepare =>
  byRoot(async (stage) => ({ path, body: { ids: [await makeChannel(stage, fields)], ...body } }));

export const CHANNEL_SCENARIOS: Record<string, Scenario> = {
  'channels.create': {
    action: 'channel.create',
    prepare: byRoot(() => ({
      path: '/api/channel/',
      body: { name: unique('c'), type: CHANNEL_TYPE.openAi, key: 'sk-1', models: 'm', groups: 'default' },
    })),
  },
  'channels.change': {
    action: 'channel.change',
    prepare: byRoot(async (stage) => ({
      path: '/api/channel/',
      method: 'PUT',
      body: { id: await makeChannel(stage), name: unique('c') },
    })),
  },
  'channels.copy': {
    action: 'channel.copy',
    prepare: byRoot(async (stage) => ({ path: `/api/channel/copy/${await makeChannel(stage)}`, body: {} })),
  },
  'channels.remove': {
    action: 'channel.delete',
    prepare: byRoot(async (stage) => ({
      path: `/api/channel/${await makeChannel(stage)}/`,
      method: 'DELETE',
      body: {},
    })),
  },
  'channels.restore': {
    action: 'channel.restore',
    prepare: byRoot(async (stage) => ({
      path: '/api/channel/restore',
      body: { ids: [await makeChannel(stage, { deleted_at: now() })] },
    })),
  },
  'channels.removeDisabled': {
    action: 'channel.delete_disabled',
    prepare: byRoot(async (stage) => {
      await makeChannel(stage, { status: 2 });
      return { path: '/api/channel/disabled', method: 'DELETE', body: {} };
    }),
  },
  'channels.removeMany': { action: 'channel.delete', prepare: manyChannels('/api/channel/batch', {}) },
  'channels.setStatus': {
    action: 'channel.status',
    prepare: manyChannels('/api/channel/batch/status', { status: 2 }),
  },
  'channels.tagMany': {
    action: 'channel.tag',
    prepare: manyChannels('/api/channel/batch/tag', { tag: unique('t') }),
  },
  'channels.fix': {
    action: 'channel.fix',
    prepare: byRoot(async (stage) => {
      const id = await makeChannel(stage);
      await stage.app.store.db.deleteFrom('abilities').where('channel_id', '=', id).execute();
      return { path: '/api/channel/fix', body: {} };
    }),
  },
  'channels.enableTag': {
    action: 'channel.tag_change',
    prepare: tagged('POST', '/api/channel/tag/enabled', {}),
  },
  'channels.disableTag': {
    action: 'channel.tag_change',
    prepare: tagged('POST', '/api/channel/tag/disabled', {}),
  },
  'channels.changeTag': {
    action: 'channel.tag_change',
    prepare: tagged('PUT', '/api/channel/tag', { priority: 7 }),
  },
  'channels.revealKey': {
    action: 'channel.reveal',
    isEvent: true,
    prepare: async (stage) => {
      const as = await stage.app.actor({ role: ROLE.admin });
      const path = `/api/channel/${await makeChannel(stage)}/key`;
      return sending(stage, { path, as, body: { password: USER_PASSWORD } });
    },
  },
  'channelUpstream.testAll': {
    action: 'channel.test_all',
    prepare: byRoot(async ({ app }) => {
      await app.store.db.deleteFrom('leases').where('name', '=', 'channel-tests').execute();
      await app.store.db.updateTable('channels').set({ deleted_at: 1 }).execute();
      return { path: '/api/channel/test' };
    }),
  },
  'channelUpstream.stopTests': {
    action: 'channel.test_stop',
    prepare: byRoot(async ({ app }) => {
      await app.store.db.deleteFrom('leases').where('name', '=', 'channel-tests').execute();
      const lease = { name: 'channel-tests', node_id: 'other', epoch: now(), expires_at: now() + 100 };
      await app.store.db.insertInto('leases').values(lease).execute();
      return { path: '/api/channel/test/stop', body: {} };
    }),
  },
  'channelUpstream.updateBalances': {
    action: 'channel.update_balances',
    isEvent: true,
    prepare: byRoot(() => ({ path: '/api/channel/update_balance' })),
  },
};
