// The size of a request before the upstream answers: prompt tokens by class, pieces of a fixed price, and the usage to
// charge when the upstream reports none.
import { picturePieces } from '#contract/money/pricing.ts';
import { usageOf, type Usage } from '#server/money/prices/usage.ts';
import { isObject } from '#server/models/formats/openai-usage.ts';
import { attachmentsIn, estimateTokens, wholeNumber } from './estimate.ts';

type Fields = Readonly<Record<string, unknown>>;

export interface Estimate {
  promptTokens: number;
  /** How often a fixed price applies. */
  pieces: number;
  /** Answers per request (`n`); each may reach the output limit. */
  choices: number;
  /** The usage to charge, besides delivered content, when the upstream reports none. */
  unreported: Usage;
  /** `unreported` is exact (characters of speech), not an estimate. */
  isExact: boolean;
  /** The most it can use beside the answers that a limit bounds, for the hold. */
  most: Usage;
}

const PER_MESSAGE = 3;
const LOW_DETAIL_IMAGE = 85;
const HIGH_DETAIL_IMAGE = 765;
const GEMINI_IMAGE = 258;
const PER_AUDIO_PART = 100;
const PER_FILE = 1000;
/** An image without reported usage on a ratio-priced model: 0.0025 $ at ratio 1. */
const TOKENS_PER_PICTURE = 1250;
/** A ranker's tokenizer may count so much more than the local estimate. */
const RANKER_FACTOR = 1.5;
/** A minute of speech is about 900 characters and 1,250 audio tokens. */
const AUDIO_TOKENS_PER_CHARACTER = 1.39;
const SLOWEST_SPEECH = 3;

function made(promptTokens: number, choices = 1): Estimate {
  const unreported = usageOf({ input: promptTokens });
  return { promptTokens, pieces: 1, choices, unreported, isExact: false, most: unreported };
}

function madeWith(promptTokens: number, content: unknown, choices = 1): Estimate {
  const estimate = made(promptTokens, choices);
  const { input, audio } = attachmentsIn(content);
  if (input === 0 && audio === 0) return estimate;
  return { ...estimate, most: usageOf({ input: promptTokens + input, audioInput: audio }) };
}

export function chatEstimate(fields: Fields): Estimate {
  let tokens = PER_MESSAGE + structureTokens(fields['tools']) + structureTokens(fields['functions']);
  tokens += structureTokens(fields['response_format']);
  const { messages } = fields;
  if (Array.isArray(messages)) for (const message of messages as unknown[]) tokens += messageTokens(message);
  return madeWith(tokens, messages, wholeNumber(fields, 'n', 1, 128));
}

export function completionEstimate(fields: Fields): Estimate {
  const choices = Math.max(
    wholeNumber(fields, 'n', 1, 128) ?? 1,
    wholeNumber(fields, 'best_of', 0, 128) ?? 1,
  );
  return made(inputTokens(fields['prompt']) + inputTokens(fields['suffix']), choices);
}

export function responsesEstimate(fields: Fields): Estimate {
  let tokens = PER_MESSAGE + inputTokens(fields['instructions']) + structureTokens(fields['tools']);
  tokens += structureTokens(fields['text']);
  const { input } = fields;
  if (Array.isArray(input)) for (const item of input as unknown[]) tokens += messageTokens(item);
  else tokens += inputTokens(input);
  return madeWith(tokens, input);
}

/** Anthropic's messages. */
export function messagesEstimate(fields: Fields): Estimate {
  let tokens = PER_MESSAGE + contentTokens(fields['system']) + structureTokens(fields['tools']);
  const { messages } = fields;
  if (Array.isArray(messages)) for (const message of messages as unknown[]) tokens += messageTokens(message);
  return madeWith(tokens + structureTokens(fields['output_config']), messages);
}

/** Gemini's contents, and the requests of its embeddings. */
export function geminiEstimate(fields: Fields): Estimate {
  let tokens = structureTokens(fields['tools']);
  const config = isObject(fields['generationConfig']) ? fields['generationConfig'] : {};
  tokens += structureTokens(config['responseSchema'] ?? config['responseJsonSchema']);
  for (const name of ['contents', 'content', 'systemInstruction', 'system_instruction', 'requests'])
    tokens += geminiTokens(fields[name]);
  const choices = isObject(fields['generationConfig']) ? wholeNumber(config, 'candidateCount', 1, 128) : 1;
  return madeWith(Math.max(1, tokens), fields['contents'], choices);
}

function geminiTokens(content: unknown): number {
  if (typeof content === 'string') return estimateTokens(content);
  if (Array.isArray(content)) {
    let tokens = 0;
    for (const item of content as unknown[]) tokens += geminiTokens(item);
    return tokens;
  }
  if (!isObject(content)) return 0;
  const { parts, text, content: inner } = content;
  if (parts !== undefined) return PER_MESSAGE + geminiTokens(parts);
  if (typeof text === 'string') return estimateTokens(text);
  if (inner !== undefined) return geminiTokens(inner);
  const media =
    content['inlineData'] ?? content['inline_data'] ?? content['fileData'] ?? content['file_data'];
  if (isObject(media)) {
    const type = media['mimeType'] ?? media['mime_type'];
    if (typeof type !== 'string' || type.startsWith('image/')) return GEMINI_IMAGE;
    return type.startsWith('audio/') ? PER_AUDIO_PART : PER_FILE;
  }
  return structureTokens(content['functionCall'] ?? content['functionResponse']);
}

