// Replays what Claude Code, Codex and Gemini CLI send: headers, betas, discovery, counting, tools and their results,
// compaction. Each client must work on an upstream of every format.
import { afterAll, beforeAll, describe, expect, test } from 'bun:test';
import { zstdCompressSync } from 'node:zlib';
import { CHANNEL_TYPE } from '#contract/relay/channel-type.ts';
import { startRelay, type RelayHarness, type TestToken } from '#tests/integration/relay/calls/harness.ts';
import { behaviourMessage } from '#mock/upstream/index.ts';

type Json = Record<string, unknown>;

const models = ['gpt-4o', 'o3-pro', 'claude-opus-4-5', 'gemini-3-pro-preview'];

let relay: RelayHarness;
let token: TestToken;

beforeAll(async () => {
  relay = await startRelay();
  for (const [type, model] of [
    [53, models[0]],
    [1, models[1]],
    [14, models[2]],
    [24, models[3]],
  ] as const)
    await relay.channel({ type, models: [model ?? ''] });
  token = await relay.token();
});
afterAll(() => relay[Symbol.asyncDispose]());

async function events(response: Response): Promise<{ event: string; data: Json }[]> {
  const text = await response.text();
  expect(response.status === 200 ? '' : text).toBe('');
  return text
    .split('\n\n')
    .filter((block) => block.includes('data: {'))
    .map((block) => ({
      event: /^event: (.*)$/m.exec(block)?.[1] ?? '',
      data: JSON.parse(/^data: (.*)$/m.exec(block)?.[1] ?? '{}') as Json,
    }));
}

describe('Claude Code', () => {
  const headers = () => ({
    Authorization: `Bearer ${token.key}`,
    'Content-Type': 'application/json',
    'anthropic-version': '2023-06-01',
    'anthropic-beta':
      'claude-code-20250219,interleaved-thinking-2025-05-14,fine-grained-tool-streaming-2025-05-14',
    'anthropic-dangerous-direct-browser-access': 'true',
    'User-Agent': 'claude-cli/2.1.0 (external, cli)',
    'x-app': 'cli',
    'X-Stainless-Lang': 'js',
    'X-Stainless-Retry-Count': '0',
  });
  const send = (path: string, body: Json) =>
    fetch(relay.url + path, { method: 'POST', headers: headers(), body: JSON.stringify(body) });
  const request = (model: string, messages: Json[]): Json => ({
    model,
    max_tokens: 32_000,
    stream: true,
    metadata: { user_id: 'user_0123_account__session_4567' },
    system: [
      { type: 'text', text: 'You are Claude Code.', cache_control: { type: 'ephemeral' } },
      { type: 'text', text: 'Working directory: /repo', cache_control: { type: 'ephemeral' } },
    ],
    thinking: { type: 'enabled', budget_tokens: 31_999 },
    tools: [
      {
        name: 'Bash',
        description: 'Runs a command',
        input_schema: {
          $schema: 'http://json-schema.org/draft-07/schema#',
          type: 'object',
          properties: { command: { type: 'string' }, timeout: { type: 'number', exclusiveMinimum: 0 } },
          required: ['command'],
          additionalProperties: false,
        },
      },
      {
        name: 'mcp__files__read',
        input_schema: { type: 'object', properties: { path: { type: 'string' } } },
      },
    ],
    messages,
  });
  const user = {
    role: 'user',
    content: [
      { type: 'text', text: behaviourMessage({ reasoning: 'I list the files.' }, 'What is here?') },
      {
        type: 'text',
        text: '<system-reminder>Be brief.</system-reminder>',
        cache_control: { type: 'ephemeral' },
      },
    ],
  };

  test.each(models)('a turn with a tool and the turn after it, on %p', async (model) => {
    const first = await events(await send('/v1/messages?beta=true', request(model, [user])));
    expect(first[0]).toMatchObject({ event: 'message_start', data: { message: { role: 'assistant' } } });
    expect(first.at(-1)?.event).toBe('message_stop');
    const blocks: Json[] = [];
    for (const { event, data } of first) {
      const index = Number(data['index']);
      if (event === 'content_block_start') blocks[index] = { ...(data['content_block'] as Json), json: '' };
      const block = blocks[index];
      if (event !== 'content_block_delta' || block === undefined) continue;
      const delta = data['delta'] as Record<string, string>;
      if (delta['type'] === 'thinking_delta')
        block['thinking'] = `${String(block['thinking'])}${delta['thinking']}`;
      if (delta['type'] === 'signature_delta') block['signature'] = delta['signature'];
      if (delta['type'] === 'text_delta') block['text'] = `${String(block['text'])}${delta['text']}`;
      if (delta['type'] === 'input_json_delta')
        block['json'] = `${String(block['json'])}${delta['partial_json']}`;
    }
    const content = blocks.map(({ json, ...block }) =>
      block['type'] === 'tool_use' ? { ...block, input: JSON.parse(String(json) || '{}') as Json } : block,
    );
    const calls = content.filter(({ type }) => type === 'tool_use') as Json[];
    expect(calls[0]).toMatchObject({ name: 'Bash', input: { command: 'sample' } });
    const results = calls.map(({ id }) => ({ type: 'tool_result', tool_use_id: id, content: 'README.md' }));
    const second = await events(
      await send(
        '/v1/messages?beta=true',
        request(model, [user, { role: 'assistant', content }, { role: 'user', content: results }]),
      ),
    );
    expect(second.at(-1)?.event).toBe('message_stop');
    expect(JSON.stringify(second)).toContain('"end_turn"');
  });

  test.each(models)('counts tokens and finds its models, with %p', async (model) => {
    const { stream: _stream, max_tokens: _limit, metadata: _metadata, ...rest } = request(model, [user]);
    const counted = await send('/v1/messages/count_tokens?beta=true', rest);
    expect(((await counted.json()) as Json)['input_tokens']).toBeGreaterThan(20);
    const listed = await fetch(`${relay.url}/v1/models?limit=1000`, { headers: headers() });
    const { data, has_more } = (await listed.json()) as { data: Json[]; has_more: boolean };
    expect(has_more).toBe(false);
    expect(data.find(({ id }) => id === model)).toMatchObject({ type: 'model', display_name: model });
  });

  test('its betas reach an Anthropic upstream untouched', async () => {
    await events(await send('/v1/messages?beta=true', request('claude-opus-4-5', [user])));
    const seen = relay.mock.requests.at(-1);
    expect(seen?.headers).toMatchObject({
      'anthropic-beta': headers()['anthropic-beta'],
      'anthropic-version': '2023-06-01',
    });
    expect(seen?.headers).not.toHaveProperty('x-app');
    expect(seen?.body).toEqual(request('claude-opus-4-5', [user]));
  });
});

