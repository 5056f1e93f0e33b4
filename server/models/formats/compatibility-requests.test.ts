// The points of requests where gateways go wrong, one test for each.
import { describe, expect, test } from 'bun:test';
import type { Json } from './json.ts';
import { codecOf, convert, encodeAll, objectsOf } from '#tests/support/formats.ts';

const chat = 'openai-chat';
const responses = 'openai-responses';
const anthropic = 'anthropic-messages';
const gemini = 'gemini-generate';

const user = { role: 'user', content: 'Hi' };
const weather = {
  name: 'weather',
  description: 'd',
  parameters: { type: 'object', properties: { city: { type: 'string' } }, required: ['city'] },
};
const chatTool = { type: 'function', function: weather };

describe('compatibility 7: thoughts and their proofs on the way back', () => {
  const turns = (thinking: Json[]): Json => ({
    model: 'claude-sonnet-4-20250514',
    max_tokens: 4000,
    thinking: { type: 'enabled', budget_tokens: 2000 },
    tools: [{ name: 'weather', input_schema: weather.parameters }],
    messages: [
      user,
      {
        role: 'assistant',
        content: [...thinking, { type: 'tool_use', id: 'a', name: 'weather', input: {} }],
      },
      { role: 'user', content: [{ type: 'tool_result', tool_use_id: 'a', content: 'sunny' }] },
    ],
  });

  test('a signed thought goes back to Claude as it came, through any caller’s format', () => {
    const details = [
      { type: 'reasoning.text', text: 'Hm', signature: 'S1', format: 'anthropic-claude-v1' },
      { type: 'reasoning.encrypted', data: 'R1', format: 'anthropic-claude-v1' },
    ];
    const message = { role: 'assistant', content: 'x', reasoning_details: details };
    const wanted = [
      { type: 'thinking', thinking: 'Hm', signature: 'S1' },
      { type: 'redacted_thinking', data: 'R1' },
      { type: 'text', text: 'x' },
    ];
    const fromChat = convert(chat, anthropic, { model: 'claude', messages: [user, message] });
    expect(fromChat.body).toMatchObject({ messages: [{}, { content: wanted }] });
    const fromResponses = convert(responses, anthropic, {
      model: 'claude',
      input: [
        { role: 'user', content: 'Hi' },
        {
          type: 'reasoning',
          id: 'rs_1',
          summary: [{ type: 'summary_text', text: 'Hm' }],
          encrypted_content: 'tg1.anthropic..S1',
        },
        { type: 'reasoning', id: 'rs_2', summary: [], encrypted_content: 'tg1.anthropic!..R1' },
        { role: 'assistant', content: 'x' },
      ],
    });
    expect(fromResponses.body).toMatchObject({ messages: [{}, { content: wanted }] });
    const fromGemini = convert(gemini, anthropic, {
      model: 'claude',
      contents: [
        { role: 'user', parts: [{ text: 'Hi' }] },
        {
          role: 'model',
          parts: [
            {
              text: 'Hm',
              thought: true,
              thoughtSignature: Buffer.from('tg1.anthropic..S1').toString('base64'),
            },
            {
              text: '',
              thought: true,
              thoughtSignature: Buffer.from('tg1.anthropic!..R1').toString('base64'),
            },
            { text: 'x' },
          ],
        },
      ],
    });
    expect(fromGemini.body).toMatchObject({ messages: [{}, { content: wanted }] });
  });

  test('a thought without Claude’s signature never goes to Claude', () => {
    const message = { role: 'assistant', content: 'x', reasoning_content: 'unsigned' };
    const { body, noted } = convert(chat, anthropic, { model: 'claude', messages: [user, message, user] });
    expect(JSON.stringify(body)).not.toContain('unsigned');
    expect(noted).toContain('dropped content.reasoning');
  });

  test('thinking is not asked for when the calls so far lack their thoughts', () => {
    const lacking = convert(anthropic, anthropic, turns([]));
    expect(lacking.body).not.toHaveProperty('thinking');
    expect(lacking.noted).toContain('dropped reasoning');
    const signed = convert(
      anthropic,
      anthropic,
      turns([{ type: 'thinking', thinking: 'Hm', signature: 'S' }]),
    );
    expect(signed.body).toMatchObject({ thinking: { type: 'enabled', budget_tokens: 2000 } });
  });
});

