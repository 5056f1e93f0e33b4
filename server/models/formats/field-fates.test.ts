// Every field of a public request format has a fate towards every upstream: carried, approximated, dropped with a note, or of
// no effect there. The fields come from the vendors' own types, so a new one fails to compile until it has a sample here.
// UPDATE_DOCS=1 writes the table of docs/guides/fields.md.
import { expect, test } from 'bun:test';
import { readFileSync, writeFileSync } from 'node:fs';
import type { MessageCreateParamsNonStreaming } from '@anthropic-ai/sdk/resources/messages';
import type { ChatCompletionCreateParamsNonStreaming } from 'openai/resources/chat/completions';
import type { ResponseCreateParamsNonStreaming } from 'openai/resources/responses/responses';
import { fateFinder, readProbes, targets, type Fate } from '#tests/support/field-fates.ts';
import type { Probe } from '#tests/support/field-probes.ts';
import { codecOf } from '#tests/support/formats.ts';
import type { ConversionNote } from './canonical.ts';
import type { UpstreamCodec } from './codec.ts';
import type { Json } from './json.ts';

/** A value that asks for something unusual. */
type Samples<Request> = { readonly [Name in keyof Required<Request>]: unknown };

const parameters = { type: 'object', properties: { city: { type: 'string' } } };
const schema = { type: 'object', properties: { a: { type: 'string' } }, required: ['a'] };
const chatTool = { type: 'function', function: { name: 'weather', parameters } };

const chatSamples: Samples<ChatCompletionCreateParamsNonStreaming> = {
  messages: [{ role: 'user', content: 'Bye' }],
  model: 'other',
  audio: { voice: 'alloy', format: 'mp3' },
  frequency_penalty: 0.5,
  function_call: { name: 'weather' },
  functions: [{ name: 'clock', parameters }],
  logit_bias: { '50256': -100 },
  logprobs: true,
  max_completion_tokens: 77,
  max_tokens: 78,
  metadata: { a: 'b' },
  modalities: ['text', 'audio'],
  moderation: { model: 'omni-moderation-latest' },
  n: 2,
  parallel_tool_calls: false,
  prediction: { type: 'content', content: 'x' },
  presence_penalty: 0.5,
  prompt_cache_key: 'k',
  prompt_cache_options: { mode: 'explicit' },
  prompt_cache_retention: '24h',
  reasoning_effort: 'low',
  response_format: { type: 'json_schema', json_schema: { name: 'x', schema } },
  safety_identifier: 'person',
  seed: 7,
  service_tier: 'flex',
  stop: ['END'],
  store: true,
  stream: false,
  stream_options: { include_usage: true },
  temperature: 0.3,
  tool_choice: 'required',
  tools: [chatTool, { type: 'function', function: { name: 'clock', parameters } }],
  top_logprobs: 3,
  top_p: 0.3,
  user: 'person',
  verbosity: 'low',
  web_search_options: {},
};

const responsesSamples: Samples<ResponseCreateParamsNonStreaming> = {
  background: false,
  context_management: [{ type: 'compaction', compact_threshold: 1000 }],
  conversation: 'conv_1',
  include: ['web_search_call.action.sources'],
  input: 'Bye',
  instructions: 'Be kind.',
  max_output_tokens: 77,
  metadata: { a: 'b' },
  model: 'other',
  moderation: { model: 'omni-moderation-latest' },
  parallel_tool_calls: false,
  previous_response_id: 'resp_1',
  prompt: { id: 'pmpt_1' },
  prompt_cache_key: 'k',
  prompt_cache_options: { mode: 'explicit' },
  prompt_cache_retention: '24h',
  reasoning: { effort: 'low' },
  safety_identifier: 'person',
  service_tier: 'flex',
  store: false,
  stream: false,
  stream_options: { include_obfuscation: false },
  temperature: 0.3,
  text: { format: { type: 'json_schema', name: 'x', schema } },
  tool_choice: 'required',
  tools: [{ type: 'function', name: 'clock', parameters }],
  top_logprobs: 3,
  top_p: 0.3,
  truncation: 'auto',
  user: 'person',
};

