import { expect, test } from 'bun:test';
import type { ConversionNote } from '#server/models/formats/canonical.ts';
import { codecOf, decodeAll, meaningOf } from '#tests/support/formats.ts';
import { dify } from './index.ts';

test('a conversation goes out as one question, pictures by address beside it', () => {
  const notes: ConversionNote[] = [];
  const asked = codecOf('openai-chat').decodeRequest(
    {
      model: 'app',
      stream: true,
      user: 'ann',
      temperature: 0.3,
      messages: [
        { role: 'system', content: 'Be brief.' },
        {
          role: 'user',
          content: [
            { type: 'text', text: 'Look' },
            { type: 'image_url', image_url: { url: 'https://a/b.png' } },
          ],
        },
      ],
    },
    notes,
  );
  expect(dify.encodeRequest(asked, notes)).toEqual({
    inputs: {},
    query: 'system: Be brief.\n\nuser: Look',
    response_mode: 'streaming',
    user: 'ann',
    files: [{ type: 'image', transfer_method: 'remote_url', url: 'https://a/b.png' }],
  });
  expect(notes.map(({ what, field }) => `${what} ${field}`)).toEqual([
    'dropped temperature',
    'approximated messages',
  ]);
});

test('a stream: the application’s own steps are left out, the end brings the usage', () => {
  const events = decodeAll(dify, [
    { event: 'workflow_started', task_id: 't' },
    { event: 'message', message_id: 'm1', created_at: 5, answer: 'Hel' },
    { event: 'agent_thought', thought: 'inner' },
    { event: 'agent_message', message_id: 'm1', answer: 'lo' },
    { event: 'message_end', metadata: { usage: { prompt_tokens: 4, completion_tokens: 2 } } },
  ]);
  const { id, choices, usage } = meaningOf(events);
  expect(id).toBe('m1');
  expect(choices.get(0)).toMatchObject({ reason: 'stop', blocks: [{ type: 'text', text: 'Hello' }] });
  expect(usage).toMatchObject({ input: 4, output: 2 });
});

test('whole answers and errors', () => {
  const events = dify.decodeResponse({ message_id: 'm2', answer: 'Yes', metadata: {} });
  expect(meaningOf(events)).toMatchObject({ id: 'm2', usage: undefined });
  expect(
    decodeAll(dify, [{ event: 'error', status: 429, code: 'rate_limit', message: 'slow' }]),
  ).toMatchObject([{ type: 'error', status: 429, code: 'rate_limit' }]);
  expect(dify.decodeError({ code: 'unauthorized', message: 'no', status: 401 })).toMatchObject({
    code: 'unauthorized',
  });
});