describe('compatibility 8: Gemini’s signature of a call', () => {
  const geminiParts = (body: Json): Json[] => (body['contents'] as { parts: Json[] }[])[1]?.parts ?? [];

  test('comes back from chat, from Anthropic’s and from Responses’ thoughts', () => {
    const call = { id: 'a', type: 'function', function: { name: 'weather', arguments: '{}' } };
    const signed = { ...call, extra_content: { google: { thought_signature: 'G1' } } };
    const fromChat = convert(chat, gemini, {
      model: 'gemini-3-pro',
      messages: [
        user,
        { role: 'assistant', tool_calls: [signed] },
        { role: 'tool', tool_call_id: 'a', content: 'x' },
      ],
    });
    const fromAnthropic = convert(anthropic, gemini, {
      model: 'gemini-3-pro',
      messages: [
        user,
        {
          role: 'assistant',
          content: [
            { type: 'thinking', thinking: '', signature: 'tg1.google..G1' },
            { type: 'tool_use', id: 'a', name: 'weather', input: {} },
          ],
        },
        { role: 'user', content: [{ type: 'tool_result', tool_use_id: 'a', content: 'x' }] },
      ],
    });
    const fromResponses = convert(responses, gemini, {
      model: 'gemini-3-pro',
      input: [
        { role: 'user', content: 'Hi' },
        { type: 'reasoning', id: 'rs_1', summary: [], encrypted_content: 'tg1.google..G1' },
        { type: 'function_call', call_id: 'a', name: 'weather', arguments: '{}' },
        { type: 'function_call_output', call_id: 'a', output: 'x' },
      ],
    });
    for (const { body } of [fromChat, fromAnthropic, fromResponses])
      expect(geminiParts(body)).toEqual([
        { functionCall: { name: 'weather', args: {} }, thoughtSignature: 'G1' },
      ]);
  });

  test('does not go to models that refuse what they do not know', () => {
    const contents = [
      { role: 'user', parts: [{ text: 'Hi' }] },
      { role: 'model', parts: [{ functionCall: { name: 'weather', args: {} }, thoughtSignature: 'G1' }] },
      {
        role: 'user',
        parts: [{ functionResponse: { id: 'made-up', name: 'weather', response: { output: 'x' } } }],
      },
    ];
    const sent = convert(gemini, chat, { model: 'gpt-4o', contents }).body;
    expect(JSON.stringify(sent)).not.toContain('G1');
    // The client numbered the result only; it still finds its call.
    expect(sent).toMatchObject({
      messages: [{}, { tool_calls: [{ id: 'call_0' }] }, { tool_call_id: 'call_0' }],
    });
    const routed = convert(gemini, chat, { model: 'google/gemini-3-pro', contents }).body;
    expect(JSON.stringify(routed)).toContain('"thought_signature":"G1"');
  });

  test('is replaced by Google’s own word where it was lost', () => {
    const call = (id: string): Json => ({
      id,
      type: 'function',
      function: { name: 'weather', arguments: '{}' },
    });
    const messages = [user, { role: 'assistant', tool_calls: [call('a'), call('b')] }];
    const { body } = convert(chat, gemini, { model: 'gemini-3-pro', messages });
    expect(geminiParts(body).map((part) => part['thoughtSignature'])).toEqual([
      'skip_thought_signature_validator',
      undefined,
    ]);
    expect(JSON.stringify(convert(chat, gemini, { model: 'gemini-2.5-pro', messages }).body)).not.toContain(
      'skip_',
    );
  });
});

