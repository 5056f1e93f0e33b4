/** A call as code for a caller with a key: in each dialect, by curl and by the vendor's own library. */
import type { DialectName, DialectRequest } from './dialects/index.ts';

export const CODE_LANGUAGES = ['curl', 'python', 'node'] as const;
export type CodeLanguage = (typeof CODE_LANGUAGES)[number];
export const CODE_NAMES: Record<CodeLanguage, string> = {
  curl: 'curl',
  python: 'Python',
  node: 'JavaScript',
};

const KEY = 'YOUR_API_KEY';

/** Bytes in base64: Google's Python library takes the bytes themselves. */
const isInline = (name: string, holder: object): boolean => name === 'data' && 'mimeType' in holder;

/** JSON as a Python literal. */
export function pythonLiteral(value: unknown, decodesBytes = false): string {
  if (value === true) return 'True';
  if (value === false) return 'False';
  if (value === null || value === undefined) return 'None';
  if (Array.isArray(value)) return `[${value.map((each) => pythonLiteral(each, decodesBytes)).join(', ')}]`;
  if (typeof value === 'object')
    return `{${Object.entries(value)
      .map(([name, part]) => {
        const literal = pythonLiteral(part, decodesBytes);
        const isBytes = decodesBytes && isInline(name, value);
        return `${JSON.stringify(name)}: ${isBytes ? `base64.b64decode(${literal})` : literal}`;
      })
      .join(', ')}}`;
  return JSON.stringify(value);
}

const pythonArguments = (body: Record<string, unknown>): string[] =>
  Object.entries(body).map(([name, value]) => `    ${name}=${pythonLiteral(value)},`);

/** Google's libraries name the model and put everything but the contents into `config`. */
export function geminiArguments(path: string, body: Record<string, unknown>): Record<string, unknown> {
  const [, name = ''] = /\/models\/([^:]+):/.exec(path) ?? [];
  const { contents, generationConfig, ...rest } = body;
  const config = { ...rest, ...(generationConfig as Record<string, unknown> | undefined) };
  return {
    model: decodeURIComponent(name),
    contents,
    ...(Object.keys(config).length === 0 ? {} : { config }),
  };
}

function curl(server: string, { path, headers, body }: DialectRequest): string {
  const all = { ...headers(KEY), 'Content-Type': 'application/json' };
  return [
    `curl -N '${server}${path}' \\`,
    ...Object.entries(all).map(([name, value]) => `  -H '${name}: ${value}' \\`),
    `  -d '${JSON.stringify(body, null, 2).replaceAll("'", "'\\''")}'`,
  ].join('\n');
}

type Writer = (server: string, request: DialectRequest) => string[];

const openAiPython = (server: string): string[] => [
  'from openai import OpenAI',
  '',
  `client = OpenAI(base_url=${JSON.stringify(`${server}/v1`)}, api_key="${KEY}")`,
];

const PYTHON: Record<DialectName, Writer> = {
  chat: (server, { body }) => [
    ...openAiPython(server),
    'stream = client.chat.completions.create(',
    ...pythonArguments(body),
    ')',
    'for chunk in stream:',
    '    if chunk.choices:',
    '        print(chunk.choices[0].delta.content or "", end="")',
  ],
  responses: (server, { body }) => [
    ...openAiPython(server),
    'stream = client.responses.create(',
    ...pythonArguments(body),
    ')',
    'for event in stream:',
    '    if event.type == "response.output_text.delta":',
    '        print(event.delta, end="")',
  ],
  messages: (server, { body }) => [
    'from anthropic import Anthropic',
    '',
    `client = Anthropic(base_url=${JSON.stringify(server)}, api_key="${KEY}")`,
    'stream = client.messages.create(',
    ...pythonArguments(body),
    ')',
    'for event in stream:',
    '    if event.type == "content_block_delta" and event.delta.type == "text_delta":',
    '        print(event.delta.text, end="")',
  ],
  gemini: (server, { path, body }) => {
    const given = Object.entries(geminiArguments(path, body));
    const written = given.map(([name, value]) => `    ${name}=${pythonLiteral(value, true)},`);
    return [
      ...(written.some((line) => line.includes('base64.b64decode(')) ? ['import base64'] : []),
      'from google import genai',
      '',
      `client = genai.Client(api_key="${KEY}", http_options={"base_url": ${JSON.stringify(server)}})`,
      'stream = client.models.generate_content_stream(',
      ...written,
      ')',
      'for chunk in stream:',
      '    print(chunk.text or "", end="")',
    ];
  },
};

const openAiNode = (server: string): string[] => [
  "import OpenAI from 'openai';",
  '',
  `const client = new OpenAI({ baseURL: ${JSON.stringify(`${server}/v1`)}, apiKey: '${KEY}' });`,
];

const literal = (value: unknown): string => JSON.stringify(value, null, 2);

const NODE: Record<DialectName, Writer> = {
  chat: (server, { body }) => [
    ...openAiNode(server),
    `const stream = await client.chat.completions.create(${literal(body)});`,
    "for await (const chunk of stream) process.stdout.write(chunk.choices[0]?.delta?.content ?? '');",
  ],
  responses: (server, { body }) => [
    ...openAiNode(server),
    `const stream = await client.responses.create(${literal(body)});`,
    'for await (const event of stream)',
    "  if (event.type === 'response.output_text.delta') process.stdout.write(event.delta);",
  ],
  messages: (server, { body }) => [
    "import Anthropic from '@anthropic-ai/sdk';",
    '',
    `const client = new Anthropic({ baseURL: ${JSON.stringify(server)}, apiKey: '${KEY}' });`,
    `const stream = await client.messages.create(${literal(body)});`,
    'for await (const event of stream)',
    "  if (event.type === 'content_block_delta' && event.delta.type === 'text_delta')",
    '    process.stdout.write(event.delta.text);',
  ],
  gemini: (server, { path, body }) => [
    "import { GoogleGenAI } from '@google/genai';",
    '',
    `const client = new GoogleGenAI({ apiKey: '${KEY}', httpOptions: { baseUrl: ${JSON.stringify(server)} } });`,
    `const stream = await client.models.generateContentStream(${literal(geminiArguments(path, body))});`,
    "for await (const chunk of stream) process.stdout.write(chunk.text ?? '');",
  ],
};

/** `server` is its address without a path. */
export function requestCode(
  language: CodeLanguage,
  dialect: DialectName,
  server: string,
  request: DialectRequest,
): string {
  if (language === 'curl') return curl(server, request);
  return (language === 'python' ? PYTHON : NODE)[dialect](server, request).join('\n');
}

const LONGEST_SHOWN = 400;

/** Attachments are cut on the screen only; the copied code has them whole. */
export function withoutData<Value>(value: Value): Value {
  const cut = (each: unknown): unknown => {
    if (typeof each === 'string')
      return each.length > LONGEST_SHOWN && !/\s/.test(each) ? `${each.slice(0, 60)}…` : each;
    if (Array.isArray(each)) return each.map(cut);
    if (typeof each !== 'object' || each === null) return each;
    return Object.fromEntries(Object.entries(each).map(([name, part]) => [name, cut(part)]));
  };
  return cut(value) as Value;
}
