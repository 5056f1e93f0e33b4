/** The next request as code for a caller with a key. */

export const CODE_LANGUAGES = ['curl', 'python', 'node'] as const;
export type CodeLanguage = (typeof CODE_LANGUAGES)[number];
export const CODE_NAMES: Record<CodeLanguage, string> = { curl: 'curl', python: 'Python', node: 'Node.js' };

const KEY = 'YOUR_API_KEY';

/** JSON as a Python literal. */
function pythonLiteral(value: unknown): string {
  if (value === true) return 'True';
  if (value === false) return 'False';
  if (value === null || value === undefined) return 'None';
  if (Array.isArray(value)) return `[${value.map(pythonLiteral).join(', ')}]`;
  if (typeof value === 'object')
    return `{${Object.entries(value)
      .map(([name, part]) => `${JSON.stringify(name)}: ${pythonLiteral(part)}`)
      .join(', ')}}`;
  return JSON.stringify(value);
}

export function requestCode(language: CodeLanguage, baseUrl: string, body: Record<string, unknown>): string {
  switch (language) {
    case 'curl':
      return [
        `curl -N '${baseUrl}/chat/completions' \\`,
        `  -H 'Authorization: Bearer ${KEY}' \\`,
        `  -H 'Content-Type: application/json' \\`,
        `  -d '${JSON.stringify(body, null, 2).replaceAll("'", "'\\''")}'`,
      ].join('\n');
    case 'python':
      return [
        'from openai import OpenAI',
        '',
        `client = OpenAI(base_url=${JSON.stringify(baseUrl)}, api_key="${KEY}")`,
        'stream = client.chat.completions.create(',
        ...Object.entries(body).map(([name, value]) => `    ${name}=${pythonLiteral(value)},`),
        ')',
        'for chunk in stream:',
        '    print(chunk.choices[0].delta.content or "", end="")',
      ].join('\n');
    default:
      return [
        "import OpenAI from 'openai';",
        '',
        `const client = new OpenAI({ baseURL: ${JSON.stringify(baseUrl)}, apiKey: '${KEY}' });`,
        `const stream = await client.chat.completions.create(${JSON.stringify(body, null, 2)});`,
        "for await (const chunk of stream) process.stdout.write(chunk.choices[0]?.delta?.content ?? '');",
      ].join('\n');
  }
}
