// Requests of Gemini's generateContent to canonical. The URL contains model and verb; the relay puts them into the body as
// `model` and `stream`.
import type {
  CanonicalReasoning,
  CanonicalRequest,
  CanonicalResponseFormat,
  ConversionNote,
} from '#server/formats/canonical.ts';
import {
  objectAt,
  optionalBoolean,
  optionalInteger,
  optionalNumber,
  optionalObject,
  optionalText,
  optionalTexts,
  text,
  withoutUndefined,
  member,
  type Json,
} from '#server/formats/json.ts';
import { ToolNames } from '#server/formats/tool-names.ts';
import { ContentReader } from './contents.ts';
import { field } from './fields.ts';
import { jsonSchema } from './schema.ts';
import { decodeToolChoice, decodeTools } from './tools.ts';

const spelled = (names: readonly string[]): ReadonlySet<string> =>
  new Set(names.flatMap((name) => [name, name.replace(/[A-Z]/g, (letter) => `_${letter.toLowerCase()}`)]));

const named = spelled([
  'model',
  'stream',
  'contents',
  'systemInstruction',
  'tools',
  'toolConfig',
  'generationConfig',
  'labels',
  'store',
  'serviceTier',
]);

const namedSettings = spelled([
  'temperature',
  'topP',
  'topK',
  'candidateCount',
  'maxOutputTokens',
  'stopSequences',
  'seed',
  'presencePenalty',
  'frequencyPenalty',
  'responseMimeType',
  'responseSchema',
  'responseJsonSchema',
  'responseModalities',
  'responseLogprobs',
  'logprobs',
  'thinkingConfig',
  'speechConfig',
]);

export function decodeRequest(body: unknown, _notes: ConversionNote[]): CanonicalRequest {
  const fields = objectAt(body, '');
  const names = new ToolNames();
  const tools = decodeTools(fields['tools'], names);
  const reader = new ContentReader(names);
  const system = reader.instruction(field(fields, 'systemInstruction'), 'systemInstruction');
  const messages = [...system, ...reader.messages(fields['contents'])];
  const settings = optionalObject(field(fields, 'generationConfig'), 'generationConfig') ?? {};
  return withoutUndefined<CanonicalRequest>({
    format: 'gemini-generate',
    model: (optionalText(fields['model'], 'model') ?? '').replace(/^models\//, ''),
    messages,
    stream: optionalBoolean(fields['stream'], 'stream') ?? false,
    ...decodeSettings(settings),
    tools,
    toolChoice: decodeToolChoice(field(fields, 'toolConfig'), names),
    metadata: optionalObject(fields['labels'], 'labels'),
    store: optionalBoolean(fields['store'], 'store'),
    serviceTier: optionalText(field(fields, 'serviceTier'), 'serviceTier'),
    extra: extraOf(fields, settings),
    source: fields,
  });
}

function extraOf(fields: Json, settings: Json): Json {
  const extra = Object.fromEntries(
    Object.entries(fields).filter(([name, value]) => !named.has(name) && value !== null),
  );
  const others = Object.entries(settings).filter(
    ([name, value]) => !namedSettings.has(name) && value !== null,
  );
  return others.length === 0 ? extra : { ...extra, generationConfig: Object.fromEntries(others) };
}

function decodeSettings(settings: Json): Partial<CanonicalRequest> {
  const path = (name: string): string => `generationConfig.${name}`;
  const number = (name: string): number | undefined => optionalNumber(field(settings, name), path(name));
  const whole = (name: string): number | undefined => optionalInteger(field(settings, name), path(name));
  const top = whole('logprobs');
  const isAsked = optionalBoolean(field(settings, 'responseLogprobs'), path('responseLogprobs'));
  const speech = optionalObject(field(settings, 'speechConfig'), path('speechConfig'));
  const voice = field(
    member(field(member(field(speech ?? {}, 'voiceConfig')), 'prebuiltVoiceConfig')),
    'voiceName',
  );
  const modalities = optionalTexts(field(settings, 'responseModalities'), path('responseModalities'));
  return withoutUndefined({
    maxOutputTokens: whole('maxOutputTokens'),
    temperature: number('temperature'),
    topP: number('topP'),
    topK: number('topK'),
    stop: optionalTexts(field(settings, 'stopSequences'), path('stopSequences')),
    seed: whole('seed'),
    choices: whole('candidateCount'),
    presencePenalty: number('presencePenalty'),
    frequencyPenalty: number('frequencyPenalty'),
    logprobs: isAsked === true ? withoutUndefined({ top }) : undefined,
    responseFormat: decodeFormat(settings),
    reasoning: decodeThinking(settings),
    modalities: modalities?.map((kind) => kind.toLowerCase()),
    audio: speech === undefined ? undefined : withoutUndefined({ voice }),
  });
}

function decodeFormat(settings: Json): CanonicalResponseFormat | undefined {
  const schema = field(settings, 'responseJsonSchema') ?? field(settings, 'responseSchema') ?? undefined;
  if (schema !== undefined) return { type: 'json_schema', schema: jsonSchema(schema) };
  const type = optionalText(field(settings, 'responseMimeType'), 'generationConfig.responseMimeType');
  return type === 'application/json' ? { type: 'json_object' } : undefined;
}

function decodeThinking(settings: Json): CanonicalReasoning | undefined {
  const path = 'generationConfig.thinkingConfig';
  const thinking = optionalObject(field(settings, 'thinkingConfig'), path);
  if (thinking === undefined) return undefined;
  const shown = optionalBoolean(field(thinking, 'includeThoughts'), `${path}.includeThoughts`) === true;
  const summary = shown ? { summary: 'auto' } : {};
  const level = text(field(thinking, 'thinkingLevel')).toLowerCase();
  if (level !== '' && !level.endsWith('unspecified')) return { effort: level, ...summary };
  const budget = optionalInteger(field(thinking, 'thinkingBudget'), `${path}.thinkingBudget`);
  if (budget === 0) return { effort: 'none' };
  if (budget === undefined || budget < 0) return { isAdaptive: true, ...summary };
  return { budgetTokens: budget, ...summary };
}
