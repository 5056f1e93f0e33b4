// A call that a subscription paid for names its plan in the reader's language, in the list and the search of both; the id alone says
// nothing to anybody.
import { afterAll, beforeAll, describe, expect, setDefaultTimeout, test } from 'bun:test';
import { ROLE } from '#contract/access.ts';
import { logWithPlan } from '#server/money/ledger/engine/subscriptions.ts';
import { startApplication, type Actor, type TestApplication } from '#tests/support/application.ts';
import { databaseLabels } from '#tests/support/databases.ts';

setDefaultTimeout(60_000);

const DAY = 1_700_000_000;

describe.each(databaseLabels)('%s', (database) => {
  let app: TestApplication;
  let user: Actor;
  let admin: Actor;

  beforeAll(async () => {
    app = await startApplication({ database });
    user = await app.actor();
    admin = await app.actor({ role: ROLE.admin });
    const plan = await app.client(admin).plans.create({
      body: {
        name: '入门版',
        name_en: 'Starter',
        duration_unit: 'month',
        duration_count: 1,
        quota: 5,
        reset: 'never',
      },
    });
    const body = { plan_id: plan.id, user_id: user.id, request_id: `plan-names-${database}` };
    const { id } = await app.client(admin).plans.grant({ body });
    const call = (request_id: string, quota: number, subscription: number, paid: number) => {
      const row = { user_id: user.id, username: user.username, type: 2, quota, other: '{"model_ratio":1}' };
      return { ...logWithPlan(row, subscription, paid), created_at: DAY, request_id };
    };
    await app.store.db
      .insertInto('logs')
      .values([call('by-plan', 9, id, 5), call('by-balance', 9, 0, 0), call('of-nobody', 9, id + 1000, 9)])
      .execute();
  });
  afterAll(() => app.close());

  const names = async (as: Actor, language: 'zh' | 'en', query: string) => {
    const whose = as === admin ? '' : 'self/';
    const { body } = await app.request(`/api/log/${whose}${query}`, { as, language });
    const data = body.data as LogRows | { items: LogRows };
    return Object.fromEntries(
      (Array.isArray(data) ? data : data.items).map(({ request_id, plan_name }) => [request_id, plan_name]),
    );
  };
  type LogRows = { request_id: string; plan_name?: string }[];

  test.each(['?type=2&page_size=50', 'search?keyword='])('%s', async (query) => {
    for (const reader of [user, admin]) {
      expect(await names(reader, 'en', query)).toMatchObject({
        'by-plan': 'Starter',
        'by-balance': undefined,
        // A row may have come with an import, its subscription not.
        'of-nobody': undefined,
      });
      expect(await names(reader, 'zh', query)).toMatchObject({ 'by-plan': '入门版' });
    }
  });
});
