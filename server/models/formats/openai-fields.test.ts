// Fields that two formats have under one name, or one format under two names.
import { expect, test } from 'bun:test';
import { codecOf } from '#tests/support/formats.ts';
import type { ConversionNote } from './canonical.ts';
import { member, type Json } from './json.ts';

function convert(from: string, to: string, body: Json): { sent: Json; notes: ConversionNote[] } {
  const notes: ConversionNote[] = [];
  const request = codecOf(from).decodeRequest(body, notes);
  return { sent: member(codecOf(to).encodeRequest(request, notes)), notes };
}

const shared = {
  prompt_cache_retention: '24h',
  prompt_cache_options: { mode: 'explicit' },
  moderation: { model: 'omni-moderation-latest' },
};

test('cache and moderation options pass between Chat and Responses of OpenAI without a note (W33)', () => {
  const messages = [{ role: 'user', content: 'Hi' }];
  const toResponses = convert('openai-chat', 'openai-responses', { model: 'gpt-5.1', messages, ...shared });
  expect(toResponses).toMatchObject({ sent: shared, notes: [] });
  const asked = { model: 'gpt-5.1', input: 'Hi', ...shared };
  expect(convert('openai-responses', 'openai-chat', asked)).toMatchObject({ sent: shared, notes: [] });
});

test('a compatible upstream gets no option of OpenAI’s own, and the note says so (W33)', () => {
  const asked = { model: 'deepseek-chat', input: 'Hi', ...shared };
  const { sent, notes } = convert('openai-responses', 'openai-chat', asked);
  expect(Object.keys(sent)).toEqual(['model', 'messages']);
  expect(notes.map(({ field, what }) => `${field} ${what}`)).toEqual([
    'prompt_cache_retention dropped',
    'prompt_cache_options dropped',
    'moderation dropped',
  ]);
});

test('metadata of a response that may be stored reaches OpenAI’s Chat, which keeps it with what it stores (W33)', () => {
  const asked = { model: 'gpt-4.1', input: 'Hi', metadata: { order: '7' } };
  const { sent, notes } = convert('openai-responses', 'openai-chat', asked);
  expect(sent).toMatchObject({ metadata: { order: '7' }, store: true });
  expect(notes).toEqual([]);
  const unstored = convert('openai-responses', 'openai-chat', { ...asked, store: false });
  expect(unstored.sent).not.toHaveProperty('metadata');
  expect(unstored.notes).toMatchObject([{ field: 'metadata', what: 'dropped' }]);
});

test('the older name of the answer’s form loses nothing, so a strict call passes (W26)', () => {
  const schema = { type: 'object', properties: { city: { type: 'string' } }, required: ['city'] };
  const asked = {
    model: 'gpt-5.1',
    max_tokens: 500,
    messages: [{ role: 'user', content: 'Hi' }],
    output_format: { type: 'json_schema', schema },
  };
  const { sent, notes } = convert('anthropic-messages', 'openai-chat', asked);
  expect(sent['response_format']).toMatchObject({ type: 'json_schema', json_schema: { schema } });
  expect(notes).toEqual([]);
});

test.each(['openai-responses', 'anthropic-messages', 'gemini-generate'])(
  'the name of a result that is not the name of its call is noted towards %s, and one that repeats it is not (W28)',
  (to) => {
    const namesNoted = (name: string): string[] => {
      const call = { id: 'call_1', type: 'function', function: { name: 'weather', arguments: '{}' } };
      const messages = [
        { role: 'user', content: 'Hi' },
        { role: 'assistant', tool_calls: [call] },
        { role: 'tool', tool_call_id: 'call_1', name, content: 'Rain.' },
      ];
      const { notes } = convert('openai-chat', to, { model: 'm', max_tokens: 50, messages });
      return notes.filter(({ what }) => what === 'dropped').map(({ field }) => field);
    };
    expect(namesNoted('barometer')).toEqual(['messages.name']);
    expect(namesNoted('weather')).toEqual([]);
  },
);
