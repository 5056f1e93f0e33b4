// The audited calls of notices, announcements and questions.
import { byRoot, byUser, unique, type Call, type Scenario, type Stage } from './audit-stage.ts';
import type { Actor } from '#tests/support/application.ts';

/** The address is private, so it is saved for the operators only; a user gets one by its number. */
const way = (address: string) => ({
  kind: 'gotify',
  name: unique('way'),
  events: [],
  config: { address, token: 'token-of-tests' },
});
const ownWay = () => way('http://93.184.215.14');
const operatorWay = () => way('http://127.0.0.1:9');

async function made({ app }: Stage, as: Actor, path: string, body: object): Promise<number> {
  const reply = await app.request(path, { as, body });
  return (reply.body.data as { id: number }).id;
}
const announcement = () => ({ content: unique('text') });
const incident = () => ({ title_en: unique('title'), text_en: 'We look into it.', begun_at: 1_790_000_000 });
const question = () => ({ question: unique('q'), answer: 'because' });

const ofUser = (call: (id: number) => Call) =>
  byUser(async (stage, user) => call(await made(stage, user, '/api/user/notices/ways', ownWay())));
const ofRoot = (path: string, body: () => object, call: (id: number) => Call) =>
  byRoot(async (stage) => call(await made(stage, stage.root, path, body())));

export const NOTICE_SCENARIOS: Record<string, Scenario> = {
  'notices.createWay': {
    action: 'notice_way.create',
    prepare: byUser(() => ({ path: '/api/user/notices/ways', body: ownWay() })),
  },
  'notices.changeWay': {
    action: 'notice_way.update',
    prepare: ofUser((id) => ({ path: `/api/user/notices/ways/${id}`, method: 'PUT', body: ownWay() })),
  },
  'notices.removeWay': {
    action: 'notice_way.delete',
    prepare: ofUser((id) => ({ path: `/api/user/notices/ways/${id}`, method: 'DELETE' })),
  },
  'notices.testWay': {
    action: 'notice_way.test',
    prepare: byUser(async ({ app }, user) => {
      const config = app.store.vault.seal(
        JSON.stringify({ address: 'http://127.0.0.1', token: 'x' }),
        `notice_ways:${user.id}:gotify`,
      );
      const { id } = await app.store.db
        .insertInto('notice_ways')
        .values({ user_id: user.id, created_at: 1, kind: 'gotify', config, events: '[]' })
        .returning('id')
        .executeTakeFirstOrThrow();
      return { path: `/api/user/notices/ways/${id}/test`, body: {} };
    }),
  },
  'operatorNotices.createWay': {
    action: 'notice_way.create',
    prepare: byRoot(() => ({ path: '/api/notices/ways', body: operatorWay() })),
  },
  'operatorNotices.changeWay': {
    action: 'notice_way.update',
    prepare: ofRoot('/api/notices/ways', operatorWay, (id) => ({
      path: `/api/notices/ways/${id}`,
      method: 'PUT',
      body: operatorWay(),
    })),
  },
  'operatorNotices.removeWay': {
    action: 'notice_way.delete',
    prepare: ofRoot('/api/notices/ways', operatorWay, (id) => ({
      path: `/api/notices/ways/${id}`,
      method: 'DELETE',
    })),
  },
  'operatorNotices.testWay': {
    action: 'notice_way.test',
    prepare: ofRoot('/api/notices/ways', operatorWay, (id) => ({
      path: `/api/notices/ways/${id}/test`,
      body: {},
    })),
  },
  'incidents.create': {
    action: 'incident.create',
    prepare: byRoot(() => ({ path: '/api/incidents', body: incident() })),
  },
  'incidents.change': {
    action: 'incident.update',
    prepare: ofRoot('/api/incidents', incident, (id) => ({
      path: `/api/incidents/${id}`,
      method: 'PUT',
      body: incident(),
    })),
  },
  'incidents.addLine': {
    action: 'incident.add_line',
    prepare: ofRoot('/api/incidents', incident, (id) => ({
      path: `/api/incidents/${id}/lines`,
      body: { text_zh: unique('line') },
    })),
  },
  'incidents.removeLine': {
    action: 'incident.remove_line',
    prepare: byRoot(async (stage) => {
      const reply = await stage.app.request('/api/incidents', { as: stage.root, body: incident() });
      const { id, lines } = reply.body.data as { id: number; lines: { id: number }[] };
      return { path: `/api/incidents/${id}/lines/${lines[0]?.id ?? 0}`, method: 'DELETE' };
    }),
  },
  'incidents.remove': {
    action: 'incident.delete',
    prepare: ofRoot('/api/incidents', incident, (id) => ({ path: `/api/incidents/${id}`, method: 'DELETE' })),
  },
  'announcements.create': {
    action: 'announcement.create',
    prepare: byRoot(() => ({ path: '/api/announcements', body: announcement() })),
  },
  'announcements.change': {
    action: 'announcement.update',
    prepare: ofRoot('/api/announcements', announcement, (id) => ({
      path: `/api/announcements/${id}`,
      method: 'PUT',
      body: announcement(),
    })),
  },
  'announcements.remove': {
    action: 'announcement.delete',
    prepare: ofRoot('/api/announcements', announcement, (id) => ({
      path: `/api/announcements/${id}`,
      method: 'DELETE',
    })),
  },
  'faq.create': {
    action: 'faq.create',
    prepare: byRoot(() => ({ path: '/api/faq', body: question() })),
  },
  'faq.change': {
    action: 'faq.update',
    prepare: ofRoot('/api/faq', question, (id) => ({
      path: `/api/faq/${id}`,
      method: 'PUT',
      body: question(),
    })),
  },
  'faq.order': {
    action: 'faq.order',
    prepare: byRoot(async (stage) => {
      await made(stage, stage.root, '/api/faq', question());
      const last = await made(stage, stage.root, '/api/faq', question());
      return { path: '/api/faq/order', body: { ids: [last] } };
    }),
  },
  'faq.remove': {
    action: 'faq.delete',
    prepare: ofRoot('/api/faq', question, (id) => ({ path: `/api/faq/${id}`, method: 'DELETE' })),
  },
};
