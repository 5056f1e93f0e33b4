// Input of people that was stored or answered badly: blank names, and a number that breaks two rules at once.
import { afterAll, beforeAll, describe, expect, test } from 'bun:test';
import { ROLE } from '#contract/access.ts';
import { startApplication, type Actor, type TestApplication } from '#tests/support/application.ts';

describe.each(['sqlite', 'postgres'] as const)('%s', (database) => {
  let app: TestApplication;
  let root: Actor;
  beforeAll(async () => {
    app = await startApplication({ database });
    root = await app.actor({ role: ROLE.root });
  }, 60_000);
  afterAll(() => app.close());

  test('a blank display name becomes the user name, by the owner and by an administrator (O62)', async () => {
    const owner = await app.actor({ username: 'a-quite-long-user-name', row: { display_name: 'Before' } });
    const name = async () => (await app.client(owner).users.self()).display_name;
    await app.client(owner).users.changeSelf({ body: { display_name: '  ' } });
    expect(await name()).toBe('a-quite-long-user-na');
    await app.client(owner).users.changeSelf({ body: { display_name: ' Own ' } });
    expect(await name()).toBe('Own');
    await app.client(root).userManagement.change({ body: { id: owner.id, display_name: '' } });
    expect(await name()).toBe('a-quite-long-user-na');
    await app
      .client(root)
      .userManagement.change({ body: { id: owner.id, username: 'renamed', display_name: ' ' } });
    expect(await name()).toBe('renamed');
  });

  test('a quota of 1e18 is refused with one sentence (O62)', async () => {
    const reply = await app.request('/api/token/', {
      as: root,
      body: { name: 'rich', remain_quota: 1e18 },
      language: 'en',
    });
    expect(reply.body.message).toBe('Invalid parameter: remain_quota must be at most 9007199254740991');
    expect(reply.body.fields).toHaveLength(1);
  });
});
