// What Responses callers may go on with, on both databases: whose it is, how long it is kept, and how much.
import { expect, test } from 'bun:test';
import { createLog } from '#server/http/log.ts';
import { createConversations } from '#server/relay/conversations.ts';
import { forEachDatabase } from '#tests/support/databases.ts';

forEachDatabase((_label, open) => {
  test('a conversation is found by its user, with its items or the channel that keeps it', async () => {
    const store = await open();
    const conversations = createConversations(store, createLog({ level: 'error', write: () => {} }));
    const items = [{ type: 'message', role: 'user', content: 'Grüße 你好' }];
    await conversations.remember(1, 7, { responseId: 'resp_a', items, encrypted: ['sealed'] });
    await conversations.remember(1, 8, { responseId: 'resp_b', items: undefined, encrypted: [] });
    expect(await conversations.find(1, 'resp_a')).toEqual({ channelId: 7, items });
    expect(await conversations.find(1, 'resp_b')).toEqual({ channelId: 8, items: undefined });
    expect(await conversations.find(2, 'resp_a')).toBeUndefined();
    expect(await conversations.issuer(1, ['other', 'sealed'])).toBe(7);
    expect(await conversations.issuer(2, ['sealed'])).toBeUndefined();
    expect(await conversations.issuer(1, [])).toBeUndefined();
    conversations.close();
  });

  test('an id told twice keeps its first meaning; what has expired or is too long is not found', async () => {
    const store = await open();
    const conversations = createConversations(store, createLog({ level: 'error', write: () => {} }));
    await conversations.remember(1, 7, { responseId: 'resp_a', items: [], encrypted: [] });
    await conversations.remember(1, 9, { responseId: 'resp_a', items: undefined, encrypted: [] });
    expect((await conversations.find(1, 'resp_a'))?.channelId).toBe(7);
    await store.db.updateTable('stored_responses').set({ expires_at: 1 }).execute();
    expect(await conversations.find(1, 'resp_a')).toBeUndefined();
    const long = [{ type: 'message', role: 'user', content: 'x'.repeat(600 * 1024) }];
    await conversations.remember(1, 7, { responseId: 'resp_long', items: long, encrypted: [] });
    expect(await conversations.find(1, 'resp_long')).toBeUndefined();
    conversations.close();
  });

  test('a database that is away costs the memory, not the answer', async () => {
    const store = await open();
    const lines: string[] = [];
    const conversations = createConversations(
      store,
      createLog({ level: 'warn', write: (line) => lines.push(line) }),
    );
    await store.close();
    await conversations.remember(1, 7, { responseId: 'resp_a', items: [], encrypted: [] });
    expect(lines.join('')).toContain('a conversation could not be kept');
    conversations.close();
  });
});
