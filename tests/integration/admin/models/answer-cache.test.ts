// Cached answers by the admin API: figures of one's own and of all, removal of one's own and of any, and the wish of an organization.
import { afterAll, beforeAll, describe, expect, setDefaultTimeout, test } from 'bun:test';
import { ROLE } from '#contract/access.ts';
import { startApplication, type Actor, type TestApplication } from '#tests/support/application.ts';
import { addChannel } from '#tests/support/channels.ts';
import { databaseLabels } from '#tests/support/databases.ts';
import { startMockUpstream, type MockUpstream } from '#mock/upstream/index.ts';
import { eventually } from '#tests/integration/relay/calls/harness.ts';
import { unixSeconds } from '#contract/time.ts';

setDefaultTimeout(120_000);

describe.each(databaseLabels)('%s', (database) => {
  let app: TestApplication;
  let admin: Actor;
  let mock: MockUpstream;

  beforeAll(async () => {
    mock = startMockUpstream();
    app = await startApplication({ database });
    admin = await app.actor({ role: ROLE.admin });
    await addChannel(app.store, { base_url: mock.url, models: ['gpt-4o', 'gpt-4o-mini'] });
    await app.store.changes.announce('channels');
    await app.settings.set('AnswerCache', 'opt_in', 0);
  });
  afterAll(async () => {
    await app.close();
    await mock.stop();
  });

  async function person() {
    const actor = await app.actor({ quota: 5_000_000 });
    const [token] = await app.client(actor).tokens.create({
      body: { name: 'key', unlimited_quota: true, answer_cache: 'on', answer_cache_seconds: 600 },
    });
    return { actor, id: token?.id ?? 0, key: token?.key ?? '', view: token };
  }
  async function ask(key: string, model = 'gpt-4o') {
    const response = await fetch(`${app.url}/v1/chat/completions`, {
      method: 'POST',
      headers: { Authorization: `Bearer sk-${key}`, 'Content-Type': 'application/json' },
      body: JSON.stringify({ model, messages: [{ role: 'user', content: 'hi' }] }),
    });
    await response.text();
    return response.headers.get('x-tollgate-cache');
  }
  const query = () => ({ start_timestamp: unixSeconds() - 3600, end_timestamp: unixSeconds() + 10 });

  test('a key keeps its wish; its owner sees what was saved, and administrators all of it', async () => {
    const { actor, key, view } = await person();
    expect(view).toMatchObject({ answer_cache: 'on', answer_cache_seconds: 600 });
    expect([await ask(key), await ask(key), await ask(key)]).toEqual(['miss', 'hit', 'hit']);
    // Written a moment later.
    const own = await eventually(
      () => app.client(actor).answerCache.self({ query: query() }),
      ({ hits }) => hits === 2,
    );
    expect(own).toMatchObject({ hits: 2, misses: 1 });
    expect(own.saved).toBeGreaterThan(0);
    const rows = await app.store.db.selectFrom('logs').select('other').where('type', '=', 2).execute();
    const saved = rows.reduce((sum, { other }) => {
      const { answer_cache } = JSON.parse(other) as { answer_cache?: { saved: number } };
      return sum + (answer_cache?.saved ?? 0);
    }, 0);
    const all = await app.client(admin).answerCache.all({ query: query() });
    expect(all.saved).toBe(saved);
    expect(all.entries).toBeGreaterThan(0);
    expect(all.bytes).toBeGreaterThan(1000);
    const other = await person();
    expect(await app.client(other.actor).answerCache.self({ query: query() })).toEqual({
      hits: 0,
      misses: 0,
      saved: 0,
    });
  });

  test('an owner removes their own answers only; an administrator those of anybody', async () => {
    const [one, two] = [await person(), await person()];
    for (const { key } of [one, two]) await ask(key);
    await ask(two.key, 'gpt-4o-mini');
    const own = app.client(one.actor).answerCache;
    expect(await own.purgeSelf({ body: { token_id: two.id } })).toEqual({ removed: 0 });
    expect([await ask(one.key), await ask(two.key)]).toEqual(['hit', 'hit']);
    expect(await own.purgeSelf({ body: {} })).toEqual({ removed: 1 });
    expect([await ask(one.key), await ask(two.key)]).toEqual(['miss', 'hit']);
    const removed = await app
      .client(admin)
      .answerCache.purge({ body: { user_id: two.actor.id, model: 'gpt-4o' } });
    expect(removed).toEqual({ removed: 1 });
    expect([await ask(two.key), await ask(two.key, 'gpt-4o-mini')]).toEqual(['miss', 'hit']);
  });
});
