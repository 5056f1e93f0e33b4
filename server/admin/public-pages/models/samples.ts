// Code that works here: each sample calls a model this site sells, at this site's address.
import type { PublicModel } from '#server/admin/public-model.ts';
import type { CodeSample } from '#server/admin/public-pages/parts.tsx';

const KEY = 'sk-…';
const shell = (text: string): string => `'${text.replaceAll("'", String.raw`'\''`)}'`;
const json = (value: unknown): string => JSON.stringify(value, null, 2);
/** One member a line, as people write it. */
const body = (value: Record<string, unknown>, indent: string): string =>
  `{\n${Object.entries(value)
    .map(([name, member]) => `${indent}  ${JSON.stringify(name)}: ${JSON.stringify(member)}`)
    .join(',\n')}\n${indent}}`;

interface Call {
  /** Without /v1. */
  readonly address: string;
  readonly model: string;
}

interface Recipe {
  readonly body: (model: string) => Record<string, unknown>;
  /** The method of OpenAI's clients, where there is one. */
  readonly method?: string;
}

const HELLO = [{ role: 'user', content: 'Hello' }];

const RECIPES: Record<string, Recipe> = {
  '/v1/chat/completions': {
    body: (model) => ({ model, messages: HELLO }),
    method: 'chat.completions.create',
  },
  '/v1/responses': { body: (model) => ({ model, input: 'Hello' }), method: 'responses.create' },
  '/v1/completions': { body: (model) => ({ model, prompt: 'Hello' }), method: 'completions.create' },
  '/v1/embeddings': { body: (model) => ({ model, input: 'Hello' }), method: 'embeddings.create' },
  '/v1/moderations': { body: (model) => ({ model, input: 'Hello' }), method: 'moderations.create' },
  '/v1/images/generations': {
    body: (model) => ({ model, prompt: 'A paper lantern' }),
    method: 'images.generate',
  },
  '/v1/audio/speech': {
    body: (model) => ({ model, input: 'Hello', voice: 'alloy' }),
    method: 'audio.speech.create',
  },
  '/v1/rerank': { body: (model) => ({ model, query: 'gate', documents: ['a gate', 'a road'] }) },
  '/v1/videos': { body: (model) => ({ model, prompt: 'A paper lantern in the wind' }) },
};

function curl({ address, model }: Call, path: string, recipe: Recipe): string {
  return `curl ${address}${path} \\
  -H "Authorization: Bearer ${KEY}" \\
  -H "Content-Type: application/json" \\
  -d ${shell(body(recipe.body(model), '  '))}`;
}

function python({ address, model }: Call, method: string, recipe: Recipe): string {
  const fields = Object.entries(recipe.body(model)).map(
    ([name, value]) => `    ${name}=${JSON.stringify(value)},`,
  );
  return `from openai import OpenAI

client = OpenAI(base_url="${address}/v1", api_key="${KEY}")
answer = client.${method}(
${fields.join('\n')}
)
print(${method === 'chat.completions.create' ? 'answer.choices[0].message.content' : 'answer'})`;
}

function node({ address, model }: Call, method: string, recipe: Recipe): string {
  return `import OpenAI from 'openai';

const client = new OpenAI({ baseURL: '${address}/v1', apiKey: '${KEY}' });
const answer = await client.${method}(${body(recipe.body(model), '')});
console.log(${method === 'chat.completions.create' ? 'answer.choices[0].message.content' : 'answer'});`;
}

function anthropic({ address, model }: Call): string {
  return `curl ${address}/v1/messages \\
  -H "x-api-key: ${KEY}" \\
  -H "anthropic-version: 2023-06-01" \\
  -H "content-type: application/json" \\
  -d ${shell(body({ model, max_tokens: 1024, messages: HELLO }, '  '))}`;
}

function claudeCode({ address, model }: Call): string {
  const env = {
    ANTHROPIC_BASE_URL: address,
    ANTHROPIC_AUTH_TOKEN: KEY,
    ANTHROPIC_MODEL: model,
    ANTHROPIC_DEFAULT_HAIKU_MODEL: model,
  };
  return `// ~/.claude/settings.json\n${json({ env })}`;
}

