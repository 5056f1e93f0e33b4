import { expect, test } from 'bun:test';
import { LANGUAGES, sampleCode, samplePaths } from './samples.ts';

const address = 'https://gate.example.com';

test('paths without a sample are left out', () => {
  expect(samplePaths(['/v1/realtime', '/v1/embeddings', 'constructor'])).toEqual(['/v1/embeddings']);
});

test('every path has code in every language that names the model and the address', () => {
  for (const path of ['/v1/chat/completions', '/v1/responses', '/v1/rerank', '/v1/images/generations'])
    for (const language of LANGUAGES) {
      const code = sampleCode(language, { path, model: 'some-model', address });
      expect(code).toContain('"some-model"');
      expect(code).toContain(address);
      expect(code).toContain('YOUR_API_KEY');
    }
});

test('a quote in a model name cannot leave the shell word', () => {
  const code = sampleCode('curl', { path: '/v1/embeddings', model: "x'; rm -rf '", address });
  expect(code).toContain(`'\\''`);
  expect(code).not.toContain(`"x'; rm`);
});
