// Requests of Gemini's generateContent to canonical. The URL contains model and verb; the relay puts them into the body as
// `model` and `stream`.
import type {
  CanonicalReasoning,
  CanonicalRequest,
  CanonicalResponseFormat,
  ConversionNote,
} from '#server/models/formats/canonical.ts';
import { drop } from '#server/models/formats/extras.ts';
import { Fields, withUnread } from '#server/models/formats/fields.ts';
import { member, text, withoutUndefined, type Json } from '#server/models/formats/json.ts';
import { ToolNames } from '#server/models/formats/tool-names.ts';
import { ContentReader } from './contents.ts';
import { field, snakeCased } from './fields.ts';
import { jsonSchema } from './schema.ts';
import { decodeToolChoice, decodeTools } from './tools.ts';

export function decodeRequest(body: unknown, notes: ConversionNote[]): CanonicalRequest {
  const fields = new Fields(body, '', snakeCased);
  const names = new ToolNames();
  const tools = decodeTools(fields, names);
  const reader = new ContentReader(names);
  const system = reader.instruction(fields, 'systemInstruction');
  const messages = [...system, ...reader.messages(fields, 'contents')];
  const settings = fields.optionalObject('generationConfig');
  return withUnread(fields, {
    format: 'gemini-generate',
    model: (fields.optionalText('model') ?? '').replace(/^models\//, ''),
    messages,
    stream: fields.optionalBoolean('stream') ?? false,
    ...(settings && decodeSettings(settings, notes)),
    tools,
    toolChoice: decodeToolChoice(fields.optionalObject('toolConfig'), names),
    metadata: fields.optionalObject('labels')?.whole(),
    store: fields.optionalBoolean('store'),
    serviceTier: fields.optionalText('serviceTier'),
    extra: extraOf(fields, settings),
    source: fields.source,
  });
}

function extraOf(fields: Fields, settings: Fields | undefined): Json {
  const others = settings?.others() ?? {};
  return { ...fields.others(), ...(Object.keys(others).length === 0 ? {} : { generationConfig: others }) };
}

function decodeSettings(settings: Fields, notes: ConversionNote[]): Partial<CanonicalRequest> {
  const top = settings.optionalInteger('logprobs');
  const isAsked = settings.optionalBoolean('responseLogprobs');
  if (top !== undefined && isAsked !== true)
    drop(notes, 'generationConfig.logprobs', 'means something beside `responseLogprobs` only');
  const speech = settings.optionalObject('speechConfig');
  return withoutUndefined({
    maxOutputTokens: settings.optionalInteger('maxOutputTokens'),
    temperature: settings.optionalNumber('temperature'),
    topP: settings.optionalNumber('topP'),
    topK: settings.optionalNumber('topK'),
    stop: settings.optionalTexts('stopSequences'),
    seed: settings.optionalInteger('seed'),
    choices: settings.optionalInteger('candidateCount'),
    presencePenalty: settings.optionalNumber('presencePenalty'),
    frequencyPenalty: settings.optionalNumber('frequencyPenalty'),
    logprobs: isAsked === true ? withoutUndefined({ top }) : undefined,
    responseFormat: decodeFormat(settings, notes),
    reasoning: decodeThinking(settings.optionalObject('thinkingConfig')),
    modalities: settings.optionalTexts('responseModalities')?.map((kind) => kind.toLowerCase()),
    audio: speech && withoutUndefined({ voice: voiceOf(speech) }),
  });
}

function voiceOf(speech: Fields): unknown {
  const config = member(field(speech.source, 'voiceConfig'));
  return field(member(field(config, 'prebuiltVoiceConfig')), 'voiceName');
}

function decodeFormat(settings: Fields, notes: ConversionNote[]): CanonicalResponseFormat | undefined {
  const [inJson, inGoogles] = [settings.get('responseJsonSchema'), settings.get('responseSchema')];
  const type = settings.optionalText('responseMimeType');
  const schema = inJson ?? inGoogles;
  if (schema !== undefined) return { type: 'json_schema', schema: jsonSchema(schema) };
  if (type !== undefined && type !== 'application/json' && type !== 'text/plain')
    drop(notes, 'generationConfig.responseMimeType', 'only text and JSON are known');
  return type === 'application/json' ? { type: 'json_object' } : undefined;
}

function decodeThinking(thinking: Fields | undefined): CanonicalReasoning | undefined {
  if (thinking === undefined) return undefined;
  const summary = thinking.optionalBoolean('includeThoughts') === true ? { summary: 'auto' } : {};
  const level = text(thinking.get('thinkingLevel')).toLowerCase();
  if (level !== '' && !level.endsWith('unspecified')) return { effort: level, ...summary };
  const budget = thinking.optionalInteger('thinkingBudget');
  if (budget === 0) return { effort: 'none' };
  if (budget === undefined || budget < 0) return { isAdaptive: true, ...summary };
  return { budgetTokens: budget, ...summary };
}
