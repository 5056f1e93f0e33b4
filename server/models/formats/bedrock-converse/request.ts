// Canonical requests to Converse requests. The URL contains the model.
import type {
  CacheHint,
  CanonicalMessage,
  CanonicalPart,
  CanonicalRequest,
  CanonicalTool,
  ConversionNote,
  MediaPart,
} from '#server/models/formats/canonical.ts';
import { drop, dropAttachment } from '#server/models/formats/extras.ts';
import { withForeignItems } from '#server/models/formats/foreign-items.ts';
import { lookup, parseArguments, withoutUndefined, type Json } from '#server/models/formats/json.ts';
import { inlineOf, withShownPictures } from '#server/models/formats/media.ts';
import { titled } from '#server/models/formats/openai-chat/parts.ts';
import { splitInstructions } from '#server/models/formats/supplier-codec.ts';
import { describedSchema, noteDropped } from '#server/models/formats/requested-features.ts';
import {
  allowedTools,
  customDescription,
  CUSTOM_PARAMETERS,
  safeCallId,
  wrapCustom,
} from '#server/models/formats/tool-names.ts';

export function encodeRequest(given: CanonicalRequest, notes: ConversionNote[]): Json {
  const request = withForeignItems(given, undefined, notes);
  const carried = ['maxOutputTokens', 'temperature', 'topP', 'topK', 'stop', 'tools', 'toolChoice'] as const;
  const schema = answerSchema(request);
  noteDropped(request, schema === undefined ? carried : [...carried, 'responseFormat'], notes, {
    cache: 'without time',
    filename: (part) => part.type === 'file' && (part.text !== undefined || inlineOf(part) !== undefined),
  });
  const split = splitInstructions(request.messages);
  // A prompt of instructions only is a question: a conversation must not be empty.
  const isQuestion = split.spoken.length === 0;
  const spoken = isQuestion ? split.system.map((each) => ({ ...each, role: 'user' as const })) : split.spoken;
  const instructions = isQuestion ? [] : split.system;
  const system = instructions.flatMap(({ content }) => content.flatMap((part) => systemBlocks(part, notes)));
  const inference = withoutUndefined({
    maxTokens: request.maxOutputTokens,
    temperature: request.temperature,
    topP: request.topP,
    stopSequences: request.stop,
  });
  const { topK } = request;
  return withoutUndefined({
    messages: mergedTurns(spoken, notes),
    system: system.length === 0 ? undefined : system,
    inferenceConfig: Object.keys(inference).length === 0 ? undefined : inference,
    toolConfig: schema === undefined ? toolConfig(request, notes) : answerConfig(schema),
    additionalModelRequestFields: topK === undefined ? undefined : { top_k: topK },
  });
}

function systemBlocks(part: CanonicalPart, notes: ConversionNote[]): Json[] {
  if (part.type === 'text') return [{ text: part.text }, ...cachePoint(part.cache)];
  drop(notes, `system.${part.type}`, 'instructions are text only');
  return [];
}

/** Roles must alternate and begin with the user; tool results are the user's. */
function mergedTurns(messages: readonly CanonicalMessage[], notes: ConversionNote[]): Json[] {
  const turns: { role: string; content: Json[] }[] = [];
  for (const { role: given, content } of withShownPictures(messages, notes)) {
    const role = given === 'assistant' ? 'assistant' : 'user';
    const blocks = content.flatMap((part) => blocksOf(part, notes));
    if (blocks.length === 0) continue;
    const last = turns.at(-1);
    if (last?.role === role) last.content.push(...blocks);
    else turns.push({ role, content: blocks });
  }
  if (turns[0]?.role === 'assistant') turns.unshift({ role: 'user', content: [{ text: '…' }] });
  return turns;
}

function blocksOf(part: CanonicalPart, notes: ConversionNote[]): Json[] {
  switch (part.type) {
    case 'text':
      // Bedrock refuses empty text.
      return part.text === '' ? [] : [{ text: part.text }, ...cachePoint(part.cache)];
    case 'refusal':
      return [{ text: part.text }];
    case 'tool_call': {
      const input = parseArguments(part.isCustom === true ? wrapCustom(part.arguments) : part.arguments);
      const toolUse = { toolUseId: safeCallId(part.id), name: part.name, input };
      return [{ toolUse }, ...cachePoint(part.cache)];
    }
    case 'tool_result': {
      const content = part.content.flatMap((inner) => blocksOf(inner, notes));
      const toolResult = withoutUndefined({
        toolUseId: safeCallId(part.callId),
        content: content.length === 0 ? [{ text: '(empty)' }] : content,
        status: part.isError === true ? 'error' : undefined,
      });
      return [{ toolResult }, ...cachePoint(part.cache)];
    }
    case 'reasoning':
      if (part.origin === 'anthropic' && part.redacted !== undefined)
        return [{ reasoningContent: { redactedContent: part.redacted } }];
      if (part.signature === undefined || part.origin !== 'anthropic') {
        drop(notes, 'content.reasoning', 'reasoning without its signature');
        return [];
      }
      return [{ reasoningContent: { reasoningText: { text: part.text, signature: part.signature } } }];
    case 'image':
    case 'audio':
    case 'video':
    case 'file':
      return mediaBlocks(part, notes);
    default:
      drop(notes, 'content.provider', 'an item of another provider’s own');
      return [];
  }
}