describe('Codex', () => {
  const send = (path: string, body: Json, more: Record<string, string> = {}, bytes?: Uint8Array) =>
    fetch(relay.url + path, {
      method: 'POST',
      headers: {
        Authorization: `Bearer ${token.key}`,
        'Content-Type': 'application/json',
        'OpenAI-Beta': 'responses=experimental',
        originator: 'codex_cli_rs',
        session_id: '0198c0de-0000-7000-8000-000000000000',
        Accept: 'text/event-stream',
        'User-Agent': 'codex_cli_rs/0.50.0 (Debian 12; x86_64) unknown',
        ...more,
      },
      body: bytes === undefined ? JSON.stringify(body) : new Uint8Array(bytes),
    });
  const request = (model: string, input: Json[]): Json => ({
    model,
    instructions: 'You are Codex.',
    input,
    tools: [
      {
        type: 'function',
        name: 'shell',
        description: 'Runs a shell command',
        strict: false,
        parameters: {
          type: 'object',
          properties: { command: { type: 'array', items: { type: 'string' } } },
          required: ['command'],
          additionalProperties: false,
        },
      },
      {
        type: 'custom',
        name: 'apply_patch',
        description: 'Edits files',
        format: { type: 'grammar', syntax: 'lark', definition: 'start: "x"' },
      },
      { type: 'web_search' },
    ],
    tool_choice: 'auto',
    parallel_tool_calls: false,
    reasoning: { effort: 'medium', summary: 'auto' },
    store: false,
    stream: true,
    include: ['reasoning.encrypted_content'],
    prompt_cache_key: '0198c0de-0000-7000-8000-000000000000',
    text: { verbosity: 'low' },
  });
  const opening = (text: string): Json[] => [
    {
      type: 'message',
      role: 'developer',
      content: [{ type: 'input_text', text: '<permissions>…</permissions>' }],
    },
    { type: 'message', role: 'user', content: [{ type: 'input_text', text: '<environment_context/>' }] },
    { type: 'message', role: 'user', content: [{ type: 'input_text', text }] },
  ];

  test.each(models)('a turn with a tool and the turn after it, on %p', async (model) => {
    const question = behaviourMessage(
      { reasoning: 'I look around.', toolCalls: [{ name: 'shell', arguments: '{"command":["ls"]}' }] },
      'ls',
    );
    const first = await events(await send('/v1/responses', request(model, opening(question))));
    const done = first.at(-1);
    expect(done?.event).toBe('response.completed');
    const added = first.filter(({ event }) => event === 'response.output_item.added').length;
    const items = first.filter(({ event }) => event === 'response.output_item.done');
    expect(added).toBe(items.length);
    // Codex reads the items from their own events, not from the last one.
    const output = items.map(({ data }) => data['item'] as Json);
    const call = output.find(({ type }) => type === 'function_call');
    expect(call).toMatchObject({ name: 'shell', arguments: '{"command":["ls"]}' });
    const result = { type: 'function_call_output', call_id: call?.['call_id'], output: '{"output":"a.ts"}' };
    const input = [...opening(behaviourMessage({ text: 'There is a.ts.' }, 'ls')), ...output, result];
    const second = await events(await send('/v1/responses', request(model, input)));
    expect(JSON.stringify(second.at(-1)?.data)).toContain('There is a.ts.');
  });

  test.each(models)('a tool of free text comes back as one, on %p', async (model) => {
    const isNative = model === 'o3-pro';
    const patch = '*** Begin Patch\n*** End Patch';
    // Upstreams without plain-text tools get a function with one field.
    const call = { name: 'apply_patch', arguments: JSON.stringify({ input: patch }) };
    const question = behaviourMessage(isNative ? { text: 'no' } : { toolCalls: [call] }, 'patch it');
    const answer = await events(await send('/v1/responses', request(model, opening(question))));
    expect(answer.at(-1)?.event).toBe('response.completed');
    if (!isNative) expect(JSON.stringify(answer.at(-1)?.data)).toContain(JSON.stringify(patch).slice(1, -1));
  });

  test.each(models)('compaction on %p', async (model) => {
    const {
      stream: _stream,
      store: _store,
      include: _include,
      ...rest
    } = request(model, opening('Long story.'));
    const response = await send('/v1/responses/compact', rest);
    const { output, object } = (await response.json()) as { output: Json[]; object: string };
    expect(object).toBe('response.compaction');
    expect(JSON.stringify(output)).toContain('Long story.');
    const isNative = model === 'o3-pro';
    if (isNative) expect(output.at(-1)?.['type']).toBe('compaction');
    else expect(JSON.stringify(output.at(-1))).toContain('Summary of the conversation');
    // The returned items must be accepted in the next request.
    const next = await events(await send('/v1/responses', request(model, [...output, ...opening('Go on.')])));
    expect(next.at(-1)?.event).toBe('response.completed');
  });

  test('a body packed with zstd', async () => {
    const body = request('claude-opus-4-5', opening('hi'));
    const bytes = zstdCompressSync(Buffer.from(JSON.stringify(body)));
    const answer = await events(await send('/v1/responses', body, { 'Content-Encoding': 'zstd' }, bytes));
    expect(answer.at(-1)?.event).toBe('response.completed');
  });
});

