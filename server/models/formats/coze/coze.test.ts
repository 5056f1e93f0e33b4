import { expect, test } from 'bun:test';
import type { ConversionNote } from '#server/models/formats/canonical.ts';
import { codecOf, decodeAll, meaningOf } from '#tests/support/formats.ts';
import { coze } from './index.ts';

test('a bot is asked with the conversation so far, always as a stream', () => {
  const notes: ConversionNote[] = [];
  const asked = codecOf('openai-chat').decodeRequest(
    {
      model: 'bot',
      messages: [
        { role: 'user', content: 'Hi' },
        { role: 'assistant', content: 'Hello' },
        { role: 'user', content: 'Go on' },
      ],
    },
    notes,
  );
  expect(coze.encodeRequest(asked, notes)).toEqual({
    user_id: 'api',
    stream: true,
    auto_save_history: false,
    additional_messages: [
      { role: 'user', type: 'question', content: 'Hi', content_type: 'text' },
      { role: 'assistant', type: 'answer', content: 'Hello', content_type: 'text' },
      { role: 'user', type: 'question', content: 'Go on', content_type: 'text' },
    ],
  });
});

const frame = (event: string, data: unknown) => ({ event, data: JSON.stringify(data) });

test('only the answer of a stream is passed on, not the bot’s follow-ups', () => {
  const events = decodeAll(coze, [
    frame('conversation.chat.created', { id: 'c1', created_at: 5 }),
    frame('conversation.message.delta', { type: 'answer', content: '', reasoning_content: 'Hm' }),
    frame('conversation.message.delta', { type: 'answer', content: 'Hel' }),
    frame('conversation.message.delta', { type: 'answer', content: 'lo' }),
    frame('conversation.message.completed', { type: 'answer', content: 'Hello' }),
    frame('conversation.message.completed', { type: 'follow_up', content: 'And then?' }),
    frame('conversation.chat.completed', { usage: { token_count: 9, input_count: 6, output_count: 3 } }),
    { event: 'done', data: '"[DONE]"' },
  ]);
  const { id, choices, usage } = meaningOf(events);
  expect(id).toBe('c1');
  expect(choices.get(0)?.blocks).toMatchObject([
    { type: 'reasoning', text: 'Hm' },
    { type: 'text', text: 'Hello' },
  ]);
  expect(usage).toMatchObject({ input: 6, output: 3 });
});

test('a failed conversation and a refused one tell their code', () => {
  const failed = frame('conversation.chat.failed', { last_error: { code: 700012006, msg: 'no quota' } });
  expect(decodeAll(coze, [failed])).toMatchObject([
    { type: 'error', code: '700012006', message: 'no quota' },
  ]);
  expect(coze.decodeError({ code: 4100, msg: 'authentication is invalid' })).toMatchObject({ code: '4100' });
  expect(coze.decodeError({ code: 0 })).toBeUndefined();
});