describe('compatibility 10: what OpenAI keeps encrypted', () => {
  const reasoning = { type: 'reasoning', id: 'rs_1', summary: [], encrypted_content: 'E1' };

  test('loses its id but not its content when nothing is stored', () => {
    const input = [{ role: 'user', content: 'Hi' }, reasoning];
    const unstored = convert(responses, responses, { model: 'gpt-5', store: false, input });
    expect((unstored.body['input'] as Json[])[1]).toEqual({
      type: 'reasoning',
      summary: [],
      encrypted_content: 'E1',
    });
    const stored = convert(responses, responses, { model: 'gpt-5', store: true, input });
    expect((stored.body['input'] as Json[])[1]).toEqual(reasoning);
  });

  test('comes back through Anthropic’s blocks, and others’ thoughts do not', () => {
    const { body, noted } = convert(anthropic, responses, {
      model: 'gpt-5',
      messages: [
        user,
        {
          role: 'assistant',
          content: [
            { type: 'thinking', thinking: 'Hm', signature: 'claude’s own' },
            { type: 'redacted_thinking', data: 'tg1.openai!.rs_1.E.1' },
          ],
        },
        user,
      ],
    });
    expect((body['input'] as Json[])[1]).toEqual({
      type: 'reasoning',
      summary: [],
      encrypted_content: 'E.1',
    });
    expect(noted).toContain('dropped content.reasoning');
    expect(body).toMatchObject({ store: false, include: ['reasoning.encrypted_content'] });
  });

  test('a conversation kept elsewhere is not lost in silence', () => {
    const body = { model: 'm', input: 'Hi', previous_response_id: 'resp_1' };
    for (const format of [chat, anthropic, gemini])
      expect(convert(responses, format, body).noted.join()).toMatch(/dropped previous_?[rR]esponse/);
  });
});

describe('compatibility 11: cache_control survives', () => {
  const cache_control = { type: 'ephemeral', ttl: '1h' };
  const marked = {
    model: 'claude-sonnet-4-5',
    max_tokens: 10,
    system: [{ type: 'text', text: 's', cache_control }],
    tools: [{ name: 't', input_schema: { type: 'object' }, cache_control }],
    messages: [
      { role: 'user', content: [{ type: 'text', text: 'Hi', cache_control }] },
      {
        role: 'assistant',
        content: [{ type: 'tool_use', id: 'a', name: 't', input: { cache_control: 'mine' } }],
      },
      { role: 'user', content: [{ type: 'tool_result', tool_use_id: 'a', content: 'x', cache_control }] },
    ],
  };

  test('on instructions, messages, tools and results, and never inside arguments', () => {
    expect(convert(anthropic, anthropic, marked).body).toEqual(marked);
    const { body } = convert(anthropic, chat, marked);
    expect(body).toMatchObject({
      messages: [
        { role: 'system', content: [{ cache_control }] },
        { role: 'user', content: [{ cache_control }] },
        { tool_calls: [{ function: { arguments: '{"cache_control":"mine"}' } }] },
        { role: 'tool', cache_control },
      ],
      tools: [{ cache_control }],
    });
    expect(convert(chat, anthropic, body).body).toMatchObject({
      system: marked.system,
      tools: marked.tools,
      messages: marked.messages,
    });
  });

  test('is dropped with a note where the upstream would refuse it', () => {
    const { body, noted } = convert(anthropic, chat, { ...marked, model: 'gpt-4o' });
    expect(JSON.stringify(body['messages'])).not.toContain('ephemeral');
    expect(noted).toContain('dropped cache_control');
  });
});

