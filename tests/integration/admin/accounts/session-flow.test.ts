// Values that a browser keeps between steps: named values in its session row, on both databases.
import { expect, test } from 'bun:test';
import { createFlow } from '#server/admin/http/flow.ts';
import { openSessions } from '#server/admin/http/sessions.ts';
import { createLog } from '#server/platform/log.ts';
import type { Store } from '#server/platform/store/store.ts';
import { forEachDatabase } from '#tests/support/databases.ts';

const silent = createLog({ level: 'error', write: () => {} });
const ORIGIN = { address: '203.0.113.5', userAgent: 'test' };

/** A browser: it keeps its session id. */
function browser(store: Store) {
  const sessions = openSessions(store, silent);
  const jar: { id: string | null; made: number } = { id: null, made: 0 };
  const flow = () =>
    createFlow(store, jar.id, async () => {
      jar.made += 1;
      jar.id = await sessions.startVisitor(ORIGIN);
      return jar.id;
    });
  return { sessions, jar, flow, close: () => sessions.close() };
}

forEachDatabase((_, open) => {
  test('a visitor gets one session for all steps, which is not signed in', async () => {
    const { sessions, jar, flow, close } = browser(await open());
    expect(await flow().read('state')).toBeNull();
    expect(jar.id).toBeNull();
    await flow().keep('state', { to: '/token' }, 60);
    await flow().keep('other', [1, 'two'], 60);
    expect(jar.made).toBe(1);
    expect(await flow().read('state')).toEqual({ to: '/token' });
    expect(await flow().read('other')).toEqual([1, 'two']);
    expect(await sessions.find(jar.id ?? '')).toBeNull();
    close();
  });

  test('of many concurrent takes of a value exactly one gets it', async () => {
    const { flow, close } = browser(await open());
    await flow().keep('state', 'secret', 60);
    const taken = await Promise.all(Array.from({ length: 10 }, () => flow().take('state')));
    expect(taken.filter((value) => value === 'secret')).toHaveLength(1);
    expect(taken.filter((value) => value === null)).toHaveLength(9);
    close();
  });

  test('a value has its own expiry, and an ended session has no values', async () => {
    const store = await open();
    const { jar, flow, close } = browser(store);
    await flow().keep('gone', 1, 0);
    await flow().keep('here', 2, 60);
    expect(await flow().take('gone')).toBeNull();
    await store.db.updateTable('sessions').set({ expires_at: 1 }).execute();
    expect(await flow().take('here')).toBeNull();
    const before = jar.id;
    await flow().keep('new', 3, 60);
    expect(jar.id).not.toBe(before);
    expect(await flow().take('new')).toBe(3);
    close();
  });

  test('the number of values is bounded: the oldest is dropped', async () => {
    const { flow, close } = browser(await open());
    for (let index = 0; index < 25; index += 1) await flow().keep(`v${index}`, index, 60);
    expect(await flow().read('v0')).toBeNull();
    expect(await flow().read('v5')).toBe(5);
    expect(await flow().read('v24')).toBe(24);
    close();
  });

  test('two browsers do not share values', async () => {
    const store = await open();
    const [one, other] = [browser(store), browser(store)];
    await one.flow().keep('state', 'mine', 60);
    await other.flow().keep('state', 'yours', 60);
    expect(await one.flow().take('state')).toBe('mine');
    expect(await other.flow().take('state')).toBe('yours');
    one.close();
    other.close();
  });
});
