// Which calls may be made twice at once.
import { expect, test } from 'bun:test';
import { isRepeatable, type RepeatableCall } from './repeatable.ts';

type Format = RepeatableCall['endpoint']['format'];
const call = (fields: object, format: Format = 'openai-chat', more: Partial<RepeatableCall> = {}) =>
  isRepeatable({
    endpoint: { format },
    isStream: true,
    fields: fields as RepeatableCall['fields'],
    affinity: undefined,
    ...more,
  });

test('a streamed chat with tools of the caller may be', () => {
  expect(call({})).toBe(true);
  expect(call({ tools: [{ type: 'function', function: { name: 'f' } }] })).toBe(true);
  expect(call({ tools: [{ name: 'f', input_schema: {} }] }, 'anthropic-messages')).toBe(true);
  expect(call({ tools: [{ functionDeclarations: [] }] }, 'gemini-generate')).toBe(true);
  expect(call({ store: false }, 'openai-responses')).toBe(true);
});

test('nothing that is kept, continued or done at the upstream may be', () => {
  expect(call({}, 'openai-chat', { isStream: false })).toBe(false);
  expect(call({}, 'openai-images')).toBe(false);
  expect(call({}, 'openai-responses')).toBe(false);
  expect(call({ store: true })).toBe(false);
  expect(call({ store: false, previous_response_id: 'resp_1' }, 'openai-responses')).toBe(false);
  expect(call({ store: false, background: true }, 'openai-responses')).toBe(false);
  expect(call({ store: false, tools: [{ type: 'web_search' }] }, 'openai-responses')).toBe(false);
  expect(call({ store: false, tools: [{ type: 'mcp', server_url: 'x' }] }, 'openai-responses')).toBe(false);
  expect(call({ web_search_options: {} })).toBe(false);
  expect(call({ mcp_servers: [{}] }, 'anthropic-messages')).toBe(false);
  expect(call({ container: 'c' }, 'anthropic-messages')).toBe(false);
  expect(call({ tools: [{ type: 'code_execution_20250522' }] }, 'anthropic-messages')).toBe(false);
  expect(call({ tools: [{ codeExecution: {} }] }, 'gemini-generate')).toBe(false);
  expect(call({ tools: ['x'] })).toBe(false);
  expect(call({}, 'openai-chat', { affinity: {} })).toBe(false);
  expect(call({}, 'openai-chat', { conversation: {} })).toBe(false);
});