describe('compatibility 12: who may call what', () => {
  const tools = [chatTool, { type: 'function', function: { ...weather, name: 'time' } }];
  const choices: [unknown, Json][] = [
    ['auto', { type: 'auto' }],
    ['required', { type: 'any' }],
    ['none', { type: 'none' }],
    [
      { type: 'function', function: { name: 'time' } },
      { type: 'tool', name: 'time' },
    ],
  ];

  test('choices go to Anthropic and back', () => {
    for (const [given, wanted] of choices) {
      const { body } = convert(chat, anthropic, {
        model: 'claude',
        messages: [user],
        tools,
        tool_choice: given,
      });
      expect(body['tool_choice']).toEqual(wanted);
      expect(convert(anthropic, chat, body).body['tool_choice']).toEqual(given);
    }
  });

  test('parallel_tool_calls is disable_parallel_tool_use turned round', () => {
    const { body } = convert(chat, anthropic, {
      model: 'claude',
      messages: [user],
      tools,
      parallel_tool_calls: false,
    });
    expect(body['tool_choice']).toEqual({ type: 'auto', disable_parallel_tool_use: true });
    expect(convert(anthropic, chat, body).body['parallel_tool_calls']).toBe(false);
    expect(convert(anthropic, responses, body).body['parallel_tool_calls']).toBe(false);
  });

  test('a list of allowed tools is kept to, with a note', () => {
    const choice = {
      type: 'allowed_tools',
      allowed_tools: { mode: 'required', tools: [{ type: 'function', function: { name: 'time' } }] },
    };
    const given = { model: 'm', messages: [user], tools, tool_choice: choice };
    const claude = convert(chat, anthropic, given);
    expect(claude.body).toMatchObject({ tools: [{ name: 'time' }], tool_choice: { type: 'any' } });
    expect(claude.noted).toContain('approximated tool_choice');
    expect(convert(chat, gemini, given).body).toMatchObject({
      toolConfig: { functionCallingConfig: { mode: 'ANY', allowedFunctionNames: ['time'] } },
    });
    expect(convert(chat, responses, given).body['tool_choice']).toEqual({
      type: 'allowed_tools',
      mode: 'required',
      tools: [{ type: 'function', name: 'time' }],
    });
  });
});

describe('compatibility 13: tools that are not the caller’s', () => {
  test('a web search becomes each provider’s own; a computer is dropped by name', () => {
    const tools = [{ type: 'web_search', filters: { allowed_domains: ['a.com'] } }, { type: 'computer' }];
    const claude = convert(responses, anthropic, { model: 'claude', input: 'Hi', tools });
    expect(claude.body['tools']).toEqual([
      { type: 'web_search_20250305', name: 'web_search', allowed_domains: ['a.com'] },
    ]);
    expect(claude.noted).toContain('dropped tools.computer');
    expect(convert(responses, gemini, { model: 'g', input: 'Hi', tools }).body['tools']).toEqual([
      { googleSearch: {} },
    ]);
    const plain = convert(responses, chat, { model: 'm', input: 'Hi', tools });
    expect(plain.body).not.toHaveProperty('tools');
    expect(plain.noted).toEqual(['dropped tools.web_search', 'dropped tools.computer']);
  });

  test('a function by the name of Google’s own tool is that tool', () => {
    const search = { type: 'function', function: { name: 'googleSearch' } };
    const { body, noted } = convert(chat, gemini, {
      model: 'gemini-2.5-pro',
      messages: [user],
      tools: [search],
    });
    expect(body['tools']).toEqual([{ googleSearch: {} }]);
    expect(noted).toEqual(['renamed tools.googleSearch']);
  });

  test('a group’s tools get names of their own and come back under the caller’s', () => {
    const group = (name: string): Json => ({
      type: 'namespace',
      name,
      description: 'd',
      tools: [{ type: 'function', name: 'a__b', parameters: weather.parameters, strict: true }],
    });
    const body = { model: 'claude', input: 'Hi', tools: [group('x'), group('x__a')] };
    const names = (convert(responses, anthropic, body).body['tools'] as Json[]).map((tool) =>
      String(tool['name']),
    );
    expect(new Set(names).size).toBe(2);
    const request = codecOf(responses).decodeRequest(body, []);
    const wire = encodeAll(
      responses,
      [{ type: 'tool-call-delta', choice: 0, index: 0, id: 'c', name: names[1] ?? '', arguments: '{}' }],
      { request },
    );
    expect(objectsOf(wire).at(-1)).toMatchObject({
      response: { output: [{ name: 'a__b', namespace: 'x__a' }] },
    });
  });

  test('a tool of free text takes JSON elsewhere and comes back as text', () => {
    const body = { model: 'claude', input: 'Hi', tools: [{ type: 'custom', name: 'apply_patch' }] };
    const { body: sent, noted } = convert(responses, anthropic, body);
    expect(sent).toMatchObject({ tools: [{ name: 'apply_patch', input_schema: { required: ['input'] } }] });
    expect(noted).toContain('approximated tools.apply_patch');
    const request = codecOf(responses).decodeRequest(body, []);
    const events = [
      {
        type: 'tool-call-delta',
        choice: 0,
        index: 0,
        id: 'c',
        name: 'apply_patch',
        arguments: '{"input":"*** Be',
      },
      { type: 'tool-call-delta', choice: 0, index: 0, arguments: 'gin"}' },
    ] as const;
    const told2 = objectsOf(encodeAll(responses, events, { request }));
    expect(told2.at(-1)).toMatchObject({
      response: { output: [{ type: 'custom_tool_call', input: '*** Begin' }] },
    });
    expect(told2.map((event) => event['type'])).toContain('response.custom_tool_call_input.done');
  });

  test('a name that others refuse is replaced on the way in and put back on the way out', () => {
    const given = 'server.tool/with spaces';
    const body = {
      model: 'gpt-4o',
      contents: [{ parts: [{ text: 'Hi' }] }],
      tools: [{ functionDeclarations: [{ name: given }] }],
    };
    const [tool] = convert(gemini, chat, body).body['tools'] as { function: { name: string } }[];
    expect(tool?.function.name).toMatch(/^[A-Za-z0-9_-]{1,64}$/);
    const request = codecOf(gemini).decodeRequest(body, []);
    const event = {
      type: 'tool-call-delta',
      choice: 0,
      index: 0,
      name: tool?.function.name,
      arguments: '{}',
    } as const;
    expect(codecOf(gemini).encodeResponse([event], { includeUsage: true, request })).toMatchObject({
      candidates: [{ content: { parts: [{ functionCall: { name: given } }] } }],
    });
  });
});

