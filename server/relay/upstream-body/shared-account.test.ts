import { expect, test } from 'bun:test';
import type { Format } from '#server/models/providers/provider.ts';
import { RelayError } from '#server/relay/errors/relay-error.ts';
import { namedObjects, refuseSharedObjects } from './shared-account.ts';

const fieldOf = (format: Format, value: Record<string, unknown>, own?: ReadonlySet<string>): unknown => {
  try {
    refuseSharedObjects(format, value, own);
    return 'passes';
  } catch (error) {
    return error instanceof RelayError ? error.options.param : error;
  }
};

const user = (part: unknown) => [{ role: 'user', content: [part] }];
const file = { type: 'file', file_id: 'file_1' };
const googleFile = 'https://generativelanguage.googleapis.com/v1beta/files/abc';
const gemini = (part: unknown) => ({ contents: [{ parts: [part] }] });

const cases: [Format, Record<string, unknown>, string][] = [
  ['openai-responses', { conversation: 'conv_1' }, 'conversation'],
  ['openai-responses', { conversation: { id: 'conv_1' } }, 'conversation'],
  ['openai-responses', { conversation: 7 }, 'conversation'],
  ['openai-responses', { prompt: { id: 'pmpt_1' } }, 'prompt'],
  ['openai-responses', { input: [{ type: 'item_reference', id: 'msg_1' }] }, 'input[0]'],
  ['openai-responses', { input: [{ type: 'item_reference' }] }, 'input[0]'],
  ['openai-responses', { input: [{ id: 'msg_1' }] }, 'input[0]'],
  ['openai-responses', { input: [{ type: null, id: 'msg_1' }] }, 'input[0]'],
  ['openai-responses', { input: [{ type: 'image_generation_call', id: 'ig_1' }] }, 'input[0]'],
  [
    'openai-responses',
    { input: user({ type: 'input_file', file_id: 'file-1' }) },
    'input[0].content[0].file_id',
  ],
  [
    'openai-responses',
    { input: [{ type: 'function_call_output', output: [{ type: 'input_image', file_id: 'file-1' }] }] },
    'input[0].output[0].file_id',
  ],
  [
    'openai-responses',
    { input: [{ type: 'computer_call_output', output: { file_id: 'file-1' } }] },
    'input[0].output.file_id',
  ],
  [
    'openai-responses',
    { input: [{ type: 'code_interpreter_call', container_id: 'cntr_1' }] },
    'input[0].container_id',
  ],
  [
    'openai-responses',
    { tools: [{ type: 'file_search', vector_store_ids: ['vs_1'] }] },
    'tools[0].vector_store_ids',
  ],
  ['openai-responses', { tools: [{ type: 'code_interpreter', container: 'cntr_1' }] }, 'tools[0].container'],
  [
    'openai-responses',
    { tools: [{ type: 'code_interpreter', container: { type: 'auto', file_ids: ['file-1'] } }] },
    'tools[0].container.file_ids',
  ],
  [
    'openai-responses',
    { tools: [{ type: 'shell', environment: { type: 'container_reference', container_id: 'cntr_1' } }] },
    'tools[0].environment.container_id',
  ],
  [
    'openai-responses',
    { tools: [{ type: 'shell', environment: { skills: [{ type: 'skill_reference', skill_id: 's_1' }] } }] },
    'tools[0].environment.skills[0]',
  ],
  [
    'openai-responses',
    { tools: [{ type: 'image_generation', input_image_mask: { file_id: 'file-1' } }] },
    'tools[0].input_image_mask.file_id',
  ],
  [
    'openai-chat',
    { messages: user({ type: 'file', file: { file_id: 'file-1' } }) },
    'messages[0].content[0].file.file_id',
  ],
  [
    'openai-chat',
    { extra_body: { google: { cached_content: 'cachedContents/1' } } },
    'extra_body.google.cached_content',
  ],
  ['openai-images', { images: [{ file_id: 'file-1' }] }, 'images[0].file_id'],
  ['openai-images', { mask: { file_id: 'file-1' } }, 'mask.file_id'],
  ['openai-realtime', { type: 'session.update', session: { prompt: { id: 'pmpt_1' } } }, 'session.prompt'],
  ['openai-realtime', { type: 'response.create', response: { prompt: { id: 'pmpt_1' } } }, 'response.prompt'],
  ['anthropic-messages', { container: 'container_1' }, 'container'],
  ['anthropic-messages', { container: { id: 'container_1' } }, 'container.id'],
  [
    'anthropic-messages',
    { container: { skills: [{ type: 'custom', skill_id: 'skill_1' }] } },
    'container.skills[0]',
  ],
  [
    'anthropic-messages',
    { messages: user({ type: 'document', source: file }) },
    'messages[0].content[0].source.file_id',
  ],
  [
    'anthropic-messages',
    { messages: user({ type: 'container_upload', file_id: 'file_1' }) },
    'messages[0].content[0].file_id',
  ],
  [
    'anthropic-messages',
    { messages: user({ type: 'tool_result', content: [{ type: 'image', source: file }] }) },
    'messages[0].content[0].content[0].source.file_id',
  ],
  [
    'anthropic-messages',
    { messages: user({ type: 'document', source: { type: 'content', content: [{ source: file }] } }) },
    'messages[0].content[0].source.content[0].source.file_id',
  ],
  ['gemini-generate', { cachedContent: 'cachedContents/1' }, 'cachedContent'],
  ['gemini-generate', { cached_content: 'cachedContents/1' }, 'cached_content'],
  ['gemini-generate', gemini({ fileData: { fileUri: googleFile } }), 'contents[0].parts[0].fileData.fileUri'],
  [
    'gemini-generate',
    gemini({ file_data: { file_uri: 'files/abc' } }),
    'contents[0].parts[0].file_data.file_uri',
  ],
  [
    'gemini-generate',
    gemini({ fileData: { fileUri: 'gs://bucket/a.pdf' } }),
    'contents[0].parts[0].fileData.fileUri',
  ],
  // Google reads one object where a list is meant.
  [
    'gemini-generate',
    { contents: { parts: { fileData: { fileUri: googleFile } } } },
    'contents.parts.fileData.fileUri',
  ],
  [
    'gemini-generate',
    gemini({ functionResponse: { parts: [{ fileData: { fileUri: googleFile } }] } }),
    'contents[0].parts[0].functionResponse.parts[0].fileData.fileUri',
  ],
  [
    'gemini-generate',
    { tools: [{ fileSearch: { fileSearchStoreNames: ['fileSearchStores/1'] } }] },
    'tools[0].fileSearch.fileSearchStoreNames',
  ],
  ['gemini-generate', { tools: [{ retrieval: { vertexRagStore: {} } }] }, 'tools[0].retrieval'],
];

