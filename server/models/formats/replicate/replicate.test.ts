import { expect, test } from 'bun:test';
import type { ConversionNote } from '#server/models/formats/canonical.ts';
import { codecOf, meaningOf } from '#tests/support/formats.ts';
import { replicate } from './index.ts';

test('a prediction is asked for with instructions apart', () => {
  const notes: ConversionNote[] = [];
  const asked = codecOf('openai-chat').decodeRequest(
    {
      model: 'meta/llama',
      messages: [
        { role: 'system', content: 'Be brief.' },
        { role: 'user', content: 'Hi' },
      ],
      max_tokens: 5,
      stop: ['a', 'b'],
    },
    notes,
  );
  expect(replicate.encodeRequest(asked, notes)).toEqual({
    input: { prompt: 'Hi', system_prompt: 'Be brief.', max_tokens: 5, stop_sequences: 'a,b' },
  });
  expect(notes).toEqual([]);
});

test('the pieces of the output are one text, and reported usage is counted', () => {
  const events = replicate.decodeResponse({
    id: 'p1',
    model: 'meta/llama',
    status: 'succeeded',
    output: ['Hel', 'lo'],
    metrics: { input_token_count: 3, output_token_count: 2 },
  });
  const { choices, usage } = meaningOf(events);
  expect(choices.get(0)?.blocks).toMatchObject([{ type: 'text', text: 'Hello' }]);
  expect(usage).toMatchObject({ input: 3, output: 2 });
});