describe('compatibility 14: instructions and turns', () => {
  const messages = [
    { role: 'system', content: 'One.' },
    { role: 'developer', content: 'Two.' },
    { role: 'user', content: 'Hi' },
    { role: 'user', content: 'there' },
    { role: 'system', content: 'Three.' },
    { role: 'assistant', content: 'Yes?' },
    { role: 'user', content: 'Go' },
  ];

  test('all are collected for Claude and Gemini, and equal turns become one', () => {
    const claude = convert(chat, anthropic, { model: 'claude', messages });
    expect(claude.body).toMatchObject({
      system: [{ text: 'One.' }, { text: 'Two.' }, { text: 'Three.' }],
      messages: [
        { role: 'user', content: [{ text: 'Hi' }, { text: 'there' }] },
        { role: 'assistant', content: 'Yes?' },
        { role: 'user', content: 'Go' },
      ],
    });
    expect(claude.noted).toContain('approximated messages.system');
    const google = convert(chat, gemini, { model: 'gemini', messages });
    expect(google.body['systemInstruction']).toEqual({
      parts: [{ text: 'One.' }, { text: 'Two.' }, { text: 'Three.' }],
    });
  });

  test('Responses keep them where they stood, and one text stays a text', () => {
    const { body } = convert(chat, responses, { model: 'm', messages });
    expect(body['instructions']).toBe('One.');
    expect((body['input'] as Json[]).map((item) => item['role'])).toEqual([
      'developer',
      'user',
      'user',
      'system',
      'assistant',
      'user',
    ]);
    const single = convert(chat, anthropic, { model: 'claude', messages: [messages[0], user] });
    expect(single.body['system']).toBe('One.');
  });

  test('a conversation begins with the user', () => {
    const { body, noted } = convert(chat, anthropic, {
      model: 'claude',
      messages: [{ role: 'assistant', content: 'Hi' }, user],
    });
    expect((body['messages'] as Json[])[0]).toMatchObject({ role: 'user' });
    expect(noted).toContain('approximated messages');
  });
});
