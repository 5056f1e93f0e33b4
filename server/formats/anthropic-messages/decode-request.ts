// Requests of Anthropic's Messages API to canonical.
import type {
  CanonicalMessage,
  CanonicalReasoning,
  CanonicalRequest,
  CanonicalResponseFormat,
  ConversionNote,
} from '#server/formats/canonical.ts';
import {
  FormatError,
  member,
  objectAt,
  objectsAt,
  optionalInteger,
  optionalNumber,
  optionalObject,
  optionalText,
  optionalTexts,
  otherMembers,
  textAt,
  withoutUndefined,
  type Json,
} from '#server/formats/json.ts';
import { placeGoogleSignatures } from '#server/formats/signatures.ts';
import { sharedFields } from '#server/formats/shared-fields.ts';
import { ToolNames } from '#server/formats/tool-names.ts';
import { decodeBlocks, decodeCache, type DecodeContext } from './blocks.ts';
import { decodeToolChoice, decodeTools } from './tools.ts';

const named = new Set([
  'model',
  'messages',
  'system',
  'max_tokens',
  'metadata',
  'stop_sequences',
  'stream',
  'temperature',
  'top_p',
  'top_k',
  'tools',
  'tool_choice',
  'thinking',
  'output_config',
  'service_tier',
  'cache_control',
]);

export function decodeRequest(body: unknown, notes: ConversionNote[]): CanonicalRequest {
  const fields = objectAt(body, '');
  const context: DecodeContext = { names: new ToolNames(), notes, depth: 0 };
  const tools = decodeTools(fields['tools'], context.names);
  const metadata = optionalObject(fields['metadata'], 'metadata');
  const output = optionalObject(fields['output_config'], 'output_config') ?? {};
  const system = decodeBlocks(fields['system'], 'system', context);
  const messages = objectsAt(fields['messages'], 'messages').map((message, index) =>
    decodeMessage(message, `messages[${index}]`, context),
  );
  if (system.length > 0) messages.unshift({ role: 'system', content: system });
  return withoutUndefined<CanonicalRequest>({
    format: 'anthropic-messages',
    ...sharedFields(fields),
    messages,
    maxOutputTokens: optionalInteger(fields['max_tokens'], 'max_tokens'),
    topK: optionalNumber(fields['top_k'], 'top_k'),
    stop: optionalTexts(fields['stop_sequences'], 'stop_sequences'),
    tools,
    ...decodeToolChoice(fields['tool_choice'], context.names),
    responseFormat: decodeFormat(output['format'] ?? fields['output_format']),
    reasoning: decodeThinking(fields, output),
    user: optionalText(metadata?.['user_id'], 'metadata.user_id'),
    ...decodeCache(fields),
    extra: otherMembers(fields, named),
  });
}

function decodeMessage(message: Json, path: string, context: DecodeContext): CanonicalMessage {
  const role = textAt(message['role'], `${path}.role`);
  if (role !== 'user' && role !== 'assistant' && role !== 'system')
    throw new FormatError(`${path}.role`, 'user, assistant or system');
  const content = decodeBlocks(message['content'], `${path}.content`, context);
  return { role, content: role === 'assistant' ? placeGoogleSignatures(content) : content };
}

function decodeFormat(given: unknown): CanonicalResponseFormat | undefined {
  const format = optionalObject(given, 'output_config.format');
  return format === undefined ? undefined : { type: 'json_schema', schema: format['schema'], strict: true };
}

function decodeThinking(fields: Json, output: Json): CanonicalReasoning | undefined {
  const thinking = optionalObject(fields['thinking'], 'thinking');
  const effort = optionalText(output['effort'], 'output_config.effort');
  if (thinking === undefined) return effort === undefined ? undefined : { effort };
  const shown = member(thinking)['display'] === 'omitted' ? {} : { summary: 'auto' };
  switch (thinking['type']) {
    case 'enabled': {
      const budgetTokens = optionalInteger(thinking['budget_tokens'], 'thinking.budget_tokens');
      return withoutUndefined({ budgetTokens, effort, ...shown });
    }
    case 'disabled':
      return { effort: 'none' };
    default:
      return withoutUndefined({ isAdaptive: true, effort, ...shown });
  }
}
