// Details of calls and schemas that clients of one format meet at upstreams of another.
import { expect, test } from 'bun:test';
import { codecOf, decodeAll, encodeAll, framesOf } from '#tests/support/formats.ts';
import type { CanonicalEvent, ConversionNote } from './canonical.ts';
import { member, text, type Json } from './json.ts';

test.each([[[]], [['content_block_start', 'content_block_stop']]])(
  'a call that stands in the start of a message is not lost, and counts once when %p repeat it (W34)',
  (repeating) => {
    const call = { type: 'tool_use', id: 'toolu_1', name: 'weather', input: { city: 'Rome' } };
    const events = decodeAll(codecOf('anthropic-messages'), [
      { type: 'message_start', message: { id: 'msg_1', model: 'm', content: [call], usage: {} } },
      ...repeating.map((type) => ({ type, index: 0, content_block: call })),
      { type: 'message_delta', delta: { stop_reason: 'tool_use' }, usage: { output_tokens: 3 } },
    ]);
    const chat = codecOf('openai-chat').encodeResponse(events) as { choices: Json[] };
    expect(chat.choices).toMatchObject([
      {
        finish_reason: 'tool_calls',
        message: {
          tool_calls: [{ id: 'toolu_1', function: { name: 'weather', arguments: '{"city":"Rome"}' } }],
        },
      },
    ]);
    expect(member(chat.choices[0]?.['message'])['tool_calls']).toHaveLength(1);
  },
);

test('the text of a custom tool reaches a Messages caller as JSON, streamed and whole (W36)', () => {
  const call = { type: 'tool-call-delta', choice: 0, index: 0 } as const;
  const events: CanonicalEvent[] = [
    { ...call, id: 'call_1', name: 'shell', arguments: 'echo "a', isCustom: true },
    { ...call, arguments: '"\n\\ 😀' },
    { type: 'finish', choice: 0, reason: 'tool_calls', raw: 'tool_calls' },
  ];
  const input = { input: 'echo "a"\n\\ 😀' };
  const frames = framesOf(encodeAll('anthropic-messages', events)).map(
    ({ data }) => JSON.parse(data) as Json,
  );
  const json = frames.map(({ delta }) => text(member(delta)['partial_json'])).join('');
  expect(JSON.parse(json)).toEqual(input);
  const whole = codecOf('anthropic-messages').encodeResponse(events);
  expect(whole).toMatchObject({ content: [{ type: 'tool_use', input }] });
});

test('Gemini gets the caller’s own schema when its older kind would lose a part of it (W38)', () => {
  const convert = (parameters: Json): { tools: unknown; notes: ConversionNote[] } => {
    const notes: ConversionNote[] = [];
    const tools = [{ type: 'function', function: { name: 'find', parameters } }];
    const messages = [{ role: 'user', content: 'Hi' }];
    const request = codecOf('openai-chat').decodeRequest({ model: 'gemini-2.5-pro', messages, tools }, notes);
    return { tools: member(codecOf('gemini-generate').encodeRequest(request, notes))['tools'], notes };
  };
  const plain = { type: 'object', properties: { city: { type: 'string' } }, required: ['city'] };
  expect(convert(plain).tools).toMatchObject([{ functionDeclarations: [{ parameters: plain }] }]);
  const rich = {
    type: 'object',
    properties: { mail: { type: 'string', format: 'email' } },
    patternProperties: { '^x-': { type: 'string' } },
  };
  const { tools, notes } = convert(rich);
  expect(tools).toEqual([{ functionDeclarations: [{ name: 'find', parametersJsonSchema: rich }] }]);
  expect(notes).toEqual([]);
});

test.each(['openai-chat', 'openai-responses', 'gemini-generate'])(
  'tools that a Messages client runs are functions for %s, and a summary of the conversation is text (W39)',
  (to) => {
    const notes: ConversionNote[] = [];
    const request = codecOf('anthropic-messages').decodeRequest(
      {
        model: 'm',
        max_tokens: 100,
        tools: [
          { type: 'bash_20250124', name: 'bash' },
          { type: 'text_editor_20250728', name: 'str_replace_based_edit_tool', max_characters: 500 },
          { type: 'computer_20250124', name: 'computer', display_width_px: 1024, display_height_px: 768 },
        ],
        messages: [
          { role: 'user', content: 'Build it.' },
          { role: 'assistant', content: [{ type: 'compaction', content: 'The bridge is half built.' }] },
          { role: 'user', content: 'Go on.' },
        ],
      },
      notes,
    );
    const sent = JSON.stringify(codecOf(to).encodeRequest(request, notes));
    expect(sent).toContain('"name":"bash"');
    expect(sent).toContain('"name":"str_replace_based_edit_tool"');
    expect(sent).toContain('"name":"computer"');
    expect(sent).toContain('1024 pixels wide and 768 high');
    expect(sent).toContain('The bridge is half built.');
    expect(
      notes.filter(({ field }) => field !== 'max_tokens').map(({ field, what }) => `${field} ${what}`),
    ).toEqual([
      'content.compaction approximated',
      'tools.bash_20250124 approximated',
      'tools.text_editor_20250728 approximated',
      'tools.text_editor_20250728.max_characters dropped',
      'tools.computer_20250124 approximated',
    ]);
  },
);
