// Coze's third version: bots stream their answers; refusals have status 200 and a number.
import type { Answer, Route, StreamEvent } from '#mock/upstream/dialect.ts';
import type { Composition } from '#mock/upstream/openai/compose.ts';
import { nowSeconds, uniqueId } from '#mock/upstream/openai/identity.ts';
import { converse, refused, supplierDialect, table, type Json, textOf } from '#mock/upstream/supplier.ts';

const route: Route = {
  lastUserText: (body) => textOf((body['additional_messages'] as Json[] | undefined)?.at(-1)?.['content']),
  answer(exchange): Answer {
    const { body } = exchange;
    if (body['bot_id'] !== 'mock-bot' || body['stream'] !== true || typeof body['user_id'] !== 'string')
      return refused(200, { code: 4000, msg: 'Request parameter error' });
    const messages = body['additional_messages'] as Json[];
    const composition = converse(
      exchange,
      messages.map(({ content }) => content),
    );
    return { kind: 'events', events: events(composition) };
  },
};

function* events(composition: Composition): Generator<StreamEvent> {
  const chat = {
    id: uniqueId('z'),
    conversation_id: uniqueId('z'),
    bot_id: 'mock-bot',
    created_at: nowSeconds(),
  };
  const event = (name: string, data: Json, tokens = 0): StreamEvent => ({
    event: name,
    data: JSON.stringify(data),
    tokens,
  });
  yield event('conversation.chat.created', { ...chat, status: 'created' });
  const answer = { id: uniqueId('z'), role: 'assistant', type: 'answer', content_type: 'text' };
  for (const content of composition.pieces)
    yield event('conversation.message.delta', { ...answer, content }, 1);
  yield event('conversation.message.completed', { ...answer, content: composition.pieces.join('') });
  yield event('conversation.message.completed', { ...answer, type: 'follow_up', content: 'What else?' });
  const { inputTokens, outputTokens } = composition.usage;
  const usage = {
    token_count: inputTokens + outputTokens,
    input_count: inputTokens,
    output_count: composition.reportedOutput,
  };
  yield { ...event('conversation.chat.completed', { ...chat, status: 'completed', usage }), usage: true };
  yield { event: 'done', data: '"[DONE]"' };
}

export const coze = supplierDialect({
  name: 'coze',
  route: table({ 'POST /v3/chat': route }),
  readCall: ({ body }) => ({ model: textOf(body['bot_id']), stream: true }),
  isKnown: ({ key }) => key !== '' && !key.startsWith('sk-invalid'),
  error: (status) =>
    refused(200, { code: status === 401 ? 4100 : status === 429 ? 4013 : 4000, msg: 'coze refused' }),
  midStreamError: () => ({ event: 'error', data: '{"code":5000,"msg":"broken"}' }),
});