function codex({ address, model }: Call): string {
  return `# ~/.codex/config.toml
model = ${JSON.stringify(model)}
model_provider = "gateway"

[model_providers.gateway]
name = "gateway"
base_url = "${address}/v1"
env_key = "GATEWAY_KEY"
wire_api = "responses"`;
}

/** A file is sent as a form. */
function transcription({ address, model }: Call): string {
  return `curl ${address}/v1/audio/transcriptions \\
  -H "Authorization: Bearer ${KEY}" \\
  -F model=${shell(model)} \\
  -F file=@speech.mp3`;
}

/** Slashes stay: the gateway reads the name up to the colon. */
const inPath = (model: string): string => encodeURI(model).replaceAll('?', '%3F').replaceAll('#', '%23');

function gemini({ address, model }: Call): string {
  return `curl ${shell(`${address}/v1beta/models/${inPath(model)}:generateContent`)} \\
  -H "x-goog-api-key: ${KEY}" \\
  -H "Content-Type: application/json" \\
  -d ${shell(body({ contents: [{ role: 'user', parts: [{ text: 'Hello' }] }] }, '  '))}`;
}

function googleGenAi({ address, model }: Call): string {
  return `from google import genai

client = genai.Client(
    api_key="${KEY}",
    http_options={"base_url": ${JSON.stringify(address)}},
)
answer = client.models.generate_content(
    model=${JSON.stringify(model)},
    contents="Hello",
)
print(answer.text)`;
}

function geminiCli({ address, model }: Call): string {
  return `# ~/.gemini/.env
GOOGLE_GEMINI_BASE_URL=${address}
GEMINI_API_KEY=${KEY}
GEMINI_MODEL=${model}`;
}

/** The plain calls: for the first page, and first on the page of a model. */
export function plainSamples({ name, endpoints }: PublicModel, address: string): CodeSample[] {
  const call = { address, model: name };
  if (endpoints.includes('/v1/audio/transcriptions'))
    return [{ id: 'curl', label: 'curl', code: transcription(call) }];
  const path = endpoints.find((each) => Object.hasOwn(RECIPES, each));
  const recipe = path === undefined ? undefined : RECIPES[path];
  if (path === undefined || recipe === undefined) return [];
  return [
    { id: 'curl', label: 'curl', code: curl(call, path, recipe) },
    ...(recipe.method === undefined
      ? []
      : [
          { id: 'python', label: 'Python', code: python(call, recipe.method, recipe) },
          { id: 'node', label: 'Node.js', code: node(call, recipe.method, recipe) },
        ]),
  ];
}

/** Every client that can use the model. */
export function samplesOf(model: PublicModel, address: string): CodeSample[] {
  const call = { address, model: model.name };
  const isChat = model.endpoints.includes('/v1/chat/completions');
  return [
    ...plainSamples(model, address),
    ...(isChat
      ? [
          { id: 'anthropic', label: 'Anthropic', code: anthropic(call) },
          { id: 'gemini', label: 'Gemini', code: gemini(call) },
          { id: 'google-genai', label: 'google-genai', code: googleGenAi(call) },
          { id: 'claude-code', label: 'Claude Code', code: claudeCode(call) },
          { id: 'gemini-cli', label: 'Gemini CLI', code: geminiCli(call) },
        ]
      : []),
    ...(model.endpoints.includes('/v1/responses')
      ? [{ id: 'codex', label: 'Codex', code: codex(call) }]
      : []),
  ];
}

/** The first chat model of the catalogue, else the first one with a sample. */
export function sampleModel(models: readonly PublicModel[]): PublicModel | undefined {
  const chats = models.filter(({ endpoints }) => endpoints.includes('/v1/chat/completions'));
  return chats[0] ?? models.find((model) => plainSamples(model, '').length > 0);
}
