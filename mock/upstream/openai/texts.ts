// Text endpoints besides conversations: legacy completions, embeddings, moderations, rerank, models and the old billing pages
// that clients still call.
import { DAY_SECONDS } from '#contract/time.ts';
import type { Answer, Exchange, Route, StreamEvent } from '#mock/upstream/dialect.ts';
import { compose, endlessPieces } from './compose.ts';
import { badRequest, refusal } from './errors.ts';
import { nowSeconds, publicModel, uniqueId } from './identity.ts';
import { isObject, lastUserText, sizeOfText } from './prompt.ts';
import { NO_USAGE } from '#mock/upstream/books.ts';
import { chatUsage } from './usage.ts';

function json(value: unknown): Answer {
  return { kind: 'json', body: JSON.stringify(value) };
}

export const completionsRoute: Route = {
  lastUserText: (body) =>
    typeof body['prompt'] === 'string' ? body['prompt'] : lastUserText(body['prompt']),
  answer(exchange) {
    const { body, behaviour, model, record } = exchange;
    if (model === '') return badRequest('you must provide a model parameter');
    const prompts =
      Array.isArray(body['prompt']) && typeof body['prompt'][0] === 'string' ? body['prompt'].length : 1;
    const choices = prompts * (typeof body['n'] === 'number' ? body['n'] : 1);
    const composition = compose({
      model,
      behaviour,
      prompt: sizeOfText(body['prompt'] ?? '<|endoftext|>'),
      maxOutputTokens: typeof body['max_tokens'] === 'number' ? body['max_tokens'] : 16,
      choices,
      tools: [],
      toolsWanted: 'none',
      parallelTools: false,
      afterToolResult: false,
      schema: undefined,
      reasoningWanted: false,
    });
    record.usage = composition.usage;
    const { pieces, finishReason } = composition;
    const head = `{"id":"${uniqueId('cmpl-')}","object":"text_completion","created":${nowSeconds()},"model":${publicModel(model)},"choices":[`;
    const choice = (index: number, text: string, finish: string): string =>
      `{"text":${JSON.stringify(text)},"index":${index},"logprobs":null,"finish_reason":${finish}}`;
    if (record.stream) {
      const options = body['stream_options'];
      const includeUsage = isObject(options) && options['include_usage'] === true;
      return {
        kind: 'events',
        events: completionEvents(exchange, { head, choice, composition, choices, includeUsage }),
        done: '[DONE]',
      };
    }
    const all = Array.from({ length: choices }, (_, index) =>
      choice(index, pieces.join(''), `"${finishReason}"`),
    );
    const reported = behaviour.usageReport === 'missing' ? '' : `,"usage":${chatUsage(composition)}`;
    record.usageReports = reported === '' ? 0 : 1;
    return { kind: 'json', body: `${head}${all.join(',')}]${reported}}` };
  },
};

interface CompletionStream {
  head: string;
  choice: (index: number, text: string, finish: string) => string;
  composition: ReturnType<typeof compose>;
  choices: number;
  includeUsage: boolean;
}

function* completionEvents(
  { behaviour }: Exchange,
  { head, choice, composition, choices, includeUsage }: CompletionStream,
): Generator<StreamEvent> {
  const tail = includeUsage ? '],"usage":null}' : ']}';
  for (const piece of behaviour.endless ? endlessPieces() : composition.pieces) {
    for (let index = 0; index < choices; index += 1) {
      yield { data: `${head}${choice(index, piece, 'null')}${tail}`, tokens: 1 };
    }
  }
  for (let index = 0; index < choices; index += 1) {
    yield { data: `${head}${choice(index, '', `"${composition.finishReason}"`)}${tail}` };
  }
  if (includeUsage && behaviour.usageReport !== 'missing') {
    yield { data: `${head}],"usage":${chatUsage(composition)}}`, usage: true };
  }
}

export const embeddingsRoute: Route = {
  lastUserText: (body) => lastUserText(body['input']),
  answer({ body, behaviour, model, record }) {
    if (model === '') return badRequest('you must provide a model parameter');
    const { input } = body;
    if (input === undefined || input === '')
      return badRequest("Missing required parameter: 'input'.", 'input', 'missing_required_parameter');
    const inputs = Array.isArray(input) && typeof input[0] !== 'number' ? input : [input];
    const inputTokens = behaviour.usage?.inputTokens ?? sizeOfText(input).textTokens;
    record.usage = { ...NO_USAGE, ...behaviour.usage, inputTokens };
    const dimensions = typeof body['dimensions'] === 'number' ? body['dimensions'] : 8;
    const vector = new Float32Array(dimensions).map((_, index) => (index % 2 === 0 ? 0.25 : -0.5));
    const embedding =
      body['encoding_format'] === 'base64' ? Buffer.from(vector.buffer).toString('base64') : [...vector];
    record.usageReports = behaviour.usageReport === 'missing' ? 0 : 1;
    return json({
      object: 'list',
      data: inputs.map((_, index) => ({ object: 'embedding', index, embedding })),
      model: model.split('@')[0],
      usage:
        record.usageReports === 0 ? undefined : { prompt_tokens: inputTokens, total_tokens: inputTokens },
    });
  },
};

