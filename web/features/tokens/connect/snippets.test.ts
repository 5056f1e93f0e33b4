import { expect, test } from 'bun:test';
import { snippetOf } from './snippets.ts';

const connection = { key: 'sk-abc', baseUrl: 'http://127.0.0.1:3000/v1', model: "it's" };

test('the curl call survives a shell, quotes in the model name included', async () => {
  const command = snippetOf('curl', connection).replace(/^curl/, 'printf "%s\\n"');
  const output = await new Response(Bun.spawn(['sh', '-c', command]).stdout).text();
  expect(output.trimEnd().split('\n')).toEqual([
    'http://127.0.0.1:3000/v1/chat/completions',
    '-H',
    'Authorization: Bearer sk-abc',
    '-H',
    'Content-Type: application/json',
    '-d',
    '{"model":"it\'s","messages":[{"role":"user","content":"Hello!"}]}',
  ]);
});

test('the Node snippet is a valid program', () => {
  expect(() =>
    new Bun.Transpiler({ loader: 'js' }).transformSync(snippetOf('node', connection)),
  ).not.toThrow();
});

test('every snippet carries the key and the base URL', () => {
  for (const kind of ['curl', 'python', 'node'] as const) {
    expect(snippetOf(kind, connection)).toContain('sk-abc');
    expect(snippetOf(kind, connection)).toContain('http://127.0.0.1:3000/v1');
  }
});
