// Findings of clients and captured traffic (W…) that concern the codecs alone.
import { describe, expect, test } from 'bun:test';
import { codecOf, decodeAll, encodeAll, objectsOf } from '#tests/support/formats.ts';
import { withoutBillingLine } from './anthropic-messages/billing-line.ts';
import { bedrockConverse } from './bedrock-converse/index.ts';
import type { CanonicalEvent, ConversionNote } from './canonical.ts';
import type { UpstreamCodec } from './codec.ts';
import { gather } from './gather.ts';
import type { Json } from './json.ts';

function convert(
  from: string,
  to: string | UpstreamCodec,
  body: Json,
): { sent: Json; notes: ConversionNote[] } {
  const notes: ConversionNote[] = [];
  const upstream = typeof to === 'string' ? codecOf(to) : to;
  const sent = upstream.encodeRequest(codecOf(from).decodeRequest(body, notes), notes) as Json;
  return { sent, notes };
}

const tool = (name: string) => ({ type: 'function', name, parameters: { type: 'object', properties: {} } });
const user = (content: unknown) => ({ role: 'user', content });

describe('W5 allowed tools', () => {
  const responses = (mode: string) => ({
    model: 'm',
    input: 'Hi',
    tools: [tool('read'), tool('write'), tool('run')],
    tool_choice: {
      type: 'allowed_tools',
      mode,
      tools: [
        { type: 'function', name: 'read' },
        { type: 'function', name: 'run' },
      ],
    },
  });

  test('W5 Responses to Chat and Converse sends the allowed tools only', () => {
    const { sent } = convert('openai-responses', 'openai-chat', responses('required'));
    expect(sent['tools']).toMatchObject([{ function: { name: 'read' } }, { function: { name: 'run' } }]);
    expect(sent['tool_choice']).toBe('required');
    const converse = convert('openai-responses', bedrockConverse, responses('auto')).sent['toolConfig'];
    expect(converse).toEqual({
      tools: [
        { toolSpec: { name: 'read', inputSchema: { json: { type: 'object', properties: {} } } } },
        { toolSpec: { name: 'run', inputSchema: { json: { type: 'object', properties: {} } } } },
      ],
    });
  });

  test('W5 Gemini to Chat', () => {
    const { sent, notes } = convert('gemini-generate', 'openai-chat', {
      model: 'm',
      contents: [{ role: 'user', parts: [{ text: 'Hi' }] }],
      tools: [{ functionDeclarations: [{ name: 'read' }, { name: 'write' }, { name: 'run' }] }],
      toolConfig: { functionCallingConfig: { mode: 'ANY', allowedFunctionNames: ['read', 'write'] } },
    });
    expect(sent['tools']).toMatchObject([{ function: { name: 'read' } }, { function: { name: 'write' } }]);
    expect(notes).toContainEqual(expect.objectContaining({ field: 'tool_choice', what: 'approximated' }));
  });
});

test('W7 every piece of a custom tool’s input is custom in a Chat stream', () => {
  const frames = [
    { type: 'response.created', response: { id: 'resp_1', model: 'm', created_at: 1 } },
    {
      type: 'response.output_item.added',
      output_index: 0,
      item: { type: 'custom_tool_call', call_id: 'call_1', name: 'patch', input: '' },
    },
    { type: 'response.custom_tool_call_input.delta', output_index: 0, delta: 'one ' },
    { type: 'response.custom_tool_call_input.delta', output_index: 0, delta: 'two' },
  ];
  const events = decodeAll(codecOf('openai-responses'), frames);
  const pieces = objectsOf(encodeAll('openai-chat', events)).flatMap(({ choices }) =>
    (choices as { delta: { tool_calls?: Json[] } }[]).flatMap(({ delta }) => delta.tool_calls ?? []),
  );
  expect(pieces).toEqual([
    { index: 0, id: 'call_1', type: 'custom', custom: { name: 'patch', input: '' } },
    { index: 0, custom: { input: 'one ' } },
    { index: 0, custom: { input: 'two' } },
  ]);
});

test('W13 Claude Code’s billing line is left out, the instructions stay', () => {
  const line = 'x-anthropic-billing-header: cc_version=2.1.9; cc_entrypoint=cli; cch=9c2f1;';
  const instructionsOf = (system: unknown) => {
    const body = { model: 'm', max_tokens: 9, system, messages: [user('Hi')] };
    return withoutBillingLine(codecOf('anthropic-messages').decodeRequest(body, [])).messages.map(
      ({ content }) => content.map((part) => (part.type === 'text' ? part.text : '')),
    );
  };
  const blocks = [
    { type: 'text', text: line },
    { type: 'text', text: 'You are Claude Code.' },
  ];
  expect(instructionsOf(blocks)).toEqual([['You are Claude Code.'], ['Hi']]);
  expect(instructionsOf(`${line}\n\nBe kind.`)).toEqual([['Be kind.'], ['Hi']]);
  expect(instructionsOf(line)).toEqual([['Hi']]);
  expect(instructionsOf('Say x-anthropic-billing-header: no')).toEqual([
    ['Say x-anthropic-billing-header: no'],
    ['Hi'],
  ]);
});