const MODERATION_CATEGORIES = [
  'harassment',
  'harassment/threatening',
  'hate',
  'hate/threatening',
  'illicit',
  'illicit/violent',
  'self-harm',
  'self-harm/instructions',
  'self-harm/intent',
  'sexual',
  'sexual/minors',
  'violence',
  'violence/graphic',
];

export const moderationsRoute: Route = {
  lastUserText: (body) => lastUserText(body['input']),
  answer({ body, model }) {
    const inputs = Array.isArray(body['input']) ? body['input'] : [body['input']];
    const results = inputs.map((input) => {
      const flagged = JSON.stringify(input).includes('violence');
      const of = <T>(value: (name: string) => T): Record<string, T> =>
        Object.fromEntries(MODERATION_CATEGORIES.map((name) => [name, value(name)]));
      return {
        flagged,
        categories: of((name) => flagged && name === 'violence'),
        category_scores: of((name) => (flagged && name === 'violence' ? 0.97 : 0.0001)),
        category_applied_input_types: of(() => ['text']),
      };
    });
    return json({ id: uniqueId('modr-'), model: model === '' ? 'omni-moderation-latest' : model, results });
  },
};

/** The shape Jina, Cohere-compatible servers and vLLM share. */
export const rerankRoute: Route = {
  lastUserText: (body) => (typeof body['query'] === 'string' ? body['query'] : ''),
  answer({ body, behaviour, model, record }) {
    const documents = body['documents'];
    if (!Array.isArray(documents)) return badRequest("Missing required parameter: 'documents'.", 'documents');
    const inputTokens = behaviour.usage?.inputTokens ?? sizeOfText([body['query']], documents).textTokens;
    record.usage = { ...NO_USAGE, inputTokens };
    record.usageReports = 1;
    const top = typeof body['top_n'] === 'number' ? body['top_n'] : documents.length;
    const results = documents
      .map((document: unknown, index) => ({
        index,
        relevance_score: Number((1 / (index + 1)).toFixed(4)),
        document:
          body['return_documents'] === false ? undefined : isObject(document) ? document : { text: document },
      }))
      .slice(0, top);
    return json({
      id: uniqueId('rerank-'),
      model,
      object: 'list',
      usage: { total_tokens: inputTokens, prompt_tokens: inputTokens },
      results,
    });
  },
};

const MODEL_IDS = [
  'gpt-5.4',
  'gpt-5.4-mini',
  'gpt-4o',
  'gpt-4o-mini',
  'o3',
  'text-embedding-3-small',
  'gpt-image-1',
  'dall-e-3',
  'tts-1',
  'whisper-1',
  'gpt-realtime',
  'omni-moderation-latest',
];

function modelObject(id: string): Record<string, unknown> {
  return { id, object: 'model', created: 1_715_367_049, owned_by: 'system' };
}

export const modelsRoute: Route = {
  answer: () => json({ object: 'list', data: MODEL_IDS.map(modelObject) }),
};

export const oneModelRoute: Route = {
  answer(exchange) {
    const id = decodeURIComponent(exchange.path.slice('/v1/models/'.length));
    if (MODEL_IDS.includes(id)) return json(modelObject(id));
    return refusal({ ...exchange, model: id }, 404);
  },
};

export const billingRoute: Route = {
  answer({ path }) {
    if (path.endsWith('/subscription')) {
      return json({
        object: 'billing_subscription',
        has_payment_method: true,
        canceled: false,
        soft_limit_usd: 120,
        hard_limit_usd: 120,
        system_hard_limit_usd: 120,
        access_until: nowSeconds() + 30 * DAY_SECONDS,
      });
    }
    if (path.endsWith('/usage')) return json({ object: 'list', daily_costs: [], total_usage: 2_050.5 });
    return json({
      object: 'credit_summary',
      total_granted: 120,
      total_used: 20.505,
      total_available: 99.495,
    });
  },
};