/** Bedrock accepts bytes only. */
function mediaBlocks(part: MediaPart, notes: ConversionNote[]): Json[] {
  const inline = inlineOf(part);
  if (part.type === 'file' && part.text !== undefined)
    return [{ text: titled(part, part.text) }, ...cachePoint(part.cache)];
  if (inline === undefined) {
    dropAttachment(notes, part.type, 'the upstream takes content, not addresses');
    return [];
  }
  const format = inline.mediaType.slice(inline.mediaType.indexOf('/') + 1);
  const source = { bytes: inline.data };
  if (part.type === 'image') return [{ image: { format, source } }, ...cachePoint(part.cache)];
  if (part.type === 'video') return [{ video: { format, source } }];
  if (part.type === 'file') {
    const name = (part.filename ?? 'document').replaceAll(/[^A-Za-z0-9 ()[\]-]/g, '-');
    return [
      { document: { format: lookup(DOCUMENT_FORMATS, format) ?? format, name, source } },
      ...cachePoint(part.cache),
    ];
  }
  dropAttachment(notes, 'audio', 'the upstream takes no recordings');
  return [];
}

const DOCUMENT_FORMATS: Readonly<Record<string, string>> = { plain: 'txt', markdown: 'md' };

function cachePoint(cache: CacheHint | undefined): Json[] {
  return cache === undefined ? [] : [{ cachePoint: { type: 'default' } }];
}

/** Bedrock has no schema for answers: the model is made to call a tool with it. Not beside tools of the caller. */
export const ANSWER_TOOL = 'structured_answer';

function answerSchema({ responseFormat, tools = [], messages }: CanonicalRequest): unknown {
  if (responseFormat?.type !== 'json_schema' || tools.length > 0 || calledNames(messages).length > 0)
    return undefined;
  return describedSchema(responseFormat);
}

const answerConfig = (json: unknown): Json => ({
  tools: [{ toolSpec: { name: ANSWER_TOOL, description: 'Gives the answer.', inputSchema: { json } } }],
  toolChoice: { tool: { name: ANSWER_TOOL } },
});

const calledNames = (messages: readonly CanonicalMessage[]): string[] => [
  ...new Set(
    messages.flatMap(({ content }) =>
      content.flatMap((part) => (part.type === 'tool_call' ? [part.name] : [])),
    ),
  ),
];

function toolConfig(request: CanonicalRequest, notes: ConversionNote[]): Json | undefined {
  const { toolChoice } = request;
  const called = calledNames(request.messages);
  const tools = allowedTools(request, notes) ?? [];
  // Bedrock refuses earlier calls without tools.
  if (tools.length === 0 && called.length > 0) {
    const inputSchema = { json: { type: 'object' } };
    return { tools: called.map((name) => ({ toolSpec: { name, inputSchema } })) };
  }
  if (tools.length === 0) return undefined;
  const hasCalled = called.length > 0;
  // Bedrock has no choice "none".
  if (toolChoice === 'none' && !hasCalled) return undefined;
  const specs = tools.flatMap((tool) => toolSpecs(tool, notes));
  if (specs.length === 0) return undefined;
  return withoutUndefined({ tools: specs, toolChoice: choiceOf(toolChoice, notes) });
}

function toolSpecs(tool: CanonicalTool, notes: ConversionNote[]): Json[] {
  if (tool.type === 'provider') {
    drop(notes, 'tools', `${tool.name} is run by another provider`);
    return [];
  }
  const json = tool.type === 'custom' ? CUSTOM_PARAMETERS : (tool.parameters ?? { type: 'object' });
  const toolSpec = withoutUndefined({
    name: tool.name,
    description: tool.type === 'custom' ? customDescription(tool) : tool.description,
    inputSchema: { json },
  });
  return [{ toolSpec }, ...cachePoint(tool.cache)];
}

function choiceOf(choice: CanonicalRequest['toolChoice'], notes: ConversionNote[]): Json | undefined {
  if (choice === undefined || choice === 'auto') return undefined;
  if (choice === 'required') return { any: {} };
  if (typeof choice === 'object' && 'name' in choice) return { tool: { name: choice.name } };
  if (typeof choice === 'object' && 'allowed' in choice)
    return choice.mode === 'required' ? { any: {} } : undefined;
  drop(notes, 'tool_choice', 'the upstream has no such choice');
  return undefined;
}
