// One call in four dialects, and the code that sends it: the code has the body that the dialect has, to the letter.
import { describe, expect, test } from 'bun:test';
import type { ModelParameters } from '#contract/admin/playground.ts';
import { callOf, type Call, type CallMessage } from '#web/features/playground/call.ts';
import {
  geminiArguments,
  pythonLiteral,
  requestCode,
  withoutData,
} from '#web/features/playground/code-samples.ts';
import { chatRequest } from '#web/features/playground/request.ts';
import { defaultSettings, type PlaygroundSettings } from '#web/features/playground/settings.ts';
import { EXAMPLE_TOOL } from '#web/features/playground/tools.ts';
import { DIALECTS, requestIn } from './index.ts';

const facts: ModelParameters = {
  model: 'm',
  context: 0,
  max_output: 8000,
  sampling: 'always',
  highest_temperature: 2,
  takes_both_samplings: true,
  has_penalties: true,
  has_seed: true,
  has_stop: true,
  efforts: [],
  usual_effort: '',
  reasons_by: 'effort',
  has_verbosity: false,
  limit_name: 'max_tokens',
};

const messages: readonly CallMessage[] = [
  {
    role: 'user',
    parts: [
      { type: 'text', text: "it's this" },
      { type: 'image', mediaType: 'image/png', data: 'AA==' },
      { type: 'pdf', name: 'a.pdf', data: 'UERG' },
      { type: 'audio', mediaType: 'audio/mpeg', data: 'SUQz' },
    ],
  },
  { role: 'assistant', text: '', calls: [{ id: 'c1', name: 'get_weather', arguments: '{"city":"Oslo"}' }] },
  { role: 'tool', id: 'c1', name: 'get_weather', result: 'sunny' },
];

const call = (part: Partial<PlaygroundSettings> = {}, known = facts, given = messages): Call =>
  callOf({ ...defaultSettings(), ...part }, 'm', known, 'be brief', given);

const SERVER = 'https://shop.example';

describe('attachments and tools have the form of the dialect', () => {
  const whole = call({ tools: [EXAMPLE_TOOL], format: 'schema', schema: '{"type":"object"}' });

  test('OpenAI Chat', () => {
    const { path, body } = requestIn('chat', whole);
    expect(path).toBe('/v1/chat/completions');
    expect(body['messages']).toEqual([
      { role: 'system', content: 'be brief' },
      {
        role: 'user',
        content: [
          { type: 'text', text: "it's this" },
          { type: 'image_url', image_url: { url: 'data:image/png;base64,AA==' } },
          { type: 'file', file: { filename: 'a.pdf', file_data: 'data:application/pdf;base64,UERG' } },
          { type: 'input_audio', input_audio: { data: 'SUQz', format: 'mp3' } },
        ],
      },
      {
        role: 'assistant',
        content: null,
        tool_calls: [
          { id: 'c1', type: 'function', function: { name: 'get_weather', arguments: '{"city":"Oslo"}' } },
        ],
      },
      { role: 'tool', tool_call_id: 'c1', content: 'sunny' },
    ]);
    expect(body['response_format']).toMatchObject({ json_schema: { schema: { type: 'object' } } });
    expect(body).toHaveProperty(['tools', 0, 'function', 'name'], 'get_weather');
  });

  test('OpenAI Responses', () => {
    const { path, body } = requestIn('responses', whole);
    expect(path).toBe('/v1/responses');
    expect(body).toMatchObject({ instructions: 'be brief', store: false });
    expect(body['input']).toMatchObject([
      {
        content: [
          { type: 'input_text' },
          { type: 'input_image' },
          { type: 'input_file' },
          { type: 'input_audio' },
        ],
      },
      { type: 'function_call', call_id: 'c1' },
      { type: 'function_call_output', call_id: 'c1', output: 'sunny' },
    ]);
    expect(body).toHaveProperty(['text', 'format', 'type'], 'json_schema');
  });

  test('Anthropic Messages has no sound, and says so', () => {
    const { path, body, lost, headers } = requestIn('messages', whole);
    expect(path).toBe('/v1/messages');
    expect(headers('k')).toMatchObject({ 'x-api-key': 'k', 'anthropic-version': '2023-06-01' });
    expect(body).toMatchObject({ system: 'be brief', max_tokens: 8000 });
    expect(body['messages']).toMatchObject([
      { role: 'user', content: [{ type: 'text' }, { type: 'image' }, { type: 'document', title: 'a.pdf' }] },
      { role: 'assistant', content: [{ type: 'tool_use', id: 'c1', input: { city: 'Oslo' } }] },
      { role: 'user', content: [{ type: 'tool_result', tool_use_id: 'c1', content: 'sunny' }] },
    ]);
    expect(body).toHaveProperty(['output_config', 'format', 'type'], 'json_schema');
    expect(lost).toEqual(['audio']);
  });

  test('Gemini', () => {
    const { path, body } = requestIn('gemini', whole);
    expect(path).toBe('/v1beta/models/m:streamGenerateContent?alt=sse');
    expect(body['contents']).toMatchObject([
      {
        role: 'user',
        parts: [
          { text: "it's this" },
          { inlineData: { mimeType: 'image/png', data: 'AA==' } },
          { inlineData: { mimeType: 'application/pdf' } },
          { inlineData: { mimeType: 'audio/mpeg' } },
        ],
      },
      { role: 'model', parts: [{ functionCall: { name: 'get_weather', args: { city: 'Oslo' } } }] },
      { role: 'user', parts: [{ functionResponse: { name: 'get_weather', response: { result: 'sunny' } } }] },
    ]);
    expect(body).toHaveProperty(['generationConfig', 'responseJsonSchema'], { type: 'object' });
  });
});

