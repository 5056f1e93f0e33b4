import { expect, test } from 'bun:test';
import { traitsOf } from './traits.ts';

test.each([
  [{ response_format: { type: 'json_object' } }, true],
  [{ response_format: { type: 'json_schema', json_schema: {} } }, true],
  [{ text: { format: { type: 'json_object' } } }, true],
  [{ output_config: { format: { type: 'json_schema' } } }, true],
  [{ generationConfig: { responseMimeType: 'application/json' } }, true],
  [{ generationConfig: { responseSchema: { type: 'object' } } }, true],
  [{ response_format: { type: 'text' } }, false],
  [{ generationConfig: { responseMimeType: 'text/plain' } }, false],
  [{}, false],
])('an answer in a given form, by each format: %j', (fields, wanted) => {
  expect(traitsOf(fields).structuredOutput).toBe(wanted);
});
