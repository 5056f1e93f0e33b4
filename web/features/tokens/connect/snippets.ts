/** The same call in each language; also used by the samples of other clients. */

export type SnippetKind = 'curl' | 'python' | 'node';

export interface Call {
  /** With prefix. */
  key: string;
  /** Ends in /v1. */
  baseUrl: string;
  model: string;
}

/** Quoted for a POSIX shell. */
function shell(text: string): string {
  return `'${text.replaceAll("'", "'\\''")}'`;
}

export function snippetOf(kind: SnippetKind, { key, baseUrl, model }: Call): string {
  switch (kind) {
    case 'curl': {
      const body = JSON.stringify({ model, messages: [{ role: 'user', content: 'Hello!' }] });
      return [
        `curl ${shell(`${baseUrl}/chat/completions`)} \\`,
        `  -H ${shell(`Authorization: Bearer ${key}`)} \\`,
        `  -H 'Content-Type: application/json' \\`,
        `  -d ${shell(body)}`,
      ].join('\n');
    }
    case 'python':
      return [
        'from openai import OpenAI',
        '',
        'client = OpenAI(',
        `    base_url=${JSON.stringify(baseUrl)},`,
        `    api_key=${JSON.stringify(key)},`,
        ')',
        'answer = client.chat.completions.create(',
        `    model=${JSON.stringify(model)},`,
        '    messages=[{"role": "user", "content": "Hello!"}],',
        ')',
        'print(answer.choices[0].message.content)',
      ].join('\n');
    default:
      return [
        "import OpenAI from 'openai';",
        '',
        'const client = new OpenAI({',
        `  baseURL: ${JSON.stringify(baseUrl)},`,
        `  apiKey: ${JSON.stringify(key)},`,
        '});',
        'const answer = await client.chat.completions.create({',
        `  model: ${JSON.stringify(model)},`,
        "  messages: [{ role: 'user', content: 'Hello!' }],",
        '});',
        'console.log(answer.choices[0].message.content);',
      ].join('\n');
  }
}