test('W14 service tiers that OpenAI does not have become default', () => {
  const events: CanonicalEvent[] = [
    { type: 'start', id: 'x', model: 'm', created: 1, serviceTier: 'standard' },
    { type: 'text-delta', choice: 0, text: 'Hi' },
    { type: 'finish', choice: 0, reason: 'stop', raw: 'end_turn' },
  ];
  for (const format of ['openai-chat', 'openai-responses']) {
    expect(codecOf(format).encodeResponse(events)).toMatchObject({ service_tier: 'default' });
    expect(encodeAll(format, events)).not.toContain('standard');
    expect(encodeAll(format, events)).toContain('"service_tier":"default"');
  }
});

describe('W15 turns in which nothing is left', () => {
  const history = [
    user('one'),
    { role: 'assistant', content: [{ type: 'thinking', thinking: 'Hm', signature: 'x' }] },
    user('two'),
  ];
  const messages = { model: 'deepseek-chat', max_tokens: 9, messages: history };

  test('W15 towards Chat the turn is left out and its neighbours become one', () => {
    const { sent, notes } = convert('anthropic-messages', 'openai-chat', messages);
    expect(sent['messages']).toEqual([user('one\n\ntwo')]);
    expect(notes).toContainEqual(expect.objectContaining({ field: 'content.reasoning', what: 'dropped' }));
    const search = { type: 'web_search_call', id: 'ws_1', status: 'completed' };
    const input = [{ type: 'message', ...user('one') }, search, { type: 'message', ...user('two') }];
    expect(convert('openai-responses', 'openai-chat', { model: 'm', input }).sent['messages']).toEqual([
      user('one\n\ntwo'),
    ]);
  });

  test('W15 towards Anthropic and Gemini turns alternate', () => {
    const input = [user('one'), { role: 'assistant', content: null, reasoning_content: 'Hm' }, user('two')];
    const chat = { model: 'm', messages: input };
    expect(convert('openai-chat', 'anthropic-messages', chat).sent['messages']).toEqual([
      user([
        { type: 'text', text: 'one' },
        { type: 'text', text: 'two' },
      ]),
    ]);
    const search = { type: 'web_search_call', id: 'ws_1', status: 'completed' };
    const items = [{ type: 'message', ...user('one') }, search, { type: 'message', ...user('two') }];
    expect(
      convert('openai-responses', 'gemini-generate', { model: 'm', input: items }).sent['contents'],
    ).toEqual([{ role: 'user', parts: [{ text: 'one' }, { text: 'two' }] }]);
  });
});

describe('W16 Converse', () => {
  test('W16 calls of the past bring their tools', () => {
    const { sent } = convert('openai-chat', bedrockConverse, {
      model: 'm',
      messages: [
        user('Weather?'),
        {
          role: 'assistant',
          content: null,
          tool_calls: [{ id: 'call_1', type: 'function', function: { name: 'weather', arguments: '{}' } }],
        },
        { role: 'tool', tool_call_id: 'call_1', content: 'Rain' },
      ],
    });
    expect(sent['toolConfig']).toEqual({
      tools: [{ toolSpec: { name: 'weather', inputSchema: { json: { type: 'object' } } } }],
    });
  });

  test('W16 a prompt of instructions only is a question', () => {
    const { sent } = convert('openai-chat', bedrockConverse, {
      model: 'm',
      messages: [{ role: 'system', content: 'Say hello.' }],
    });
    expect(sent).toEqual({ messages: [user([{ text: 'Say hello.' }])] });
  });

  test('W16 a schema is carried by a forced tool, and its call is the answer', () => {
    const schema = { type: 'object', properties: { city: { type: 'string' } } };
    const { sent, notes } = convert('openai-chat', bedrockConverse, {
      model: 'm',
      messages: [user('Where?')],
      response_format: { type: 'json_schema', json_schema: { name: 'place', schema } },
    });
    expect(notes).toEqual([]);
    expect(sent['toolConfig']).toMatchObject({
      tools: [{ toolSpec: { name: 'structured_answer', inputSchema: { json: schema } } }],
      toolChoice: { tool: { name: 'structured_answer' } },
    });
    const toolUse = { toolUseId: 'x', name: 'structured_answer', input: { city: 'Oslo' } };
    const whole = bedrockConverse.decodeResponse({
      output: { message: { role: 'assistant', content: [{ toolUse }] } },
      stopReason: 'tool_use',
    });
    const streamed = decodeAll(bedrockConverse, [
      { event: 'messageStart', data: '{"role":"assistant"}' },
      {
        event: 'contentBlockStart',
        data: JSON.stringify({ contentBlockIndex: 0, start: { toolUse: { name: 'structured_answer' } } }),
      },
      {
        event: 'contentBlockDelta',
        data: JSON.stringify({ contentBlockIndex: 0, delta: { toolUse: { input: '{"city":"Oslo"}' } } }),
      },
      { event: 'contentBlockStop', data: '{"contentBlockIndex":0}' },
      { event: 'messageStop', data: '{"stopReason":"tool_use"}' },
    ]);
    for (const events of [whole, streamed]) {
      const [choice] = [...gather(events).choices.values()];
      expect(choice).toMatchObject({ reason: 'stop', blocks: [{ type: 'text', text: '{"city":"Oslo"}' }] });
    }
  });
});

