// The stream of /v1/messages, event by event in Anthropic's order: message_start with the input's usage, a ping, blocks one
// after another each under its own index, message_delta with the whole usage, message_stop.
import type { Exchange, StreamEvent } from '#mock/upstream/dialect.ts';
import { endlessPieces, splitArguments } from '#mock/upstream/openai/compose.ts';
import { type MessageAnswer, thinkingBlock, toolUseOf } from './message-answer.ts';

type Json = Record<string, unknown>;

export function* messageEvents(exchange: Exchange, answer: MessageAnswer): Generator<StreamEvent> {
  const { behaviour } = exchange;
  const { composition, head, inputUsage } = answer;
  const reportsUsage = behaviour.usageReport !== 'missing';
  const emit = (type: string, fields: Json, tokens = 0): StreamEvent => ({
    event: type,
    data: JSON.stringify({ type, ...fields }),
    tokens,
  });
  let index = 0;
  const delta = (fields: Json, tokens = 0): StreamEvent =>
    emit('content_block_delta', { index, delta: fields }, tokens);
  const stop = (): StreamEvent => {
    const event = emit('content_block_stop', { index });
    index += 1;
    return event;
  };
  const start = (block: Json): StreamEvent => emit('content_block_start', { index, content_block: block });

  const usage = reportsUsage ? { usage: { ...inputUsage, output_tokens: 1 } } : {};
  const message = { ...head, content: [], stop_reason: null, stop_sequence: null, ...usage };
  yield { ...emit('message_start', { message }), usage: reportsUsage };
  yield emit('ping', {});
  if (composition.reasoning.length > 0) {
    const block = thinkingBlock(exchange, composition.reasoning.join(''));
    if (block['type'] === 'redacted_thinking') yield start(block);
    else {
      yield start({ type: 'thinking', thinking: '', signature: '' });
      for (const thinking of composition.reasoning) yield delta({ type: 'thinking_delta', thinking }, 1);
      yield delta({ type: 'signature_delta', signature: block['signature'] });
    }
    yield stop();
  }
  if (composition.pieces.length > 0 || behaviour.endless) {
    yield start({ type: 'text', text: '' });
    for (const text of behaviour.endless ? endlessPieces() : composition.pieces)
      yield delta({ type: 'text_delta', text }, 1);
    yield stop();
  }
  for (const call of composition.toolCalls) {
    yield start({ ...toolUseOf(call), input: {} });
    // The first delta is always empty, and a call without arguments has no other.
    yield delta({ type: 'input_json_delta', partial_json: '' }, 1);
    if (call.arguments !== '' && call.arguments !== '{}')
      for (const partial_json of splitArguments(call.arguments))
        yield delta({ type: 'input_json_delta', partial_json }, 1);
    yield stop();
  }
  const ending = { stop_reason: answer.stopReason, stop_sequence: answer.stopSequence };
  const whole = reportsUsage
    ? { usage: { ...inputUsage, output_tokens: composition.usage.outputTokens } }
    : {};
  const last = { ...emit('message_delta', { delta: ending, ...whole }), usage: reportsUsage };
  yield last;
  if (behaviour.usageReport === 'twice') yield last;
  if (!behaviour.omitDone) yield emit('message_stop', {});
}
