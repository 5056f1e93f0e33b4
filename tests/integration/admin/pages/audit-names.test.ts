// D37: a page of the trail brings the names of what its rows concern and mention, also of deleted things.
import { afterAll, beforeAll, describe, expect, setDefaultTimeout, test } from 'bun:test';
import { ROLE } from '#contract/access.ts';
import { startApplication, type Actor, type TestApplication } from '#tests/support/application.ts';
import { databaseLabels } from '#tests/support/databases.ts';

setDefaultTimeout(120_000);

describe.each(databaseLabels)('%s', (database) => {
  let app: TestApplication;
  let root: Actor;
  beforeAll(async () => {
    app = await startApplication({ database });
    root = await app.actor({ role: ROLE.root });
  });
  afterAll(() => app.close());

  test('targets and mentioned users and plans have names', async () => {
    const user = await app.createUser({ username: `named-${database}` });
    const client = app.client(root);
    const plan = await client.plans.create({
      body: { name: 'Named plan', duration_unit: 'month', duration_count: 1, quota: 5, reset: 'never' },
    });
    const body = { plan_id: plan.id, user_id: user.id, request_id: `names-${database}` };
    const { id: subscription } = await client.plans.grant({ body });
    await client.userManagement.manage({ body: { id: user.id, action: 'delete' } });
    const ofUser = await client.audit.list({ query: { target: `user:${user.id}` } });
    expect(ofUser.names).toMatchObject({ [`user:${user.id}`]: user.username });
    const granted = await client.audit.list({ query: { action: 'plan.grant' } });
    expect(granted.names).toEqual({
      [`user:${user.id}`]: user.username,
      [`plan:${plan.id}`]: 'Named plan',
      [`subscription:${subscription}`]: 'Named plan',
    });
  });
});