const messagesSamples: Samples<MessageCreateParamsNonStreaming> = {
  max_tokens: 77,
  messages: [{ role: 'user', content: 'Bye' }],
  model: 'other',
  cache_control: { type: 'ephemeral' },
  container: 'container_1',
  diagnostics: { previous_message_id: 'msg_1' },
  inference_geo: 'us',
  metadata: { user_id: 'person' },
  output_config: { format: { type: 'json_schema', schema } },
  service_tier: 'standard_only',
  speed: 'fast',
  stop_sequences: ['END'],
  stream: false,
  system: 'Be kind.',
  thinking: { type: 'enabled', budget_tokens: 2000 },
  tool_choice: { type: 'any' },
  tools: [{ name: 'clock', input_schema: parameters }],
  user_profile_id: 'profile',
  workspace_id: 'workspace',
};

/** Fields that the types no longer have and callers still send. */
const olderResponses: Json = { max_tool_calls: 3 };
const olderMessages: Json = { temperature: 0.3, top_k: 5, top_p: 0.3 };

/** Google publishes no types of its wire format. */
const geminiSamples: Json = {
  contents: [{ role: 'user', parts: [{ text: 'Bye' }] }],
  systemInstruction: { parts: [{ text: 'Be kind.' }] },
  tools: [{ functionDeclarations: [{ name: 'clock' }] }],
  toolConfig: { functionCallingConfig: { mode: 'ANY' } },
  safetySettings: [{ category: 'HARM_CATEGORY_HARASSMENT', threshold: 'BLOCK_NONE' }],
  cachedContent: 'cachedContents/1',
  labels: { a: 'b' },
  store: true,
  serviceTier: 'flex',
  'generationConfig.maxOutputTokens': 77,
  'generationConfig.temperature': 0.3,
  'generationConfig.topP': 0.3,
  'generationConfig.topK': 5,
  'generationConfig.stopSequences': ['END'],
  'generationConfig.seed': 7,
  'generationConfig.candidateCount': 2,
  'generationConfig.presencePenalty': 0.5,
  'generationConfig.frequencyPenalty': 0.5,
  'generationConfig.responseLogprobs': true,
  'generationConfig.responseMimeType': 'application/json',
  'generationConfig.responseSchema': schema,
  'generationConfig.responseModalities': ['TEXT', 'AUDIO'],
  'generationConfig.speechConfig': { voiceConfig: { prebuiltVoiceConfig: { voiceName: 'Kore' } } },
  'generationConfig.thinkingConfig': { thinkingBudget: 2000 },
  'generationConfig.mediaResolution': 'MEDIA_RESOLUTION_LOW',
  'generationConfig.enableEnhancedCivicAnswers': true,
};

interface Format {
  base: Json;
  samples: Json;
}

const formats: Readonly<Record<string, Format>> = {
  'openai-chat': {
    base: { model: 'm', messages: [{ role: 'user', content: 'Hi' }], tools: [chatTool] },
    samples: chatSamples,
  },
  'openai-responses': {
    base: { model: 'm', input: 'Hi', tools: [{ type: 'function', name: 'weather', parameters }] },
    samples: { ...responsesSamples, ...olderResponses },
  },
  'anthropic-messages': {
    base: {
      model: 'm',
      max_tokens: 5000,
      messages: [{ role: 'user', content: 'Hi' }],
      tools: [{ name: 'weather', input_schema: parameters }],
    },
    samples: { ...messagesSamples, ...olderMessages },
  },
  'gemini-generate': {
    base: {
      model: 'm',
      contents: [{ role: 'user', parts: [{ text: 'Hi' }] }],
      tools: [{ functionDeclarations: [{ name: 'weather' }] }],
    },
    samples: geminiSamples,
  },
};

/** Fields that ask nothing of an upstream: the relay acts on them itself, or they are the usual behaviour. */
const withoutEffect: Readonly<Record<string, string>> = {
  model: 'the channel’s mapping names the model',
  stream: 'the relay asks for the stream it needs',
  stream_options: 'the relay reports usage itself',
  background: 'refused by the relay',
  prompt: 'refused by the relay where it is not carried',
  conversation: 'refused by the relay where it is not carried',
  store: 'the relay keeps responses itself',
  service_tier: 'the usual tier',
};

