import { describe, expect, test } from 'bun:test';
import type { CanonicalEvent, ConversionNote } from '#server/models/formats/canonical.ts';
import { openAiChat } from './index.ts';

const full = {
  model: 'gpt-4o',
  stream: true,
  max_completion_tokens: 100,
  temperature: 0.5,
  top_p: 0.9,
  stop: ['END'],
  seed: 7,
  n: 2,
  tools: [
    {
      type: 'function',
      function: { name: 'weather', description: 'd', parameters: { type: 'object' }, strict: true },
    },
  ],
  tool_choice: { type: 'function', function: { name: 'weather' } },
  parallel_tool_calls: false,
  response_format: {
    type: 'json_schema',
    json_schema: { name: 's', schema: { type: 'object' }, strict: true },
  },
  reasoning_effort: 'low',
  user: 'u',
  logit_bias: { 5: -1 },
  messages: [
    { role: 'system', content: 'Be brief.' },
    {
      role: 'user',
      name: 'ann',
      content: [
        { type: 'text', text: 'Look', cache_control: { type: 'ephemeral', ttl: '1h' } },
        { type: 'image_url', image_url: { url: 'data:image/png;base64,AA', detail: 'low' } },
        { type: 'input_audio', input_audio: { data: 'AA', format: 'wav' } },
        { type: 'file', file: { file_id: 'f1', filename: 'a.pdf' } },
      ],
    },
    {
      role: 'assistant',
      content: null,
      tool_calls: [
        { id: 'c1', type: 'function', function: { name: 'weather', arguments: '{"city":"Bern"}' } },
      ],
    },
    { role: 'tool', tool_call_id: 'c1', content: 'sunny' },
  ],
};

describe('requests', () => {
  test('come back as they went in', () => {
    const notes: ConversionNote[] = [];
    const canonical = openAiChat.decodeRequest(full, notes);
    expect(openAiChat.encodeRequest(canonical, notes)).toEqual(full);
    expect(notes).toEqual([]);
  });

  test('what has no canonical place is noted', () => {
    const notes: ConversionNote[] = [];
    const request = openAiChat.decodeRequest(
      {
        model: 'm',
        messages: [{ role: 'user', content: [{ type: 'hologram' }] }],
        tools: [{ type: 'web_search' }, { type: 'function', function: { name: 'f' } }],
        tool_choice: { type: 'allowed_tools', allowed_tools: { mode: 'auto', tools: [] } },
      },
      notes,
    );
    openAiChat.encodeRequest({ ...request, format: 'openai-responses' }, notes);
    expect(notes.map(({ field, what }) => `${what} ${field}`)).toEqual([
      'dropped content.hologram',
      'approximated tool_choice',
      'dropped tools.web_search',
    ]);
  });

  test('a call without arguments has an empty object', () => {
    const call = { id: 'c', type: 'function', function: { name: 'now', arguments: '' } };
    const request = openAiChat.decodeRequest({ messages: [{ role: 'assistant', tool_calls: [call] }] }, []);
    expect(request.messages[0]?.content).toEqual([
      { type: 'tool_call', id: 'c', name: 'now', arguments: '{}' },
    ]);
  });
});

const base = { id: 'x', object: 'chat.completion.chunk', created: 5, model: 'm' };
const delta = (value: object, finish: string | null = null, index = 0) => ({
  ...base,
  choices: [{ index, delta: value, logprobs: null, finish_reason: finish }],
});
const chunks = [
  delta({ role: 'assistant', reasoning_content: 'hm' }),
  delta({ content: 'Hello' }),
  delta({ content: ' 世界' }),
  delta({ tool_calls: [{ index: 0, id: 'a', type: 'function', function: { name: 'one', arguments: '' } }] }),
  delta({
    tool_calls: [{ index: 1, id: 'b', type: 'function', function: { name: 'two', arguments: '{"x"' } }],
  }),
  delta({ tool_calls: [{ index: 0, function: { arguments: '{}' } }] }),
  delta({ tool_calls: [{ index: 1, function: { arguments: ':1}' } }] }),
  delta({}, 'tool_calls'),
];
const usage = {
  prompt_tokens: 10,
  completion_tokens: 6,
  total_tokens: 16,
  prompt_tokens_details: { cached_tokens: 4, audio_tokens: 0 },
  completion_tokens_details: { reasoning_tokens: 1, audio_tokens: 0 },
};

function decodeAll(): CanonicalEvent[] {
  const decoder = openAiChat.decodeStream();
  const events = [...chunks, { ...base, choices: [], usage }].flatMap((chunk) =>
    decoder.push('', JSON.stringify(chunk)),
  );
  return [...events, ...decoder.push('', '[DONE]'), ...decoder.end()];
}

describe('streams', () => {
  test('come back chunk for chunk, usage last and only when asked for', () => {
    for (const includeUsage of [true, false]) {
      const encoder = openAiChat.encodeStream({ includeUsage });
      const wire =
        decodeAll()
          .map((event) => encoder.push(event))
          .join('') + encoder.end();
      const sent = wire
        .split('\n\n')
        .filter(Boolean)
        .map((line) => line.slice('data: '.length));
      expect(sent.pop()).toBe('[DONE]');
      const expected = includeUsage ? [...chunks, { ...base, choices: [], usage }] : chunks;
      expect(sent.map((line) => JSON.parse(line) as unknown)).toEqual(expected);
    }
  });

  test('each tool call keeps its own index, and continuations carry no name', () => {
    const encoder = openAiChat.encodeStream({ includeUsage: false });
    const wire = decodeAll()
      .map((event) => encoder.push(event))
      .join('');
    expect(wire.match(/"name":/g)).toHaveLength(2);
    expect(wire).toContain('"finish_reason":null');
  });

  test('an error inside the stream is an event', () => {
    const decoder = openAiChat.decodeStream();
    expect(decoder.push('', '{"error":{"message":"no","code":"429"}}')).toEqual([
      { type: 'error', message: 'no', code: '429', status: 429 },
    ]);
  });
});

describe('whole answers', () => {
  test('are the sum of their events', () => {
    const body = openAiChat.encodeResponse(decodeAll()) as {
      choices: { message: Record<string, unknown> }[];
    };
    expect(body).toMatchObject({ id: 'x', object: 'chat.completion', usage });
    expect(body.choices[0]).toMatchObject({
      finish_reason: 'tool_calls',
      message: {
        content: 'Hello 世界',
        reasoning_content: 'hm',
        tool_calls: [
          { id: 'a', function: { name: 'one', arguments: '{}' } },
          { id: 'b', function: { name: 'two', arguments: '{"x":1}' } },
        ],
      },
    });
    expect(openAiChat.encodeResponse(openAiChat.decodeResponse(body))).toEqual(body);
  });

  test('tools with finish reason stop end as tool calls', () => {
    const events: CanonicalEvent[] = [
      { type: 'tool-call-delta', choice: 0, index: 0, id: 'a', name: 'n', arguments: '' },
      { type: 'finish', choice: 0, reason: 'stop', raw: 'stop' },
    ];
    expect(openAiChat.encodeResponse(events)).toMatchObject({ choices: [{ finish_reason: 'tool_calls' }] });
  });
});