describe('Gemini CLI', () => {
  const send = (path: string, body: Json) =>
    fetch(relay.url + path, {
      method: 'POST',
      headers: {
        'x-goog-api-key': token.key,
        'Content-Type': 'application/json',
        'User-Agent': 'GeminiCLI/0.12.0/gemini-2.5-pro (linux; x64)',
        'x-goog-api-client': 'google-genai-sdk/1.16.0 gl-node/v22',
        'x-gemini-api-privileged-user-id': 'b1b1b1b1',
      },
      body: JSON.stringify(body),
    });
  const request = (contents: Json[]): Json => ({
    contents,
    systemInstruction: { role: 'user', parts: [{ text: 'You are an interactive CLI agent.' }] },
    tools: [
      {
        functionDeclarations: [
          {
            name: 'run_shell_command',
            description: 'Runs a command',
            parametersJsonSchema: {
              type: 'object',
              properties: { command: { type: 'string' }, dir_path: { type: 'string' } },
              required: ['command'],
            },
          },
        ],
      },
    ],
    generationConfig: {
      temperature: 1,
      topP: 0.95,
      topK: 64,
      thinkingConfig: { includeThoughts: true, thinkingBudget: 8192 },
    },
  });
  const user = {
    role: 'user',
    parts: [{ text: behaviourMessage({ reasoning: 'Files first.' }, 'What is here?') }],
  };

  test.each(models)('a turn with a tool and the turn after it, on %p', async (model) => {
    const path = `/v1beta/models/${model}:streamGenerateContent?alt=sse`;
    const first = await events(await send(path, request([user])));
    const parts = first.flatMap(({ data }) => {
      const [candidate] = (data['candidates'] ?? []) as { content?: { parts?: Json[] } }[];
      return candidate?.content?.parts ?? [];
    });
    const call = parts.find((part) => 'functionCall' in part);
    expect(call?.['functionCall']).toMatchObject({ name: 'run_shell_command', args: { command: 'sample' } });
    const { id, name } = (call?.['functionCall'] ?? {}) as Json;
    const result = { functionResponse: { id, name, response: { output: 'README.md' } } };
    // The CLI sends its history without reasoning.
    const kept = parts.filter((part) => part['thought'] !== true && part['text'] !== '');
    const second = await events(
      await send(path, request([user, { role: 'model', parts: kept }, { role: 'user', parts: [result] }])),
    );
    expect(JSON.stringify(second)).toContain('"finishReason":"STOP"');
    expect(second.at(-1)?.data).toHaveProperty('usageMetadata');
  });

  test.each(models)('counting, and the JSON it decides with, on %p', async (model) => {
    const counted = await send(`/v1beta/models/${model}:countTokens`, { contents: [user] });
    expect(((await counted.json()) as Json)['totalTokens']).toBeGreaterThan(3);
    const decided = await send(`/v1beta/models/${model}:generateContent`, {
      contents: [{ role: 'user', parts: [{ text: 'Who speaks next?' }] }],
      generationConfig: {
        temperature: 0,
        responseMimeType: 'application/json',
        responseJsonSchema: {
          type: 'object',
          properties: {
            reasoning: { type: 'string' },
            next_speaker: { type: 'string', enum: ['user', 'model'] },
          },
          required: ['reasoning', 'next_speaker'],
        },
      },
    });
    const answer = (await decided.json()) as { candidates: { content: { parts: { text: string }[] } }[] };
    const parts = answer.candidates[0]?.content.parts ?? [];
    expect(JSON.parse(parts.map(({ text }) => text).join(''))).toEqual({
      reasoning: 'sample',
      next_speaker: 'user',
    });
  });

  // The CLI chooses models by itself, and the choice changes with its versions: 3.1 instead of 3, a small model that rates the
  // question. It retries a 503 five times over a minute, and continues without the model after a 404.
  test('a model without a channel is a 404, one with a disabled channel a 503', async () => {
    const id = await relay.channel({
      type: CHANNEL_TYPE.gemini,
      models: ['gemini-2.5-flash'],
      fields: { status: 3 },
    });
    await relay.store.db.updateTable('abilities').set({ enabled: 0 }).where('channel_id', '=', id).execute();
    await relay.relay.reload();
    const statusOf = async (model: string, verb: string) => {
      const response = await send(`/v1beta/models/${model}:${verb}`, { contents: [user] });
      const { error } = (await response.json()) as { error: Json };
      expect(error['message']).toContain(model);
      return [response.status, error['code'], error['status']];
    };
    // The second model has no price either.
    for (const model of ['gemini-3.5-flash-lite', 'gemini-99-flash'])
      for (const verb of ['generateContent', 'streamGenerateContent?alt=sse', 'countTokens'])
        expect(await statusOf(model, verb)).toEqual([404, 404, 'NOT_FOUND']);
    expect(await statusOf('gemini-2.5-flash', 'generateContent')).toEqual([503, 503, 'UNAVAILABLE']);
  });

  test.each(models)('its sorting of questions, with types in capitals, on %p', async (model) => {
    const response = await send(`/v1beta/models/${model}:generateContent`, {
      contents: [{ role: 'user', parts: [{ text: 'say hello' }] }],
      systemInstruction: { role: 'user', parts: [{ text: 'You sort tasks.' }] },
      generationConfig: {
        temperature: 1,
        topP: 0.95,
        topK: 64,
        responseMimeType: 'application/json',
        responseJsonSchema: {
          type: 'OBJECT',
          properties: {
            complexity_reasoning: { type: 'STRING', description: 'Brief explanation for the score.' },
            complexity_score: { type: 'INTEGER', description: 'Complexity score from 1-100.' },
          },
          required: ['complexity_reasoning', 'complexity_score'],
        },
        thinkingConfig: { includeThoughts: true, thinkingLevel: 'HIGH' },
      },
    });
    const answer = (await response.json()) as { candidates: { content: { parts: { text: string }[] } }[] };
    const parts = answer.candidates[0]?.content.parts ?? [];
    expect(JSON.parse(parts.map(({ text }) => text).join(''))).toEqual({
      complexity_reasoning: 'sample',
      complexity_score: expect.any(Number) as number,
    });
  });
});