export function inputEstimate(fields: Fields): Estimate {
  return made(inputTokens(fields['input']));
}

export function rerankEstimate(fields: Fields): Estimate {
  const { documents } = fields;
  const [query, read] = [inputTokens(fields['query']), inputTokens(documents)];
  // Rankers read the query with each document, and no limit of an answer makes up for an estimate that is too low.
  const pairs = Array.isArray(documents) ? documents.length : 1;
  const most = usageOf({ input: Math.ceil((query * pairs + read) * RANKER_FACTOR) });
  return { ...made(query + read), most };
}

export function imageEstimate(fields: Fields, model: string): Estimate {
  const count = wholeNumber(fields, 'n', 1, 128) ?? 1;
  const size = typeof fields['size'] === 'string' ? fields['size'] : '1024x1024';
  const pieces = picturePieces(model, count, size, fields['quality']);
  const promptTokens = inputTokens(fields['prompt']);
  const unreported = usageOf({ input: Math.ceil(TOKENS_PER_PICTURE * pieces), pieces });
  const output = count * largestResult(fields);
  const most = usageOf({ input: Math.max(promptTokens, unreported.input), output, pieces });
  return { ...made(Math.max(promptTokens, unreported.input), count), pieces, unreported, most };
}

/** Output tokens of one picture: by quality, each with its previews. */
function largestResult({ quality, partial_images: previews }: Fields): number {
  const tokens = quality === 'low' ? 500 : quality === 'medium' ? 2000 : 8000;
  return (
    tokens + (typeof previews === 'number' && previews > 0 ? 100 * Math.min(10, Math.ceil(previews)) : 0)
  );
}

export function speechEstimate(fields: Fields, model: string): Estimate {
  const text = typeof fields['input'] === 'string' ? fields['input'] : '';
  const characters = charactersOf(text);
  // tts-1 and tts-1-hd are priced per character; newer models by text and audio tokens.
  if (model.startsWith('tts')) return { ...made(characters), isExact: true };
  const input = estimateTokens(text);
  const audioOutput = Math.ceil(characters * AUDIO_TOKENS_PER_CHARACTER);
  // Instructions can ask for slow speech.
  const most = usageOf({ input, audioOutput: SLOWEST_SPEECH * audioOutput });
  return { ...made(input), unreported: usageOf({ input, audioOutput }), most };
}

/** Counts code points: a surrogate pair is one character. */
function charactersOf(text: string): number {
  let pairs = 0;
  for (let at = 0; at < text.length; at += 1) {
    const code = text.charCodeAt(at);
    if (code >= 0xd800 && code <= 0xdbff) pairs += 1;
  }
  return text.length - pairs;
}

/** Replaced by the recording's duration once the file is read. */
export function transcriptionEstimate(fields: Fields): Estimate {
  return made(1000 + inputTokens(fields['prompt']));
}

function messageTokens(message: unknown): number {
  if (typeof message === 'string') return estimateTokens(message);
  if (!isObject(message)) return 0;
  let tokens = PER_MESSAGE + (typeof message['name'] === 'string' ? 1 : 0);
  tokens += contentTokens(message['content']) + contentTokens(message['output']);
  tokens += contentTokens(message['reasoning_content']) + contentTokens(message['arguments']);
  tokens += structureTokens(message['tool_calls']) + structureTokens(message['function_call']);
  return tokens;
}

function contentTokens(content: unknown): number {
  if (typeof content === 'string') return estimateTokens(content);
  if (!Array.isArray(content)) return 0;
  let tokens = 0;
  for (const part of content as unknown[]) tokens += partTokens(part);
  return tokens;
}

function partTokens(part: unknown): number {
  if (typeof part === 'string') return estimateTokens(part);
  if (!isObject(part)) return 0;
  const type = typeof part['type'] === 'string' ? part['type'] : '';
  if (type.includes('image')) return imageTokens(part);
  if (type.includes('audio')) return PER_AUDIO_PART;
  if (type.includes('file') || type === 'document') return PER_FILE;
  if (type === 'thinking') return contentTokens(part['thinking']);
  if (type === 'tool_use') return structureTokens(part['input']);
  return contentTokens(part['text'] ?? part['content'] ?? part['output']);
}

export function imageTokens(part: Fields): number {
  const holder = isObject(part['image_url']) ? part['image_url'] : part;
  return holder['detail'] === 'low' ? LOW_DETAIL_IMAGE : HIGH_DETAIL_IMAGE;
}

function inputTokens(input: unknown): number {
  if (typeof input === 'string') return estimateTokens(input);
  if (typeof input === 'number') return 1;
  if (Array.isArray(input)) {
    let tokens = 0;
    for (const item of input as unknown[]) tokens += inputTokens(item);
    return tokens;
  }
  if (isObject(input)) return partTokens(input['type'] === undefined ? input['text'] : input);
  return 0;
}

function structureTokens(value: unknown): number {
  return value === undefined || value === null ? 0 : estimateTokens(JSON.stringify(value));
}