test('W11 a newer model keeps its reasoning effort towards Responses', () => {
  const chat = (model: string) =>
    convert('openai-chat', 'openai-responses', { model, messages: [user('Hi')], reasoning_effort: 'high' });
  expect(chat('gpt-9-nova').sent).toMatchObject({
    reasoning: { effort: 'high' },
    include: ['reasoning.encrypted_content'],
  });
  expect(chat('gpt-4o').sent['reasoning']).toBeUndefined();
});

test('W9 safety_identifier and metadata reach every target that has a place for them', () => {
  const asked = { messages: [user('Hi')], safety_identifier: 'person', metadata: { team: 'a' } };
  expect(convert('openai-chat', 'openai-responses', { model: 'gpt-5.1', ...asked }).sent).toMatchObject({
    safety_identifier: 'person',
    metadata: { team: 'a' },
  });
  expect(convert('openai-chat', 'anthropic-messages', { model: 'm', ...asked }).sent['metadata']).toEqual({
    user_id: 'person',
  });
  const responses = { model: 'gpt-5.1', input: 'Hi', safety_identifier: 'person' };
  expect(convert('openai-responses', 'openai-chat', responses).sent['safety_identifier']).toBe('person');
  const { sent, notes } = convert('openai-responses', 'openai-chat', { ...responses, model: 'qwen3' });
  expect(sent['safety_identifier']).toBeUndefined();
  expect(notes).toContainEqual(expect.objectContaining({ field: 'safety_identifier', what: 'dropped' }));
});

describe('W18 attachments', () => {
  const attachmentsLost = (from: string, to: string | UpstreamCodec, body: Json) =>
    convert(from, to, body)
      .notes.filter(({ isAttachment }) => isAttachment)
      .map(({ field }) => field);

  test('W18 an attachment that the upstream cannot take is marked, history of the assistant is not', () => {
    const audio = { type: 'input_audio', input_audio: { data: 'AA==', format: 'wav' } };
    expect(
      attachmentsLost('openai-chat', 'anthropic-messages', { model: 'm', messages: [user([audio])] }),
    ).toEqual(['content.audio']);
    const video = { fileData: { mimeType: 'video/mp4', fileUri: 'https://x.example/a.mp4' } };
    const contents = [{ role: 'user', parts: [video] }];
    expect(attachmentsLost('gemini-generate', 'anthropic-messages', { model: 'm', contents })).toEqual([
      'content.video',
    ]);
    const file = { type: 'input_file', file_url: 'https://x.example/a.pdf' };
    expect(attachmentsLost('openai-responses', 'openai-chat', { model: 'm', input: [user([file])] })).toEqual(
      ['content.file'],
    );
    const images = [{ type: 'image_url', image_url: { url: 'data:image/png;base64,AA==' } }];
    const messages = [user('Draw'), { role: 'assistant', content: 'Here', images }, user('More')];
    for (const to of ['anthropic-messages', 'openai-responses', bedrockConverse])
      expect(attachmentsLost('openai-chat', to, { model: 'm', messages })).toEqual([]);
  });
});

describe('W19', () => {
  test('W19 sound from Gemini’s callers has the format that Chat needs', () => {
    const speechConfig = { voiceConfig: { prebuiltVoiceConfig: { voiceName: 'alloy' } } };
    const body = {
      model: 'gpt-audio',
      contents: [{ role: 'user', parts: [{ text: 'Hi' }] }],
      generationConfig: { responseModalities: ['AUDIO'], speechConfig },
    };
    expect(convert('gemini-generate', 'openai-chat', body).sent['audio']).toEqual({
      voice: 'alloy',
      format: 'wav',
    });
    expect(convert('gemini-generate', 'openai-chat', { ...body, stream: true }).sent['audio']).toMatchObject({
      format: 'pcm16',
    });
  });

  test('W19 tools that come amid a Responses conversation are sent', () => {
    const input = [user('Hi'), { type: 'additional_tools', role: 'developer', tools: [tool('late')] }];
    const { sent } = convert('openai-responses', 'openai-chat', {
      model: 'm',
      input,
      tools: [tool('early')],
    });
    expect(sent['tools']).toMatchObject([{ function: { name: 'early' } }, { function: { name: 'late' } }]);
    expect(sent['messages']).toEqual([user('Hi')]);
  });

  test('W19 message_start has the cache counts that strict clients read', () => {
    const [start] = objectsOf(
      encodeAll('anthropic-messages', [{ type: 'start', id: 'x', model: 'm', created: 1 }]),
    );
    expect(start).toMatchObject({
      message: { usage: { cache_creation_input_tokens: 0, cache_read_input_tokens: 0 } },
    });
  });
});
