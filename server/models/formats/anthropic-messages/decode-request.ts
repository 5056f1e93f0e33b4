// Requests of Anthropic's Messages API to canonical.
import type {
  CanonicalMessage,
  CanonicalReasoning,
  CanonicalRequest,
  CanonicalResponseFormat,
  ConversionNote,
} from '#server/models/formats/canonical.ts';
import { decodeCache } from '#server/models/formats/cache-control.ts';
import { Fields, sharedFields, withUnread } from '#server/models/formats/fields.ts';
import { FormatError, withoutUndefined } from '#server/models/formats/json.ts';
import { placeGoogleSignatures } from '#server/models/formats/signatures.ts';
import { ToolNames } from '#server/models/formats/tool-names.ts';
import { decodeBlocks, type DecodeContext } from './blocks.ts';
import { decodeToolChoice, decodeTools } from './tools.ts';

export function decodeRequest(body: unknown, notes: ConversionNote[]): CanonicalRequest {
  const fields = new Fields(body);
  const context: DecodeContext = { names: new ToolNames(), notes, depth: 0 };
  const tools = decodeTools(fields, context.names);
  const metadata = fields.optionalObject('metadata');
  const output = fields.optionalObject('output_config');
  const older = fields.optionalObject('output_format');
  const format = output?.optionalObject('format') ?? older;
  const system = decodeBlocks(fields, 'system', context);
  const messages = fields.objects('messages').map((message) => decodeMessage(message, context));
  if (system.length > 0) messages.unshift({ role: 'system', content: system });
  return withUnread(fields, {
    format: 'anthropic-messages',
    ...sharedFields(fields),
    messages,
    maxOutputTokens: fields.optionalInteger('max_tokens'),
    topK: fields.optionalNumber('top_k'),
    stop: fields.optionalTexts('stop_sequences'),
    tools,
    ...decodeToolChoice(fields.optionalObject('tool_choice'), context.names),
    responseFormat: decodeFormat(format),
    reasoning: decodeThinking(fields.optionalObject('thinking'), output?.optionalText('effort')),
    user: metadata?.optionalText('user_id'),
    ...decodeCache(fields),
    extra: fields.others(),
  });
}

function decodeMessage(message: Fields, context: DecodeContext): CanonicalMessage {
  const role = message.text('role');
  if (role !== 'user' && role !== 'assistant' && role !== 'system')
    throw new FormatError(message.at('role'), 'user, assistant or system');
  const content = decodeBlocks(message, 'content', context);
  return { role, content: role === 'assistant' ? placeGoogleSignatures(content) : content };
}

function decodeFormat(format: Fields | undefined): CanonicalResponseFormat | undefined {
  if (format === undefined) return undefined;
  format.ignore('type');
  return { type: 'json_schema', schema: format.get('schema'), strict: true };
}

function decodeThinking(
  thinking: Fields | undefined,
  effort: string | undefined,
): CanonicalReasoning | undefined {
  if (thinking === undefined) return effort === undefined ? undefined : { effort };
  const shown = thinking.get('display') === 'omitted' ? { isHidden: true } : { summary: 'auto' };
  switch (thinking.get('type')) {
    case 'enabled':
      return withoutUndefined({ budgetTokens: thinking.optionalInteger('budget_tokens'), effort, ...shown });
    case 'disabled':
      return { effort: 'none' };
    default:
      return withoutUndefined({ isAdaptive: true, effort, ...shown });
  }
}
