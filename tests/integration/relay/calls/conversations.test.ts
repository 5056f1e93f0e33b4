// Stored responses that Responses callers may continue, on both databases: owner, lifetime and size.
import { expect, test } from 'bun:test';
import { createLog } from '#server/platform/log.ts';
import { createConversations } from '#server/relay/conversations/conversations.ts';
import { forEachDatabase } from '#tests/support/databases.ts';

forEachDatabase((_label, open) => {
  test('a conversation is found by its user, with its items or the channel that stores it', async () => {
    const store = await open();
    const conversations = createConversations(store, createLog({ level: 'error', write: () => {} }));
    const items = [{ type: 'message', role: 'user', content: 'Grüße 你好' }];
    const said = { type: 'message', role: 'assistant', content: [] };
    await conversations.remember(1, 7, {
      responseId: 'resp_a',
      items,
      response: { id: 'resp_a', model: 'm', output: [said] },
      encrypted: ['sealed'],
    });
    await conversations.remember(1, 8, {
      responseId: 'resp_b',
      items: undefined,
      response: { model: 'm' },
      encrypted: [],
    });
    expect(await conversations.find(1, 'resp_a')).toEqual({
      channelId: 7,
      items: [...items, said],
      model: 'm',
      input: items,
      response: { id: 'resp_a', model: 'm', output: [said] },
    });
    expect(await conversations.find(1, 'resp_b')).toEqual({ channelId: 8, items: undefined, model: 'm' });
    await conversations.forget(2, 'resp_b');
    expect(await conversations.find(1, 'resp_b')).toBeDefined();
    await conversations.forget(1, 'resp_b');
    expect(await conversations.find(1, 'resp_b')).toBeUndefined();
    expect(await conversations.find(2, 'resp_a')).toBeUndefined();
    expect(await conversations.issuer(1, ['other', 'sealed'])).toBe(7);
    expect(await conversations.issuer(2, ['sealed'])).toBeUndefined();
    expect(await conversations.issuer(1, [])).toBeUndefined();
  });

  test('an id stored twice keeps its first content; an expired or too long conversation is not found', async () => {
    const store = await open();
    const conversations = createConversations(store, createLog({ level: 'error', write: () => {} }));
    await conversations.remember(1, 7, { responseId: 'resp_a', items: [], response: {}, encrypted: [] });
    await conversations.remember(1, 9, {
      responseId: 'resp_a',
      items: undefined,
      response: {},
      encrypted: [],
    });
    expect((await conversations.find(1, 'resp_a'))?.channelId).toBe(7);
    await store.db.updateTable('stored_responses').set({ expires_at: 1 }).execute();
    expect(await conversations.find(1, 'resp_a')).toBeUndefined();
    const long = [{ type: 'message', role: 'user', content: 'x'.repeat(600 * 1024) }];
    await conversations.remember(1, 7, { responseId: 'resp_long', items: long, response: {}, encrypted: [] });
    expect(await conversations.find(1, 'resp_long')).toBeUndefined();
  });

  test('a row from before responses were stored can still be continued', async () => {
    const store = await open();
    const conversations = createConversations(store, createLog({ level: 'error', write: () => {} }));
    const items = [{ type: 'message', role: 'user', content: 'hi' }];
    await store.db
      .insertInto('stored_responses')
      .values({
        id: '1:resp_old',
        user_id: 1,
        channel_id: 7,
        created_at: 1,
        expires_at: 4_000_000_000,
        items: JSON.stringify(items),
      })
      .execute();
    expect(await conversations.find(1, 'resp_old')).toEqual({ channelId: 7, items });
  });

  test('an unavailable database loses the conversation, not the answer', async () => {
    const store = await open();
    const lines: string[] = [];
    const conversations = createConversations(
      store,
      createLog({ level: 'warn', write: (line) => lines.push(line) }),
    );
    await store.close();
    await conversations.remember(1, 7, { responseId: 'resp_a', items: [], response: {}, encrypted: [] });
    expect(lines.join('')).toContain('a conversation could not be kept');
  });
});
