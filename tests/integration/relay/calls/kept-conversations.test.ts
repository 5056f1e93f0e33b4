// Conversations of OpenAI's API on our own store: whose they are, what calls read of them and pay for, and their bounds.
import { afterAll, beforeAll, describe, expect, setDefaultTimeout, test } from 'bun:test';
import type OpenAI from 'openai';
import { CHANNEL_TYPE } from '#contract/relay/channel-type.ts';
import { checkInvariants } from '#server/money/audit/invariants.ts';
import { removeExpiredKeptConversations } from '#server/relay/conversations/kept-conversations.ts';
import { forEachDatabase } from '#tests/support/databases.ts';
import { startRelay, type RelayHarness, type TestToken } from './harness.ts';

setDefaultTimeout(120_000);

type Json = Record<string, unknown>;

const failureOf = async (act: PromiseLike<unknown>): Promise<unknown> =>
  await act.then(
    () => 'done',
    (error: unknown) => error,
  );

forEachDatabase((database) => {
  let relay: RelayHarness;
  let token: TestToken;
  let client: OpenAI;
  beforeAll(async () => {
    relay = await startRelay({ database });
    await relay.channel({ type: CHANNEL_TYPE.openAi, models: ['gpt-5'] });
    await relay.channel({ type: CHANNEL_TYPE.anthropic, models: ['claude-opus-4-5'] });
    token = await relay.token();
    client = relay.sdk(token);
  });
  afterAll(() => relay[Symbol.asyncDispose]());

  const lastBody = (): Json => (relay.mock.requests.at(-1)?.body ?? {}) as Json;
  const user = (text: string) => ({ type: 'message' as const, role: 'user' as const, content: text });

  describe('conversations', () => {
    test('are made, read, changed and deleted with their items, as the SDK does it (W42)', async () => {
      const made = await client.conversations.create({ metadata: { topic: 'a' }, items: [user('one')] });
      expect(made).toMatchObject({ object: 'conversation', metadata: { topic: 'a' } });
      expect(made.id).toMatch(/^conv_[0-9a-f]{48}$/);
      expect(await client.conversations.retrieve(made.id)).toEqual(made);
      const changed = await client.conversations.update(made.id, { metadata: { topic: 'b' } });
      expect(changed).toEqual({ ...made, metadata: { topic: 'b' } });
      const added = await client.conversations.items.create(made.id, { items: [user('two'), user('three')] });
      expect(added.data).toHaveLength(2);
      const texts: unknown[] = [];
      for await (const item of client.conversations.items.list(made.id, { order: 'asc', limit: 1 }))
        texts.push((item as unknown as { content: { text: string }[] }).content[0]?.text);
      expect(texts).toEqual(['one', 'two', 'three']);
      const [second] = added.data;
      const itemId = String((second as unknown as Json)['id']);
      const { data: latest } = await client.conversations.items.list(made.id);
      expect(latest.map((item) => (item as unknown as Json)['id'])).toContain(itemId);
      expect(await client.conversations.items.retrieve(itemId, { conversation_id: made.id })).toEqual(
        second as never,
      );
      expect(await client.conversations.items.delete(itemId, { conversation_id: made.id })).toEqual(changed);
      expect(
        await failureOf(client.conversations.items.retrieve(itemId, { conversation_id: made.id })),
      ).toMatchObject({ status: 404, code: 'item_unknown' });
      expect(await client.conversations.delete(made.id)).toEqual({
        id: made.id,
        object: 'conversation.deleted',
        deleted: true,
      });
      expect(await failureOf(client.conversations.retrieve(made.id))).toMatchObject({
        status: 404,
        code: 'conversation_unknown',
      });
      const left = await relay.store.db.selectFrom('conversation_items').selectAll().execute();
      expect(left.filter(({ conversation_id }) => conversation_id === made.id)).toEqual([]);
    });

    test.each(['gpt-5', 'claude-opus-4-5'])(
      'go on with %s: each call reads all of it, pays for all of it, and adds its turn, whole or streamed (W42)',
      async (model) => {
        const { id } = await client.conversations.create({ items: [user('My name is Ada.')] });
        const first = await client.responses.create({ model, conversation: id, input: 'What is my name?' });
        expect(first).toMatchObject({ object: 'response', conversation: { id } });
        expect(JSON.stringify(lastBody())).toContain('My name is Ada.');
        const stream = await client.responses.create({
          model,
          conversation: { id },
          input: 'And again?',
          stream: true,
        });
        const named: unknown[] = [];
        for await (const event of stream) if ('response' in event) named.push(event.response.conversation);
        expect(named.length).toBeGreaterThan(1);
        expect(named.every((each) => JSON.stringify(each) === JSON.stringify({ id }))).toBe(true);
        const sent = JSON.stringify(lastBody());
        for (const said of ['My name is Ada.', 'What is my name?', first.output_text, 'And again?'])
          expect(sent).toContain(said);
        // Ids of another account's items mean nothing to an upstream, and the conversation is ours.
        expect(sent).not.toContain(id);
        const { data } = await client.conversations.items.list(id, { order: 'asc', limit: 100 });
        const roles = data.map((item) => (item as unknown as Json)['role']).filter(Boolean);
        expect(roles).toEqual(['user', 'user', 'assistant', 'user', 'assistant']);
        const row = await relay.lastLog(token.userId);
        const { usage } = relay.mock.requests.at(-1) ?? {};
        expect([row.prompt_tokens, row.completion_tokens]).toEqual([
          usage?.inputTokens ?? -1,
          usage?.outputTokens ?? -1,
        ]);
        expect(await relay.holds()).toBe(0);
        expect(await checkInvariants(relay.store)).toEqual([]);
      },
    );

    test('of another user are unknown to every call, and nothing is sent or charged (W42, S24)', async () => {
      const { id } = await client.conversations.create({ items: [user('the secret is 4711')] });
      const { data } = await client.conversations.items.list(id);
      const item = String((data[0] as unknown as Json)['id']);
      const stranger = await relay.token();
      const other = relay.sdk(stranger);
      const before = relay.mock.requests.length;
      const balance = (await relay.userRow(stranger.userId)).quota;
      const unknown = { status: 404, code: 'conversation_unknown' };
      for (const act of [
        () => other.conversations.retrieve(id),
        () => other.conversations.update(id, { metadata: { mine: 'yes' } }),
        () => other.conversations.delete(id),
        () => other.conversations.items.list(id),
        () => other.conversations.items.create(id, { items: [user('planted')] }),
        () => other.conversations.items.retrieve(item, { conversation_id: id }),
        () => other.conversations.items.delete(item, { conversation_id: id }),
        () => other.responses.create({ model: 'gpt-5', conversation: id, input: 'hi' }),
        () => other.responses.create({ model: 'claude-opus-4-5', conversation: { id }, input: 'hi' }),
        () => other.responses.create({ model: 'gpt-5', conversation: 'a\u0000b', input: 'hi' }),
        () => other.responses.inputTokens.count({ model: 'gpt-5', conversation: id, input: 'hi' }),
      ])
        expect(await failureOf(act())).toMatchObject(unknown);
      expect(relay.mock.requests).toHaveLength(before);
      expect((await relay.userRow(stranger.userId)).quota).toBe(balance);
      expect((await client.conversations.items.list(id)).data).toHaveLength(1);
      expect((await client.conversations.retrieve(id)).metadata).toEqual({});
    });

    test('take no part in a call that fails, and no other state beside them (W42)', async () => {
      const { id } = await client.conversations.create({ items: [user('hello')] });
      relay.mock.behave({ status: 400 });
      expect(
        await failureOf(client.responses.create({ model: 'gpt-5', conversation: id, input: 'lost' })),
      ).toMatchObject({ status: 400 });
      relay.mock.reset();
      expect((await client.conversations.items.list(id)).data).toHaveLength(1);
      expect(
        await failureOf(
          client.responses.create({
            model: 'gpt-5',
            conversation: id,
            previous_response_id: 'resp_1',
            input: 'x',
          }),
        ),
      ).toMatchObject({ status: 400, param: 'previous_response_id' });
    });

    test('are bounded: items at once, their size, metadata, and the number for each user (W42)', async () => {
      const token2 = await relay.token();
      const own = relay.sdk(token2);
      const many = Array.from({ length: 21 }, () => user('x'));
      expect(await failureOf(own.conversations.create({ items: many }))).toMatchObject({
        status: 400,
        param: 'items',
      });
      const metadata = Object.fromEntries(Array.from({ length: 17 }, (_, n) => [`k${n}`, 'v']));
      expect(await failureOf(own.conversations.create({ metadata }))).toMatchObject({
        status: 400,
        param: 'metadata',
      });
      const { id } = await own.conversations.create();
      const large = () => own.conversations.items.create(id, { items: [user('x'.repeat(1_500_000))] });
      await large();
      await large();
      expect(await failureOf(large())).toMatchObject({ status: 400, code: 'conversation_full' });
      const before = relay.mock.requests.length;
      const over = { model: 'gpt-5', conversation: id, input: 'y'.repeat(1_500_000) };
      expect(await failureOf(own.responses.create(over))).toMatchObject({ code: 'conversation_full' });
      expect(relay.mock.requests).toHaveLength(before);
      await relay.store.db
        .insertInto('conversations')
        .values({
          id: `conv_large_${token2.userId}`,
          user_id: token2.userId,
          created_at: 1,
          expires_at: 4_000_000_000,
          bytes: 28 * 1024 * 1024,
        })
        .execute();
      const { id: small } = await own.conversations.create();
      const inAll = { ...over, conversation: small };
      expect(await failureOf(own.responses.create(inAll))).toMatchObject({ code: 'conversation_full' });
      expect(relay.mock.requests).toHaveLength(before);
      const [row] = await relay.store.db
        .selectFrom('conversations')
        .selectAll()
        .where('id', '=', id)
        .execute();
      const filler = Array.from({ length: 997 }, (_, n) => ({
        id: `conv_f${token2.userId}_${n}`,
        user_id: token2.userId,
        created_at: 1,
        expires_at: row?.expires_at ?? 0,
      }));
      for (let at = 0; at < filler.length; at += 100)
        await relay.store.db
          .insertInto('conversations')
          .values(filler.slice(at, at + 100))
          .execute();
      expect(await failureOf(own.conversations.create())).toMatchObject({ code: 'conversations_full' });
      expect((await client.conversations.create()).object).toBe('conversation');
    });

    test('expire a month after their last use, with their items (W42)', async () => {
      const { id } = await client.conversations.create({ items: [user('old')] });
      await relay.store.db.updateTable('conversations').set({ expires_at: 5 }).where('id', '=', id).execute();
      expect(await failureOf(client.conversations.retrieve(id))).toMatchObject({ status: 404 });
      await removeExpiredKeptConversations(relay.store);
      const { db } = relay.store;
      expect(await db.selectFrom('conversations').select('id').where('id', '=', id).execute()).toEqual([]);
      expect(
        await db.selectFrom('conversation_items').select('id').where('conversation_id', '=', id).execute(),
      ).toEqual([]);
    });
  });
});
