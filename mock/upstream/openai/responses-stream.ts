// The Responses stream, event by event in OpenAI's order with sequence numbers. The behaviour decides the last event
// (`completed`, `incomplete`, `failed`) and whether it reports usage.
import type { Exchange, StreamEvent } from '#mock/upstream/dialect.ts';
import { endlessPieces, splitArguments } from './compose.ts';
import { type OutputItem, type ResponsesAnswer, finished, outputItems } from './responses-answer.ts';

type Emit = (type: string, fields: Record<string, unknown>, tokens?: number) => StreamEvent;

export function* responsesEvents({ behaviour }: Exchange, answer: ResponsesAnswer): Generator<StreamEvent> {
  let sequence = 0;
  const emit: Emit = (type, fields, tokens = 0) => ({
    event: type,
    data: JSON.stringify({ type, sequence_number: sequence++, ...fields }),
    tokens,
  });
  const running = {
    ...answer.base,
    status: 'in_progress',
    error: null,
    incomplete_details: null,
    output: [],
    usage: null,
  };
  yield emit('response.created', { response: running });
  yield emit('response.in_progress', { response: running });
  const items = outputItems(answer);
  for (const [index, item] of items.entries()) {
    if (item.type === 'reasoning') yield* reasoningEvents(emit, index, item, answer);
    else if (item.type === 'message')
      yield* messageEvents(emit, index, item, answer, behaviour.endless === true);
    else yield* callEvents(emit, index, item);
  }
  const withUsage = behaviour.usageReport !== 'missing';
  const final = emit(`response.${answer.ending}`, { response: finished(answer, items, withUsage) });
  final.usage = withUsage;
  yield final;
  if (behaviour.usageReport === 'twice') yield { ...final };
}

function* reasoningEvents(
  emit: Emit,
  outputIndex: number,
  item: OutputItem,
  answer: ResponsesAnswer,
): Generator<StreamEvent> {
  const pieces = answer.composition.reasoning;
  yield emit('response.output_item.added', { output_index: outputIndex, item: { ...item, summary: [] } });
  const hidden = answer.composition.usage.reasoningTokens - pieces.length;
  if (pieces.length > 0) {
    const at = { item_id: item.id, output_index: outputIndex, summary_index: 0 };
    yield emit('response.reasoning_summary_part.added', { ...at, part: { type: 'summary_text', text: '' } });
    for (const delta of pieces) yield emit('response.reasoning_summary_text.delta', { ...at, delta }, 1);
    const text = pieces.join('');
    yield emit('response.reasoning_summary_text.done', { ...at, text });
    yield emit('response.reasoning_summary_part.done', { ...at, part: { type: 'summary_text', text } });
  }
  yield emit('response.output_item.done', { output_index: outputIndex, item }, Math.max(0, hidden));
}

function* messageEvents(
  emit: Emit,
  outputIndex: number,
  item: OutputItem,
  answer: ResponsesAnswer,
  endless: boolean,
): Generator<StreamEvent> {
  const { pieces } = answer.composition;
  const at = { item_id: item.id, output_index: outputIndex, content_index: 0 };
  const part = { type: 'output_text', annotations: [], logprobs: [], text: '' };
  yield emit('response.output_item.added', {
    output_index: outputIndex,
    item: { ...item, status: 'in_progress', content: [] },
  });
  yield emit('response.content_part.added', { ...at, part });
  for (const delta of endless ? endlessPieces() : pieces) {
    yield emit('response.output_text.delta', { ...at, delta, logprobs: [], obfuscation: 'kQ81x' }, 1);
  }
  const text = pieces.join('');
  yield emit('response.output_text.done', { ...at, text, logprobs: [] });
  yield emit('response.content_part.done', { ...at, part: { ...part, text } });
  yield emit('response.output_item.done', { output_index: outputIndex, item });
}

function* callEvents(emit: Emit, outputIndex: number, item: OutputItem): Generator<StreamEvent> {
  const at = { item_id: item.id, output_index: outputIndex };
  const isCustom = item.type === 'custom_tool_call';
  const member = isCustom ? 'input' : 'arguments';
  const kind = isCustom ? 'response.custom_tool_call_input' : 'response.function_call_arguments';
  const given = String(item[member]);
  yield emit(
    'response.output_item.added',
    { output_index: outputIndex, item: { ...item, status: 'in_progress', [member]: '' } },
    1,
  );
  for (const delta of splitArguments(given)) {
    yield emit(`${kind}.delta`, { ...at, delta, obfuscation: 'w' }, 1);
  }
  yield emit(`${kind}.done`, { ...at, name: item['name'], [member]: given });
  yield emit('response.output_item.done', { output_index: outputIndex, item });
}
