/** Anthropic's Messages. */
import type { Call, CallMessage, CallPart } from '#web/features/playground/call.ts';
import { argumentsOf, budgetOf, hasAudio, set, type Dialect, type Lost } from './dialect.ts';

type Block = Record<string, unknown>;
interface Message {
  role: 'user' | 'assistant';
  content: string | Block[];
}

/** The format has no default. */
const USUAL_LIMIT = 4096;
const LEAST_BUDGET = 1024;

export const messages: Dialect = (call) => {
  const limit = limitOf(call);
  return {
    path: '/v1/messages',
    headers: (key) => ({ 'x-api-key': key, 'anthropic-version': '2023-06-01' }),
    body: set({
      model: call.model,
      max_tokens: limit,
      system: call.system === '' ? undefined : call.system,
      messages: merged(call.messages.map(messageOf)),
      stream: true,
      temperature: call.temperature,
      top_p: call.topP,
      stop_sequences: call.stop,
      ...thinkingOf(call, limit),
      tools:
        call.tools.length === 0
          ? undefined
          : call.tools.map(({ name, description, parameters }) => ({
              name,
              description,
              input_schema: parameters,
            })),
    }),
    lost: lostOf(call),
  };
};

function limitOf({ maxTokens, facts }: Call): number {
  if (maxTokens > 0) return maxTokens;
  return facts !== undefined && facts.max_output > 0 ? Math.min(facts.max_output, 32_000) : USUAL_LIMIT;
}

function thinkingOf({ effort, facts, format }: Call, limit: number): Block {
  const schema = format?.type === 'schema' ? { format: { type: 'json_schema', schema: format.schema } } : {};
  if (effort === undefined || effort === 'none' || facts?.reasons_by === 'budget') {
    const thinking =
      effort === undefined || effort === 'none'
        ? {}
        : {
            thinking: {
              type: 'enabled',
              budget_tokens: Math.max(LEAST_BUDGET, Math.min(budgetOf(effort), limit - 1)),
            },
          };
    return format?.type === 'schema' ? { ...thinking, output_config: schema } : thinking;
  }
  return { output_config: { effort, ...schema } };
}

function lostOf(call: Call): Lost[] {
  return [
    ...(hasAudio(call) ? (['audio'] as const) : []),
    ...(call.format?.type === 'json' ? (['json'] as const) : []),
    ...(call.seed === undefined ? [] : (['seed'] as const)),
    ...(call.frequencyPenalty === undefined && call.presencePenalty === undefined
      ? []
      : (['penalties'] as const)),
    ...(call.verbosity === undefined ? [] : (['verbosity'] as const)),
  ];
}

function messageOf(message: CallMessage): Message {
  switch (message.role) {
    case 'user': {
      const [only] = message.parts;
      const isText = message.parts.length === 1 && only?.type === 'text';
      return { role: 'user', content: isText ? only.text : message.parts.flatMap(blocksOf) };
    }
    case 'tool':
      return {
        role: 'user',
        content: [{ type: 'tool_result', tool_use_id: message.id, content: message.result }],
      };
    default:
      if (message.calls.length === 0) return { role: 'assistant', content: message.text };
      return {
        role: 'assistant',
        content: [
          ...(message.text === '' ? [] : [{ type: 'text', text: message.text }]),
          ...message.calls.map((each) => ({
            type: 'tool_use',
            id: each.id,
            name: each.name,
            input: argumentsOf(each.arguments),
          })),
        ],
      };
  }
}

/** The results of all calls of one answer are one message. */
function merged(list: readonly Message[]): Message[] {
  const all: Message[] = [];
  for (const message of list) {
    const last = all.at(-1);
    const isResult = (given: Message | undefined) =>
      Array.isArray(given?.content) && given.content[0]?.['type'] === 'tool_result';
    if (last && isResult(last) && isResult(message))
      last.content = [...(last.content as Block[]), ...(message.content as Block[])];
    else all.push({ ...message });
  }
  return all;
}

function blocksOf(part: CallPart): Block[] {
  switch (part.type) {
    case 'text':
      return [{ type: 'text', text: part.text }];
    case 'image':
      return [{ type: 'image', source: { type: 'base64', media_type: part.mediaType, data: part.data } }];
    case 'pdf':
      return [
        {
          type: 'document',
          title: part.name,
          source: { type: 'base64', media_type: 'application/pdf', data: part.data },
        },
      ];
    default:
      return [];
  }
}
