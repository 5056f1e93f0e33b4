// Stored responses that Responses callers may continue, on both databases: owner, lifetime and size.
import { expect, test } from 'bun:test';
import { createLog } from '#server/platform/log.ts';
import { createConversations } from '#server/relay/conversations/conversations.ts';
import { createKeptConversations } from '#server/relay/conversations/kept-conversations.ts';
import { forEachDatabase } from '#tests/support/databases.ts';
import { failure } from '#tests/support/failure.ts';

const [ANN, BEN] = [{ userId: 1 }, { userId: 2 }];
/** Keys of one organization. */
const SEARCH = { userId: 3, tokenId: 5, organization: { projectId: 21 } };
const HIRING = { userId: 3, tokenId: 6, organization: { projectId: 22 } };

forEachDatabase((_label, open) => {
  test('a conversation is found by its user, with its items or the channel that stores it', async () => {
    const store = await open();
    const conversations = createConversations(store, createLog({ level: 'error', write: () => {} }));
    const items = [{ type: 'message', role: 'user', content: 'Grüße 你好' }];
    const said = { type: 'message', role: 'assistant', content: [] };
    await conversations.remember(ANN, 7, {
      responseId: 'resp_a',
      items,
      response: { id: 'resp_a', model: 'm', output: [said] },
      encrypted: ['sealed'],
    });
    await conversations.remember(ANN, 8, {
      responseId: 'resp_b',
      items: undefined,
      response: { model: 'm' },
      encrypted: [],
    });
    expect(await conversations.find(ANN, 'resp_a')).toEqual({
      channelId: 7,
      items: [...items, said],
      model: 'm',
      input: items,
      response: { id: 'resp_a', model: 'm', output: [said] },
    });
    expect(await conversations.find(ANN, 'resp_b')).toEqual({ channelId: 8, items: undefined, model: 'm' });
    await conversations.forget(BEN, 'resp_b');
    expect(await conversations.find(ANN, 'resp_b')).toBeDefined();
    await conversations.forget(ANN, 'resp_b');
    expect(await conversations.find(ANN, 'resp_b')).toBeUndefined();
    expect(await conversations.find(BEN, 'resp_a')).toBeUndefined();
    expect(await conversations.issuer(ANN, ['other', 'sealed'])).toBe(7);
    expect(await conversations.issuer(BEN, ['sealed'])).toBeUndefined();
    expect(await conversations.issuer(ANN, [])).toBeUndefined();
  });

  test('a response and what it issued are known to the keys of its project alone', async () => {
    const store = await open();
    const conversations = createConversations(store, createLog({ level: 'error', write: () => {} }));
    await conversations.remember(SEARCH, 7, {
      responseId: 'resp_a',
      items: [],
      response: { id: 'resp_a' },
      encrypted: ['sealed'],
      issued: ['file_a'],
    });
    const colleague = { ...SEARCH, tokenId: 9 };
    const person = { userId: SEARCH.userId };
    for (const [owner, channelId] of [
      [SEARCH, 7],
      [colleague, 7],
      [HIRING, undefined],
      [person, undefined],
      [{ ...SEARCH, userId: 4 }, undefined],
    ] as const) {
      expect((await conversations.find(owner, 'resp_a'))?.channelId).toBe(channelId);
      expect(await conversations.issuer(owner, ['sealed'])).toBe(channelId);
      expect((await conversations.issuers(owner, ['file_a'])).get('file_a')).toBe(channelId);
    }
    await conversations.forget(HIRING, 'resp_a');
    expect(await conversations.find(SEARCH, 'resp_a')).toBeDefined();
    await conversations.forget(colleague, 'resp_a');
    expect(await conversations.find(SEARCH, 'resp_a')).toBeUndefined();
  });

  test('a kept conversation likewise; one from before it had a project is that of the whole organization', async () => {
    const store = await open();
    const kept = createKeptConversations(store, createLog({ level: 'error', write: () => {} }));
    const item = { type: 'message', role: 'user', content: 'hi' };
    const { id } = await kept.create(SEARCH, {}, [item]);
    expect(await kept.items({ ...SEARCH, tokenId: 9 }, id)).toHaveLength(1);
    const { id: own } = await kept.create(ANN, {}, []);
    expect((await kept.find(ANN, own)).id).toBe(own);
    for (const owner of [HIRING, ANN, { userId: SEARCH.userId }, { ...SEARCH, userId: 4 }]) {
      const refused = [
        () => kept.find(owner, id),
        () => kept.items(owner, id),
        () => kept.add(owner, id, [item]),
        () => kept.describe(owner, id, {}),
        () => kept.remove(owner, id),
      ];
      for (const each of refused)
        expect(await failure(each())).toMatchObject({ code: 'conversation_unknown' });
      // After its call was paid for, a turn that has no conversation is dropped.
      await kept.append(owner, id, { channelId: 7, items: [item] });
    }
    expect(await kept.items(SEARCH, id)).toHaveLength(1);
    await store.db.updateTable('conversations').set({ project_id: 0 }).where('id', '=', id).execute();
    expect(await kept.items(HIRING, id)).toHaveLength(1);
    await kept.append(HIRING, id, { channelId: 7, items: [item] });
    expect(await kept.find(SEARCH, id)).toMatchObject({ channelId: 7 });
  });

  test('an id stored twice keeps its first content; an expired or too long conversation is not found', async () => {
    const store = await open();
    const conversations = createConversations(store, createLog({ level: 'error', write: () => {} }));
    await conversations.remember(ANN, 7, { responseId: 'resp_a', items: [], response: {}, encrypted: [] });
    await conversations.remember(ANN, 9, {
      responseId: 'resp_a',
      items: undefined,
      response: {},
      encrypted: [],
    });
    expect((await conversations.find(ANN, 'resp_a'))?.channelId).toBe(7);
    await store.db.updateTable('stored_responses').set({ expires_at: 1 }).execute();
    expect(await conversations.find(ANN, 'resp_a')).toBeUndefined();
    const long = [{ type: 'message', role: 'user', content: 'x'.repeat(600 * 1024) }];
    await conversations.remember(ANN, 7, {
      responseId: 'resp_long',
      items: long,
      response: {},
      encrypted: [],
    });
    expect(await conversations.find(ANN, 'resp_long')).toBeUndefined();
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
    expect(await conversations.find(ANN, 'resp_old')).toEqual({ channelId: 7, items });
  });

  test('an unavailable database loses the conversation, not the answer', async () => {
    const store = await open();
    const lines: string[] = [];
    const conversations = createConversations(
      store,
      createLog({ level: 'warn', write: (line) => lines.push(line) }),
    );
    await store.close();
    await conversations.remember(ANN, 7, { responseId: 'resp_a', items: [], response: {}, encrypted: [] });
    expect(lines.join('')).toContain('a conversation could not be kept');
  });
});
