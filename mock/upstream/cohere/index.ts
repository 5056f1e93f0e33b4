// Cohere's second version: chat in its own events, embeddings by type, reranking.
import type { Answer, Exchange, Route, StreamEvent } from '#mock/upstream/dialect.ts';
import { splitArguments, type Composition } from '#mock/upstream/openai/compose.ts';
import { uniqueId } from '#mock/upstream/openai/identity.ts';
import { lastRole, lastUserText } from '#mock/upstream/openai/prompt.ts';
import { converse, json, refused, supplierDialect, table, type Json } from '#mock/upstream/supplier.ts';

const chatRoute: Route = {
  lastUserText: (body) => lastUserText(body['messages']),
  answer(exchange): Answer {
    const { body, record } = exchange;
    const messages = body['messages'] as Json[];
    if ('max_completion_tokens' in body || 'top_p' in body || 'stop' in body)
      return refused(400, { message: 'invalid request: unknown field' });
    const tools = (body['tools'] ?? []) as { function: { name: string; parameters: unknown } }[];
    if (tools.some(({ function: described }) => typeof described?.name !== 'string'))
      return refused(400, { message: 'invalid request: all tools must be functions' });
    const composition = converse(
      exchange,
      messages.map((message) => JSON.stringify(message['content'] ?? '')),
      {
        limit: body['max_tokens'],
        tools: tools.map((tool) => tool.function),
        isAfterTool: lastRole(messages) === 'tool',
      },
    );
    if (record.stream) return { kind: 'events', events: events(composition) };
    return json({
      id: uniqueId('c'),
      finish_reason: reasonOf(composition),
      message: {
        role: 'assistant',
        ...(composition.pieces.length > 0
          ? { content: [{ type: 'text', text: composition.pieces.join('') }] }
          : {}),
        ...(composition.toolCalls.length > 0
          ? {
              tool_plan: 'I will look it up.',
              tool_calls: composition.toolCalls.map((call) => ({
                id: uniqueId('t'),
                type: 'function',
                function: call,
              })),
            }
          : {}),
      },
      usage: usageOf(composition),
    });
  },
};

function* events(composition: Composition): Generator<StreamEvent> {
  const event = (type: string, rest: Json, tokens = 0): StreamEvent => ({
    event: type,
    data: JSON.stringify({ type, ...rest }),
    tokens,
  });
  yield event('message-start', { id: uniqueId('c'), delta: { message: { role: 'assistant', content: [] } } });
  if (composition.pieces.length > 0)
    yield event('content-start', { index: 0, delta: { message: { content: { type: 'text', text: '' } } } });
  for (const text of composition.pieces)
    yield event('content-delta', { index: 0, delta: { message: { content: { text } } } }, 1);
  if (composition.pieces.length > 0) yield event('content-end', { index: 0 });
  for (const [index, call] of composition.toolCalls.entries()) {
    const begun = { id: uniqueId('t'), type: 'function', function: { name: call.name, arguments: '' } };
    yield event('tool-call-start', { index, delta: { message: { tool_calls: begun } } });
    for (const piece of splitArguments(call.arguments))
      yield event(
        'tool-call-delta',
        { index, delta: { message: { tool_calls: { function: { arguments: piece } } } } },
        1,
      );
    yield event('tool-call-end', { index });
  }
  const delta = { finish_reason: reasonOf(composition), usage: usageOf(composition) };
  yield { ...event('message-end', { id: uniqueId('c'), delta }), usage: true };
}

function reasonOf({ finishReason }: Composition): string {
  return { stop: 'COMPLETE', length: 'MAX_TOKENS', tool_calls: 'TOOL_CALL' }[finishReason] ?? 'COMPLETE';
}

function usageOf({ usage, shape }: Composition): Json {
  const units = { input_tokens: usage.inputTokens, output_tokens: usage.outputTokens };
  // More is counted than billed.
  return {
    billed_units: units,
    tokens: { input_tokens: usage.inputTokens + 70, output_tokens: usage.outputTokens },
    ...(shape === 'cached-at-top' ? { cached_tokens: usage.cachedInputTokens } : {}),
  };
}

function embed({ body, record }: Exchange): Answer {
  const texts = body['texts'] as unknown[];
  record.usage = { ...record.usage, inputTokens: texts.length * 2 };
  return json({
    id: uniqueId('e'),
    embeddings: { float: texts.map(() => [0.5, 0.25]) },
    meta: { billed_units: { input_tokens: texts.length * 2 } },
  });
}

function rerank({ body }: Exchange): Answer {
  const results = (body['documents'] as unknown[]).map((_, index) => ({
    index,
    relevance_score: 0.9 - index / 10,
  }));
  return json({ id: uniqueId('r'), results, meta: { billed_units: { search_units: 1 } } });
}

export const cohere = supplierDialect({
  name: 'cohere',
  route: table({
    'POST /v2/chat': chatRoute,
    'POST /v2/embed': { answer: embed },
    'POST /v2/rerank': { answer: rerank },
  }),
  isKnown: ({ key }) => key !== '' && !key.startsWith('sk-invalid'),
  error: (status) => refused(status, { message: status === 401 ? 'invalid api token' : 'cohere refused' }),
});