describe('a model gets the parameters that it takes, and no other', () => {
  const set = {
    effort: 'high',
    stop: 'END\n',
    maxTokens: 50,
    extras: { top_p: 0.3, seed: 4, presence_penalty: 1 },
  };

  test('all of them', () => {
    expect(requestIn('chat', call(set)).body).toMatchObject({
      temperature: 0.5,
      max_tokens: 50,
      top_p: 0.3,
      seed: 4,
      presence_penalty: 1,
      stop: ['END'],
    });
    expect(requestIn('chat', call(set)).body).not.toHaveProperty('reasoning_effort');
  });

  test('a model that reasons gets its effort and the new limit, no sampling, no seed, no penalties', () => {
    const reasoning: ModelParameters = {
      ...facts,
      sampling: 'never',
      has_penalties: false,
      has_seed: false,
      has_stop: false,
      efforts: ['low', 'high'],
      limit_name: 'max_completion_tokens',
    };
    const sent = chatRequest(call(set, reasoning), 'default');
    expect(sent).toMatchObject({ reasoning_effort: 'high', max_completion_tokens: 50 });
    for (const name of ['temperature', 'top_p', 'seed', 'presence_penalty', 'stop', 'max_tokens'])
      expect(sent).not.toHaveProperty(name);
  });

  test('sampling is left out while the model reasons, and comes back without an effort', () => {
    const mixed: ModelParameters = { ...facts, sampling: 'without_effort', efforts: ['none', 'high'] };
    expect(requestIn('chat', call(set, mixed)).body).not.toHaveProperty('temperature');
    expect(requestIn('chat', call({ ...set, effort: 'none' }, mixed)).body).toHaveProperty('temperature');
    expect(requestIn('chat', call({ ...set, effort: '' }, mixed)).body).toHaveProperty('temperature');
  });

  test('where temperature and top_p exclude each other, the one that was switched on is sent', () => {
    const { body } = requestIn('chat', call(set, { ...facts, takes_both_samplings: false }));
    expect(body).toHaveProperty('top_p', 0.3);
    expect(body).not.toHaveProperty('temperature');
  });

  test('an effort is a word or a number of tokens, as the vendor has it', () => {
    const words: ModelParameters = { ...facts, efforts: ['high'] };
    const counts: ModelParameters = { ...words, reasons_by: 'budget' };
    const wanted = { effort: 'high' };
    expect(requestIn('responses', call(wanted, words)).body['reasoning']).toEqual({ effort: 'high' });
    expect(requestIn('messages', call(wanted, words)).body['output_config']).toEqual({ effort: 'high' });
    expect(requestIn('messages', call(wanted, counts)).body['thinking']).toEqual({
      type: 'enabled',
      budget_tokens: 7999,
    });
    const thinking = ['generationConfig', 'thinkingConfig'];
    expect(requestIn('gemini', call(wanted, words)).body).toHaveProperty(thinking, { thinkingLevel: 'high' });
    expect(requestIn('gemini', call(wanted, counts)).body).toHaveProperty(thinking, {
      thinkingBudget: 16_384,
    });
  });
});

describe('the code is the request', () => {
  test('what the playground sends is Chat’s code, with the group and the wish for usage', () => {
    const { group, stream_options, max_tokens, ...sent } = chatRequest(call(), 'vip');
    expect({ group, stream_options, max_tokens }).toEqual({
      group: 'vip',
      stream_options: { include_usage: true },
      max_tokens: 0,
    });
    expect(sent).toEqual(requestIn('chat', call()).body as typeof sent);
  });

  test.each([...DIALECTS])('%s by curl', (dialect) => {
    const request = requestIn(dialect, call({ tools: [EXAMPLE_TOOL] }));
    const code = requestCode('curl', dialect, SERVER, request);
    expect(code).toContain(`curl -N '${SERVER}${request.path}'`);
    const [, body = ''] = /-d '([\s\S]*)'$/.exec(code) ?? [];
    expect(JSON.parse(body.replaceAll("'\\''", "'"))).toEqual(request.body);
  });

  test.each([...DIALECTS])('%s by JavaScript', (dialect) => {
    const request = requestIn(dialect, call({ tools: [EXAMPLE_TOOL] }));
    const code = requestCode('node', dialect, SERVER, request);
    const [, given = ''] = /(?:create|generateContentStream)\(([\s\S]*?)\);\nfor await/.exec(code) ?? [];
    const expected = dialect === 'gemini' ? geminiArguments(request.path, request.body) : request.body;
    expect(JSON.parse(given)).toEqual(expected);
  });

  test.each([...DIALECTS])('%s by Python', (dialect) => {
    const request = requestIn(dialect, call());
    const code = requestCode('python', dialect, SERVER, request);
    const expected = dialect === 'gemini' ? geminiArguments(request.path, request.body) : request.body;
    for (const [name, value] of Object.entries(expected))
      expect(code).toContain(`    ${name}=${pythonLiteral(value, dialect === 'gemini')},`);
    expect(code).not.toContain('undefined');
  });

  test('Google’s Python library gets bytes, JavaScript the text', () => {
    const request = requestIn('gemini', call());
    expect(requestCode('python', 'gemini', SERVER, request)).toContain('"data": base64.b64decode("AA==")');
    expect(requestCode('node', 'gemini', SERVER, request)).toContain('"data": "AA=="');
  });

  test('a large attachment is cut on the screen only', () => {
    const long = 'A'.repeat(5000);
    const words = 'word '.repeat(200);
    expect(withoutData({ a: [{ data: long }], text: words })).toEqual({
      a: [{ data: `${'A'.repeat(60)}…` }],
      text: words,
    });
  });
});
