/** Code samples for each endpoint of a model. */

export const LANGUAGES = ['curl', 'python', 'node'] as const;
export type SampleLanguage = (typeof LANGUAGES)[number];
export const LANGUAGE_NAMES: Record<SampleLanguage, string> = {
  curl: 'curl',
  python: 'Python',
  node: 'Node.js',
};

export const KEY_PLACEHOLDER = 'YOUR_API_KEY';

type Body = Record<string, unknown>;

interface Sample {
  body: (model: string) => Body;
  /** The method of the official client, if there is one. */
  method?: string;
}

const MESSAGE = [{ role: 'user', content: 'Hello!' }];

const SAMPLES: Record<string, Sample> = {
  '/v1/chat/completions': {
    body: (model) => ({ model, messages: MESSAGE }),
    method: 'chat.completions.create',
  },
  '/v1/responses': { body: (model) => ({ model, input: 'Hello!' }), method: 'responses.create' },
  '/v1/completions': { body: (model) => ({ model, prompt: 'Hello!' }), method: 'completions.create' },
  '/v1/embeddings': { body: (model) => ({ model, input: 'Hello!' }), method: 'embeddings.create' },
  '/v1/moderations': { body: (model) => ({ model, input: 'Hello!' }), method: 'moderations.create' },
  '/v1/images/generations': {
    body: (model) => ({ model, prompt: 'A toll gate' }),
    method: 'images.generate',
  },
  '/v1/audio/speech': {
    body: (model) => ({ model, input: 'Hello!', voice: 'alloy' }),
    method: 'audio.speech.create',
  },
  '/v1/rerank': { body: (model) => ({ model, query: 'gate', documents: ['a gate', 'a road'] }) },
};

/** The paths of a model that have a sample. */
export function samplePaths(endpoints: readonly string[]): string[] {
  return endpoints.filter((path) => Object.hasOwn(SAMPLES, path));
}

interface SampleRequest {
  path: string;
  model: string;
  /** Without /v1. */
  address: string;
}

const shell = (text: string) => `'${text.replaceAll("'", "'\\''")}'`;

function curl({ path, address }: SampleRequest, body: Body): string {
  return [
    `curl ${shell(address + path)} \\`,
    `  -H 'Authorization: Bearer ${KEY_PLACEHOLDER}' \\`,
    `  -H 'Content-Type: application/json' \\`,
    `  -d ${shell(JSON.stringify(body))}`,
  ].join('\n');
}

function python({ path, address }: SampleRequest, body: Body, method: string | undefined): string {
  if (!method) {
    return [
      'import requests',
      '',
      'answer = requests.post(',
      `    ${JSON.stringify(address + path)},`,
      `    headers={"Authorization": "Bearer ${KEY_PLACEHOLDER}"},`,
      `    json=${JSON.stringify(body)},`,
      ')',
      'print(answer.json())',
    ].join('\n');
  }
  const values = Object.entries(body).map(([name, value]) => `    ${name}=${JSON.stringify(value)},`);
  return [
    'from openai import OpenAI',
    '',
    `client = OpenAI(base_url=${JSON.stringify(`${address}/v1`)}, api_key="${KEY_PLACEHOLDER}")`,
    `answer = client.${method}(`,
    ...values,
    ')',
    'print(answer)',
  ].join('\n');
}

function node({ path, address }: SampleRequest, body: Body, method: string | undefined): string {
  const text = JSON.stringify(body, null, 2);
  if (!method) {
    return [
      `const answer = await fetch(${JSON.stringify(address + path)}, {`,
      "  method: 'POST',",
      `  headers: { Authorization: 'Bearer ${KEY_PLACEHOLDER}', 'Content-Type': 'application/json' },`,
      `  body: JSON.stringify(${JSON.stringify(body)}),`,
      '});',
      'console.log(await answer.json());',
    ].join('\n');
  }
  return [
    "import OpenAI from 'openai';",
    '',
    `const client = new OpenAI({ baseURL: ${JSON.stringify(`${address}/v1`)}, apiKey: '${KEY_PLACEHOLDER}' });`,
    `const answer = await client.${method}(${text});`,
    'console.log(answer);',
  ].join('\n');
}

export function sampleCode(language: SampleLanguage, request: SampleRequest): string {
  const sample = SAMPLES[request.path];
  if (!sample) return '';
  const body = sample.body(request.model);
  if (language === 'curl') return curl(request, body);
  return language === 'python' ? python(request, body, sample.method) : node(request, body, sample.method);
}