/** Fields that mean something only beside others, or in place of others. */
const companions: Readonly<Record<string, Json>> = {
  functions: { tools: undefined },
  function_call: { tools: undefined, functions: [{ name: 'weather', parameters }] },
};

function withField(base: Json, field: string, value: unknown): Json {
  const [outer = '', inner] = field.split('.');
  const needed = field === 'top_logprobs' ? { logprobs: true } : companions[field];
  return { ...base, ...needed, [outer]: inner === undefined ? value : { [inner]: value } };
}

function fateOf(from: string, to: string, field: string): Fate {
  const { base, samples } = formats[from] as Format;
  const { codec, model } = targets[to] as { codec: UpstreamCodec; model: string };
  const convert = (body: Json): { sent: string; notes: ConversionNote[] } => {
    const notes: ConversionNote[] = [];
    const request = { ...codecOf(from).decodeRequest(body, notes), model };
    return { sent: JSON.stringify(codec.encodeRequest(request, notes)), notes };
  };
  const plain = convert({ ...base, ...companions[field] });
  const asked = convert(withField(base, field, samples[field]));
  const isNew = (note: ConversionNote) => !plain.notes.some((known) => Bun.deepEquals(known, note));
  const isLoss = asked.notes.some((note) => note.what === 'dropped' && isNew(note));
  const isNear = asked.notes.some((note) => note.what !== 'dropped' && isNew(note));
  if (plain.sent !== asked.sent) return isLoss || isNear ? 'approximated' : 'carried';
  if (isLoss || isNear) return 'dropped, noted';
  return withoutEffect[field] === undefined ? 'lost' : 'no effect';
}

/** Rows of the members inside objects: the fates of all kinds of objects with a member of that name. */
function nestedRows(fields: readonly Probe[], from: string, others: readonly string[]): string[] {
  const finders = others.map((to) => fateFinder(from, to));
  const rows = new Map<string, Set<Fate>[]>();
  for (const probe of fields) {
    const { path, holder } = probe;
    const depth = path.split('.').length;
    const goesWithHolder =
      holder !== undefined && finders.every((find) => /dropped|refused/.test(find(holder)));
    if (depth === 1 || depth > 4 || goesWithHolder) continue;
    const row = rows.get(path) ?? others.map(() => new Set<Fate>());
    for (const [index, find] of finders.entries()) row[index]?.add(find(probe));
    rows.set(path, row);
  }
  return [...rows].map(
    ([path, fates]) =>
      `| \`${path}\` | ${fates.map((each) => [...each].toSorted().join(' / ')).join(' | ')} |`,
  );
}

const page = new URL('../../../docs/guides/fields.md', import.meta.url);

test('W17 no field of a request is lost in silence, and docs/guides/fields.md says what becomes of each', async () => {
  const probes = await readProbes();
  const lost: string[] = [];
  const lines: string[] = [];
  for (const [from, { samples }] of Object.entries(formats)) {
    const others = Object.keys(targets).filter((target) => target !== from);
    lines.push(
      '',
      `## ${from}`,
      '',
      `| field | ${others.join(' | ')} |`,
      `| --- |${' --- |'.repeat(others.length)}`,
    );
    for (const field of Object.keys(samples)) {
      const fates = others.map((to) => fateOf(from, to, field));
      lines.push(`| \`${field}\` | ${fates.join(' | ')} |`);
      lost.push(
        ...others.filter((_to, index) => fates[index] === 'lost').map((to) => `${from} ${field} → ${to}`),
      );
    }
    lines.push(...nestedRows(probes.get(from) ?? [], from, others));
  }
  expect(lost).toEqual([]);
  const tables = lines.join('\n');
  const text = readFileSync(page, 'utf8');
  const [head = ''] = text.split('\n## ');
  const written = `${head.trimEnd()}\n${tables}\n`;
  if (process.env['UPDATE_DOCS'] === '1') writeFileSync(page, written);
  const squeezed = (content: string) => content.replaceAll(/ +|-{3,}/g, ' ').trim();
  expect(squeezed(readFileSync(page, 'utf8'))).toBe(squeezed(written));
}, 120_000);
