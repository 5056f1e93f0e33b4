import { expect, test } from 'bun:test';
import { RelayError } from '#server/relay/errors/relay-error.ts';
import { refuseSharedObjects } from './shared-account.ts';

const fieldOf = (value: Record<string, unknown>): unknown => {
  try {
    refuseSharedObjects(value);
    return 'passes';
  } catch (error) {
    return error instanceof RelayError ? error.options.param : error;
  }
};

test('an object of the account that all users share cannot be named (S24)', () => {
  const cases: [Record<string, unknown>, string][] = [
    [{ conversation: 'conv_1' }, 'conversation'],
    [{ conversation: { id: 'conv_1' } }, 'conversation'],
    [{ prompt: { id: 'pmpt_1' } }, 'prompt'],
    [{ input: [{ type: 'item_reference', id: 'msg_1' }] }, 'input[0]'],
    [{ input: [{ role: 'user', content: [{ type: 'input_file', file_id: 'file-1' }] }] }, 'input[0].file_id'],
    [
      { input: [{ type: 'function_call_output', output: [{ type: 'input_image', file_id: 'file-1' }] }] },
      'input[0].file_id',
    ],
    [{ tools: [{ type: 'file_search', vector_store_ids: ['vs_1'] }] }, 'tools[0].vector_store_ids'],
    [{ tools: [{ type: 'code_interpreter', container: 'cntr_1' }] }, 'tools[0].container'],
    [
      { tools: [{ type: 'code_interpreter', container: { type: 'auto', file_ids: ['file-1'] } }] },
      'tools[0].container.file_ids',
    ],
    [
      { tools: [{ type: 'image_generation', input_image_mask: { file_id: 'file-1' } }] },
      'tools[0].input_image_mask.file_id',
    ],
  ];
  for (const [value, field] of cases) expect([value, fieldOf(value)]).toEqual([value, field]);
});

test('what carries its own content passes', () => {
  for (const value of [
    { input: 'hi', conversation: null, prompt: null },
    {
      input: [
        { role: 'user', content: [{ type: 'input_file', file_data: 'data:application/pdf;base64,AA==' }] },
      ],
    },
    { input: 'hi', tools: [{ type: 'code_interpreter', container: { type: 'auto' } }] },
    { input: 'hi', tools: [{ type: 'function', name: 'f', parameters: {} }] },
  ])
    expect([value, fieldOf(value)]).toEqual([value, 'passes']);
});
