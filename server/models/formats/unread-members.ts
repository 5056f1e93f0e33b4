// Members of an upstream's answer that its codec does not read: they are lost before there is an event that could be noted
// (answer-losses.ts). The tables name what is read, and what says nothing about the answer: facts of the call, ratings that come
// with every answer, and what repeats the request. `unread-members.test.ts` compares them with the vendors' types.
import { isObject, lookup, text, type Json } from './json.ts';

/** `true`: read as a whole, or without a meaning for the caller. Lists are meant item by item. */
type Known = true | { readonly [member: string]: Known } | ((object: Json) => Known);

const all = (...names: string[]): Record<string, Known> =>
  Object.fromEntries(names.map((name) => [name, true]));

/** An upstream could send any number of names. */
const MOST_NAMES = 20;

/** Adds the paths of the members that the table does not know and that say something. */
export function addUnread(value: unknown, known: Known, unread: Set<string>, path = ''): void {
  if (known === true) return;
  if (Array.isArray(value)) for (const item of value as unknown[]) addUnread(item, known, unread, path);
  if (!isObject(value)) return;
  const table = typeof known === 'function' ? known(value) : known;
  if (table === true || typeof table === 'function') return;
  for (const name in value) {
    const inner = lookup(table, name);
    if (inner === true) continue;
    const at = path === '' ? name : `${path}.${name}`;
    if (inner !== undefined) addUnread(value[name], inner, unread, at);
    else if (unread.size < MOST_NAMES && saysSomething(value[name])) unread.add(at);
  }
}

function saysSomething(value: unknown): boolean {
  if (Array.isArray(value)) return value.some(saysSomething);
  if (isObject(value)) return Object.values(value).some(saysSomething);
  return value !== null && value !== undefined && value !== '' && value !== false;
}

const chatMessage: Known = {
  ...all('role', 'content', 'refusal', 'reasoning_content', 'reasoning', 'reasoning_details'),
  ...all('function_call', 'annotations', 'images', 'audio', 'extra_content'),
  tool_calls: {
    ...all('index', 'id', 'type', 'extra_content'),
    function: all('name', 'arguments'),
    custom: all('name', 'input'),
  },
};

export const chatMembers: Known = {
  ...all('id', 'object', 'created', 'model', 'usage', 'service_tier', 'system_fingerprint', 'obfuscation'),
  // Of OpenRouter, Azure, Groq and llama.cpp, with every answer.
  ...all('provider', 'prompt_filter_results', 'x_groq', 'timings'),
  choices: {
    ...all('index', 'text', 'finish_reason', 'stop_reason'),
    ...all('native_finish_reason', 'matched_stop', 'content_filter_results', 'content_filter_offsets'),
    logprobs: all('content'),
    message: chatMessage,
    delta: chatMessage,
  },
};

const itemMembers: Readonly<Record<string, Known>> = {
  message: {
    ...all('type', 'id', 'role', 'status'),
    content: all('type', 'text', 'annotations', 'logprobs', 'refusal'),
  },
  function_call: all('type', 'id', 'call_id', 'name', 'arguments', 'status', 'caller'),
  custom_tool_call: all('type', 'id', 'call_id', 'name', 'input', 'status', 'caller'),
  reasoning: all('type', 'id', 'summary', 'content', 'encrypted_content', 'status'),
  image_generation_call: {
    ...all('type', 'id', 'result', 'status', 'output_format'),
    ...all('action', 'background', 'quality', 'size'),
  },
};

/** An item of another kind is an event as a whole, here and in the two formats below. */
const outputMembers: Known = (item) => lookup(itemMembers, text(item['type'])) ?? true;

export const responseMembers: Known = {
  ...all('id', 'object', 'created_at', 'completed_at', 'model', 'status', 'error', 'incomplete_details'),
  ...all('usage', 'service_tier', 'output_text', 'billing'),
  // Repeated from the request.
  ...all('instructions', 'metadata', 'parallel_tool_calls', 'temperature', 'tool_choice', 'tools', 'top_p'),
  ...all(
    'background',
    'conversation',
    'max_output_tokens',
    'max_tool_calls',
    'previous_response_id',
    'store',
  ),
  ...all('prompt', 'prompt_cache_key', 'prompt_cache_options', 'prompt_cache_retention', 'reasoning'),
  ...all('safety_identifier', 'text', 'top_logprobs', 'truncation', 'user'),
  ...all('frequency_penalty', 'presence_penalty'),
  output: outputMembers,
};

export const outputMember: Known = { output: outputMembers };

const blockMembers: Readonly<Record<string, Known>> = {
  text: all('type', 'text', 'citations'),
  tool_use: all('type', 'id', 'name', 'input', 'caller'),
  thinking: all('type', 'thinking', 'signature'),
  redacted_thinking: all('type', 'data'),
};

export const messageMembers: Known = {
  ...all('id', 'type', 'role', 'model', 'stop_reason', 'stop_sequence', 'usage'),
  stop_details: all('type', 'explanation'),
  content: (block) => lookup(blockMembers, text(block['type'])) ?? true,
};

const mediaMembers = all('mimeType', 'mime_type', 'data');
const readPart: Known = {
  ...all('text', 'thought', 'thoughtSignature'),
  functionCall: all('id', 'name', 'args'),
  inlineData: mediaMembers,
  inline_data: mediaMembers,
};

const partMembers: Known = (part) =>
  'text' in part || 'functionCall' in part || 'inlineData' in part || 'inline_data' in part ? readPart : true;

export const geminiMembers: Known = {
  ...all('responseId', 'modelVersion', 'createTime', 'usageMetadata', 'initialPromptTokenCount'),
  ...all('modelStatus'),
  promptFeedback: all('blockReason', 'blockReasonMessage', 'safetyRatings'),
  candidates: {
    ...all('index', 'finishReason', 'tokenCount', 'avgLogprobs', 'safetyRatings'),
    content: { role: true, parts: partMembers },
    groundingMetadata: {
      groundingChunks: true,
      groundingSupports: all('segment', 'groundingChunkIndices', 'confidenceScores'),
    },
    logprobsResult: all('chosenCandidates', 'topCandidates', 'logProbabilitySum'),
  },
};
