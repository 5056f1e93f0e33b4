// Baidu's Wenxin workshop: two keys for a token, the token in the URL, refusals inside a 200.
import type { Answer, Exchange, Route, StreamEvent } from '#mock/upstream/dialect.ts';
import type { Composition } from '#mock/upstream/openai/compose.ts';
import { nowSeconds, uniqueId } from '#mock/upstream/openai/identity.ts';
import { lastUserText } from '#mock/upstream/openai/prompt.ts';
import { converse, json, refused, supplierDialect, type Json } from '#mock/upstream/supplier.ts';
import { BAIDU_KEY } from '#mock/upstream/supplier-keys.ts';

const PLACE = '/rpc/2.0/ai_custom/v1/wenxinworkshop/';

const tokenRoute: Route = {
  takesAnyBody: true,
  answer({ url }) {
    const query = new URL(url).searchParams;
    const isRight =
      query.get('grant_type') === 'client_credentials' &&
      query.get('client_id') === BAIDU_KEY.id &&
      query.get('client_secret') === BAIDU_KEY.secret;
    if (!isRight) return refused(401, { error: 'invalid_client', error_description: 'unknown client id' });
    return json({ access_token: BAIDU_KEY.token, expires_in: 2_592_000 });
  },
};

const chatRoute: Route = {
  lastUserText: (body) => lastUserText(body['messages']),
  answer(exchange): Answer {
    const { body, record } = exchange;
    const messages = body['messages'] as Json[];
    // Roles alternate, the first and last turn are the user's, instructions are separate.
    const isOdd = messages.length % 2 === 1 && messages[0]?.['role'] === 'user';
    if (!isOdd || messages.some(({ role }) => role === 'system'))
      return refused(200, { error_code: 336_006, error_msg: 'the length of messages must be an odd number' });
    const composition = converse(exchange, [body['system'], ...messages.map(({ content }) => content)], {
      limit: body['max_output_tokens'],
    });
    if (record.stream) return { kind: 'events', events: events(composition) };
    return json({
      ...headOf(),
      result: composition.pieces.join(''),
      is_truncated: false,
      finish_reason: 'normal',
      usage: usageOf(composition),
    });
  },
};

function* events(composition: Composition): Generator<StreamEvent> {
  const head = headOf();
  for (const [sentence_id, result] of composition.pieces.entries()) {
    const isEnd = sentence_id === composition.pieces.length - 1;
    const outputTokens = sentence_id + 1;
    const soFar = {
      ...composition,
      usage: { ...composition.usage, outputTokens },
      reportedOutput: outputTokens,
    };
    const usage = usageOf(isEnd ? composition : soFar);
    yield {
      data: JSON.stringify({ ...head, sentence_id, is_end: isEnd, result, usage }),
      tokens: 1,
      usage: true,
    };
  }
}

function headOf(): Json {
  return { id: uniqueId('as-'), object: 'chat.completion', created: nowSeconds(), need_clear_history: false };
}

function usageOf({ usage, reportedOutput }: Composition): Json {
  const [prompt_tokens, completion_tokens] = [usage.inputTokens, reportedOutput];
  return { prompt_tokens, completion_tokens, total_tokens: prompt_tokens + usage.outputTokens };
}

function embed({ body }: Exchange): Answer {
  const data = (body['input'] as unknown[]).map((_, index) => ({
    object: 'embedding',
    index,
    embedding: [0.5, 0.25],
  }));
  return json({ ...headOf(), data, usage: { prompt_tokens: 4, total_tokens: 4 } });
}

export const baidu = supplierDialect({
  name: 'baidu',
  route(method, path) {
    if (method !== 'POST') return undefined;
    if (path === '/oauth/2.0/token') return tokenRoute;
    if (path.startsWith(`${PLACE}chat/`)) return chatRoute;
    return path.startsWith(`${PLACE}embeddings/`) ? { answer: embed } : undefined;
  },
  readCall: ({ path, body }) => ({
    model: path.slice(path.lastIndexOf('/') + 1),
    stream: body['stream'] === true,
  }),
  readKey: (_headers, url) => new URL(url).searchParams.get('access_token') ?? '',
  isKnown: ({ key, path }) => path === '/oauth/2.0/token' || key === BAIDU_KEY.token,
  error: (status) =>
    refused(200, {
      error_code: status === 401 ? 110 : status === 429 ? 18 : 336_003,
      error_msg: 'baidu refused',
    }),
  midStreamError: () => ({ data: JSON.stringify({ error_code: 336_100, error_msg: 'try again' }) }),
});