test.each(cases)(
  '%s: an object of the account that all users share cannot be named: %o (S24)',
  (format, value, field) => {
    expect(fieldOf(format, value)).toBe(field);
  },
);

test('what carries its own content, or is public, passes (S24)', () => {
  const passing: [Format, Record<string, unknown>][] = [
    ['openai-responses', { input: 'hi', conversation: null, prompt: null }],
    [
      'openai-responses',
      { input: user({ type: 'input_file', file_data: 'data:application/pdf;base64,AA==' }) },
    ],
    ['openai-responses', { input: 'hi', tools: [{ type: 'code_interpreter', container: { type: 'auto' } }] }],
    [
      'openai-responses',
      {
        tools: [
          {
            type: 'shell',
            environment: { type: 'local', skills: [{ name: 'a', path: '/a', description: '' }] },
          },
        ],
      },
    ],
    ['openai-responses', { input: [{ type: 'image_generation_call', id: 'ig_1', result: 'iVBO' }] }],
    ['openai-responses', { input: 'hi', tools: [{ type: 'function', name: 'f', parameters: {} }] }],
    // Arguments of a tool are the caller's own words.
    [
      'anthropic-messages',
      { messages: user({ type: 'tool_use', id: 't', name: 'f', input: { file_id: 'file_1' } }) },
    ],
    ['anthropic-messages', { container: { skills: [{ type: 'anthropic', skill_id: 'pdf' }] } }],
    ['gemini-generate', gemini({ fileData: { fileUri: 'https://www.youtube.com/watch?v=x' } })],
    ['gemini-generate', gemini({ functionCall: { name: 'f', args: { fileData: { fileUri: 'files/1' } } } })],
    [
      'openai-chat',
      { messages: user({ type: 'file', file: { file_data: 'data:application/pdf;base64,AA==' } }) },
    ],
  ];
  for (const [format, value] of passing) expect([value, fieldOf(format, value)]).toEqual([value, 'passes']);
});

test('what is known as the caller’s own may be named; all of it must be (S24)', () => {
  const value = {
    input: [
      { type: 'item_reference', id: 'msg_mine' },
      { type: 'item_reference', id: 'msg_other' },
    ],
  };
  expect(namedObjects('openai-responses', value)).toEqual(['msg_mine', 'msg_other']);
  expect(fieldOf('openai-responses', value, new Set(['msg_mine']))).toBe('input[1]');
  expect(fieldOf('openai-responses', value, new Set(['msg_mine', 'msg_other']))).toBe('passes');
});
