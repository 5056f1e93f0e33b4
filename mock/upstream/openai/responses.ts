// /v1/responses as JSON, and /v1/responses/compact.
import type { Answer, Exchange, Route } from '#mock/upstream/dialect.ts';
import { allowedOf, isOpenAIModel, schemaOf, toolsWanted } from './chat.ts';
import { type Composition, type FunctionTool, compose } from './compose.ts';
import { badRequest, refusal } from './errors.ts';
import { nowSeconds, uniqueId } from './identity.ts';
import { isReasoningModel, responsesRefusal } from './model-refusals.ts';
import { keep } from './kept-responses.ts';
import { isObject, lastRole, lastUserText, sizeOfMessages, sizeOfText } from './prompt.ts';
import { type ResponsesAnswer, finished, outputItems } from './responses-answer.ts';
import { responsesEvents } from './responses-stream.ts';
import { responsesUsage } from './usage.ts';

const knownFields = new Set(
  `background client_metadata context_management conversation include input instructions max_output_tokens max_tool_calls metadata model
  moderation parallel_tool_calls previous_response_id prompt prompt_cache_key prompt_cache_options
  prompt_cache_retention reasoning safety_identifier service_tier store stream stream_options temperature text
  tool_choice tools top_logprobs top_p truncation user verbosity`.split(/\s+/),
);

export const responsesRoute: Route = {
  lastUserText: (body) => lastUserText(body['input']),
  answer: answerResponses,
};

/** /v1/responses/compact: user messages stay, the rest is encrypted. A rule for the path removes the endpoint. */
export const compactRoute: Route = {
  lastUserText: (body) => lastUserText(body['input']),
  answer(exchange) {
    const { body, key, record } = exchange;
    const composition = composeResponses(exchange);
    record.usage = composition.usage;
    record.usageReports = 1;
    const items = Array.isArray(body['input']) ? (body['input'] as unknown[]).filter(isObject) : [];
    const userItems = items.filter(({ role }) => role === 'user');
    const sealed = {
      id: uniqueId('cmp_'),
      type: 'compaction',
      encrypted_content: `${sealOf(key)}.${uniqueId('')}`,
    };
    return {
      kind: 'json',
      body: JSON.stringify({
        id: uniqueId('resp_'),
        object: 'response.compaction',
        created_at: nowSeconds(),
        output: [...userItems, sealed],
        usage: responsesUsage(composition),
      }),
    };
  },
};

function answerResponses(exchange: Exchange): Answer {
  const { body, behaviour, model, record } = exchange;
  if (model === '')
    return badRequest("Missing required parameter: 'model'.", 'model', 'missing_required_parameter');
  if (model.startsWith('missing-')) return refusal(exchange, 404);
  if (isOpenAIModel(model)) {
    for (const field in body) {
      if (!knownFields.has(field))
        return badRequest(`Unknown parameter: '${field}'.`, field, 'unknown_parameter');
    }
  }
  const refused = responsesRefusal(model, body);
  if (refused) return refused;
  if (hasForeignSeal(exchange)) {
    return badRequest(
      'The encrypted content could not be verified. Reason: Encrypted content organization_id did not match the target organization.',
      null,
      'invalid_encrypted_content',
    );
  }
  const composition = composeResponses(exchange);
  record.usage = composition.usage;
  const cutShort = composition.finishReason === 'length';
  const answer: ResponsesAnswer = {
    composition,
    seal: wantsSeal(body) ? sealOf(exchange.key) : undefined,
    base: baseOf(body, model),
    usage: responsesUsage(composition),
    ending: behaviour.ending ?? (cutShort ? 'incomplete' : 'completed'),
  };
  if (body['store'] !== false) {
    const response = () => finished(answer, outputItems(answer), true);
    keep(String(answer.base['id']), { key: exchange.key, input: body['input'], response });
  }
  if (record.stream) return { kind: 'events', events: responsesEvents(exchange, answer) };
  record.usageReports = behaviour.usageReport === 'missing' ? 0 : 1;
  return {
    kind: 'json',
    body: JSON.stringify(finished(answer, outputItems(answer), record.usageReports > 0)),
  };
}

function composeResponses({ body, behaviour, model }: Exchange): Composition {
  const { input, text, reasoning, tools } = body;
  const prompt =
    typeof input === 'string' ? sizeOfText(input) : sizeOfMessages(Array.isArray(input) ? input : []);
  if (typeof body['instructions'] === 'string')
    prompt.textTokens += sizeOfText(body['instructions']).textTokens;
  const format = isObject(text) && isObject(text['format']) ? text['format'] : undefined;
  const limit = body['max_output_tokens'];
  return compose({
    model,
    behaviour,
    prompt,
    maxOutputTokens: typeof limit === 'number' ? limit : undefined,
    choices: 1,
    tools: allowedOf(body['tool_choice'], Array.isArray(tools) ? functionTools(tools) : []),
    toolsWanted: toolsWanted(body['tool_choice']),
    parallelTools: body['parallel_tool_calls'] !== false,
    afterToolResult: Array.isArray(input) && /^(?:function|custom_tool)_call_output$/.test(lastRole(input)),
    schema: format ? schemaOf(format) : undefined,
    reasoningWanted: isReasoningModel(model) && !(isObject(reasoning) && reasoning['effort'] === 'none'),
  });
}

function functionTools(tools: unknown[]): FunctionTool[] {
  const found: FunctionTool[] = [];
  for (const tool of tools) {
    if (!isObject(tool) || tool['type'] !== 'function') continue;
    found.push({ name: String(tool['name']), parameters: tool['parameters'] });
  }
  return found;
}

function baseOf(body: Record<string, unknown>, model: string): Record<string, unknown> {
  return {
    id: uniqueId('resp_'),
    object: 'response',
    created_at: nowSeconds(),
    background: false,
    instructions: body['instructions'] ?? null,
    max_output_tokens: body['max_output_tokens'] ?? null,
    model: model.split('@')[0],
    parallel_tool_calls: body['parallel_tool_calls'] ?? true,
    previous_response_id: body['previous_response_id'] ?? null,
    reasoning: body['reasoning'] ?? { effort: null, summary: null },
    service_tier: 'default',
    store: body['store'] ?? true,
    temperature: body['temperature'] ?? 1,
    text: body['text'] ?? { format: { type: 'text' } },
    tool_choice: body['tool_choice'] ?? 'auto',
    tools: body['tools'] ?? [],
    top_p: body['top_p'] ?? 1,
    truncation: body['truncation'] ?? 'disabled',
    user: body['user'] ?? null,
    metadata: body['metadata'] ?? {},
  };
}

function wantsSeal({ include }: Record<string, unknown>): boolean {
  return Array.isArray(include) && include.includes('reasoning.encrypted_content');
}

const sealOf = (key: string): string => `gAAAAAB-${Bun.hash(key).toString(36)}`;

function hasForeignSeal({ body, key }: Exchange): boolean {
  const items = Array.isArray(body['input']) ? (body['input'] as unknown[]).filter(isObject) : [];
  return items.some(
    ({ encrypted_content: sealed }) => typeof sealed === 'string' && !sealed.startsWith(sealOf(key)),
  );
}
