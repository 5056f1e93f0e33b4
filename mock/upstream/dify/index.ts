// Dify's chat applications.
import type { Answer, Route, StreamEvent } from '#mock/upstream/dialect.ts';
import type { Composition } from '#mock/upstream/openai/compose.ts';
import { nowSeconds, uniqueId } from '#mock/upstream/openai/identity.ts';
import {
  converse,
  json,
  refused,
  supplierDialect,
  table,
  type Json,
  textOf,
} from '#mock/upstream/supplier.ts';

const route: Route = {
  lastUserText: (body) => textOf(body['query']),
  answer(exchange): Answer {
    const { body, record } = exchange;
    if (typeof body['query'] !== 'string' || typeof body['user'] !== 'string' || body['inputs'] === undefined)
      return refused(400, { code: 'invalid_param', message: 'Arg user must be provided.', status: 400 });
    const composition = converse(exchange, [body['query']]);
    const head = { message_id: uniqueId('d'), conversation_id: uniqueId('d'), created_at: nowSeconds() };
    if (record.stream) return { kind: 'events', events: events(composition, head) };
    const answer = composition.pieces.join('');
    return json({
      event: 'message',
      mode: 'chat',
      answer,
      ...head,
      metadata: { usage: usageOf(composition) },
    });
  },
};

function* events(composition: Composition, head: Json): Generator<StreamEvent> {
  yield { data: JSON.stringify({ event: 'workflow_started', ...head }) };
  for (const answer of composition.pieces)
    yield { data: JSON.stringify({ event: 'message', answer, ...head }), tokens: 1 };
  yield { event: 'ping', data: JSON.stringify({ event: 'ping' }) };
  const metadata = { usage: usageOf(composition), retriever_resources: [] };
  yield { data: JSON.stringify({ event: 'message_end', ...head, metadata }), usage: true };
}

function usageOf({ usage, reportedOutput }: Composition): Json {
  const [prompt_tokens, completion_tokens] = [usage.inputTokens, reportedOutput];
  return {
    prompt_tokens,
    completion_tokens,
    total_tokens: prompt_tokens + usage.outputTokens,
    currency: 'USD',
  };
}

export const dify = supplierDialect({
  name: 'dify',
  route: table({ 'POST /v1/chat-messages': route }),
  readCall: ({ body }) => ({ model: '', stream: body['response_mode'] === 'streaming' }),
  isKnown: ({ key }) => key !== '' && !key.startsWith('sk-invalid'),
  error: (status) =>
    refused(status, {
      code: status === 401 ? 'unauthorized' : 'invalid_param',
      message: 'dify refused',
      status,
    }),
  midStreamError: () => ({ data: '{"event":"error","status":500,"code":"internal","message":"broken"}' }),
});
