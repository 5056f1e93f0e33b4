// Amazon Bedrock: signatures are verified, streams are written in Amazon's framing.
import { createHash, createHmac } from 'node:crypto';
import { crc32 } from 'node:zlib';
import { anthropic } from '#mock/upstream/anthropic/index.ts';
import type { Answer, Exchange, Framing, Route, StreamEvent } from '#mock/upstream/dialect.ts';
import { splitArguments, type Composition } from '#mock/upstream/openai/compose.ts';
import { uniqueId } from '#mock/upstream/openai/identity.ts';
import { converse, json, refused, supplierDialect, type Json, textOf } from '#mock/upstream/supplier.ts';
import { AWS_KEY } from '#mock/upstream/supplier-keys.ts';

const CALL_PATH = /^\/model\/([^/]+)\/(invoke|invoke-with-response-stream|converse|converse-stream)$/;

export const bedrock = supplierDialect({
  name: 'bedrock',
  route(method, path) {
    if (method === 'GET' && path === '/foundation-models') return listRoute;
    const [, model = '', verb = ''] = CALL_PATH.exec(path) ?? [];
    if (method !== 'POST' || verb === '') return undefined;
    if (verb.startsWith('converse')) return converseRoute;
    return model.includes('embed') ? embedRoute : invokeRoute;
  },
  readCall({ path }) {
    const [, model = '', verb = ''] = CALL_PATH.exec(path) ?? [];
    return { model: decodeURIComponent(model), stream: verb.endsWith('stream') };
  },
  readKey: (headers) => /Credential=([^/]+)\//.exec(headers.get('authorization') ?? '')?.[1] ?? '',
  isKnown: isSigned,
  error: (status) => {
    const type =
      status === 401
        ? 'InvalidSignatureException'
        : status === 429
          ? 'ThrottlingException'
          : 'ValidationException';
    // Amazon refuses a wrong signature with 403.
    return refused(status === 401 ? 403 : status, { __type: type, message: `bedrock refused (${type})` });
  },
  midStreamError: () => ({ event: ':throttlingException', data: '{"message":"Too many tokens"}' }),
});

const listRoute: Route = {
  answer: () =>
    json({ modelSummaries: [{ modelId: 'amazon.nova-pro-v1:0' }, { modelId: 'anthropic.claude-x' }] }),
};

const embedRoute: Route = {
  answer: ({ body, record }) => {
    record.usage = { ...record.usage, inputTokens: 3 };
    const isMany = Array.isArray(body['texts']);
    return isMany
      ? json({ embeddings: { float: (body['texts'] as unknown[]).map(() => [0.5, 0.25]) } })
      : json({ embedding: [0.5, 0.25], inputTextTokenCount: 3 });
  },
};

const messages = anthropic.route('POST', '/v1/messages', new Headers()) as Route;

const BETAS_OF_AMAZON = new Set([
  'context-1m-2025-08-07',
  'fine-grained-tool-streaming-2025-05-14',
  'interleaved-thinking-2025-05-14',
  'tool-search-tool-2025-10-19',
]);

/** Claude in Anthropic's format; version and model are elsewhere. */
const invokeRoute: Route = {
  ...messages,
  answer(exchange) {
    const { anthropic_version: version, anthropic_beta: betas = [], ...body } = exchange.body;
    if (version !== 'bedrock-2023-05-31' || 'model' in body || 'stream' in body)
      return refused(400, { message: 'Malformed input request' });
    // One unknown value refuses the whole request.
    if (!(betas as string[]).every((beta) => BETAS_OF_AMAZON.has(beta)))
      return refused(400, { message: 'invalid beta flag' });
    const headers = new Headers({ 'anthropic-version': '2023-06-01' });
    const request = new Request(exchange.url, { method: 'POST', headers, signal: exchange.request.signal });
    const answer = messages.answer({ ...exchange, body, request });
    return answer.kind === 'events' ? { ...answer, framing: wrapped } : answer;
  },
};

const converseRoute: Route = {
  lastUserText: (body) => textsOf(body).at(-1) ?? '',
  answer(exchange): Answer {
    const { body, record } = exchange;
    const tools = ((body['toolConfig'] as Json | undefined)?.['tools'] ?? []) as { toolSpec?: Json }[];
    const composition = converse(exchange, textsOf(body), {
      limit: (body['inferenceConfig'] as Json | undefined)?.['maxTokens'],
      isAfterTool: JSON.stringify((body['messages'] as unknown[]).at(-1)).includes('toolResult'),
      tools: tools.flatMap(({ toolSpec }) =>
        toolSpec === undefined
          ? []
          : [{ name: String(toolSpec['name']), parameters: (toolSpec['inputSchema'] as Json)['json'] }],
      ),
    });
    if (record.stream) return { kind: 'events', events: converseEvents(composition), framing: named };
    const content = [
      ...(composition.pieces.length > 0 ? [{ text: composition.pieces.join('') }] : []),
      ...composition.toolCalls.map((call) => ({
        toolUse: {
          toolUseId: uniqueId('tooluse_'),
          name: call.name,
          input: JSON.parse(call.arguments) as unknown,
        },
      })),
    ];
    return json({
      output: { message: { role: 'assistant', content } },
      stopReason: stopOf(composition),
      usage: usageOf(composition),
      metrics: { latencyMs: 12 },
    });
  },
};

function* converseEvents(composition: Composition): Generator<StreamEvent> {
  yield { event: 'messageStart', data: '{"role":"assistant"}' };
  for (const piece of composition.pieces) {
    const data = JSON.stringify({ contentBlockIndex: 0, delta: { text: piece } });
    yield { event: 'contentBlockDelta', data, tokens: 1 };
  }
  if (composition.pieces.length > 0) yield { event: 'contentBlockStop', data: '{"contentBlockIndex":0}' };
  let block = composition.pieces.length > 0 ? 1 : 0;
  for (const call of composition.toolCalls) {
    const start = { toolUse: { toolUseId: uniqueId('tooluse_'), name: call.name } };
    yield { event: 'contentBlockStart', data: JSON.stringify({ contentBlockIndex: block, start }) };
    for (const input of splitArguments(call.arguments)) {
      const data = JSON.stringify({ contentBlockIndex: block, delta: { toolUse: { input } } });
      yield { event: 'contentBlockDelta', data, tokens: 1 };
    }
    yield { event: 'contentBlockStop', data: JSON.stringify({ contentBlockIndex: block }) };
    block += 1;
  }
  yield { event: 'messageStop', data: JSON.stringify({ stopReason: stopOf(composition) }) };
  const metadata = { usage: usageOf(composition), metrics: { latencyMs: 12 } };
  yield { event: 'metadata', data: JSON.stringify(metadata), usage: true };
}

function textsOf(body: Json): string[] {
  const turns = [...((body['system'] ?? []) as Json[]), ...((body['messages'] ?? []) as Json[])];
  return turns.flatMap((turn) =>
    Array.isArray(turn['content'])
      ? (turn['content'] as Json[]).map((block) => JSON.stringify(block['text'] ?? block))
      : [textOf(turn['text'])],
  );
}

function stopOf({ finishReason }: Composition): string {
  return { stop: 'end_turn', length: 'max_tokens', tool_calls: 'tool_use' }[finishReason] ?? 'end_turn';
}

function usageOf({ usage }: Composition): Json {
  const inputTokens = usage.inputTokens - usage.cachedInputTokens - usage.cacheWriteInputTokens;
  return {
    inputTokens,
    outputTokens: usage.outputTokens,
    totalTokens: usage.inputTokens + usage.outputTokens,
    cacheReadInputTokens: usage.cachedInputTokens,
    cacheWriteInputTokens: usage.cacheWriteInputTokens,
  };
}

const CONTENT_TYPE = 'application/vnd.amazon.eventstream';
const named: Framing = { contentType: CONTENT_TYPE, frame: ({ event = '', data }) => message(event, data) };
const wrapped: Framing = {
  contentType: CONTENT_TYPE,
  frame: ({ event = '', data }) =>
    event.startsWith(':')
      ? message(event, data)
      : message('chunk', JSON.stringify({ bytes: Buffer.from(data).toString('base64'), p: 'abc' })),
};

/** A name that begins with a colon is an exception. */
function message(event: string, payload: string): Uint8Array {
  const headers: Record<string, string> = event.startsWith(':')
    ? { ':message-type': 'exception', ':exception-type': event.slice(1) }
    : { ':message-type': 'event', ':event-type': event, ':content-type': 'application/json' };
  const head = Buffer.concat(
    Object.entries(headers).map(([name, value]) => {
      const length = Buffer.alloc(2);
      length.writeUInt16BE(value.length);
      return Buffer.concat([
        Buffer.from([name.length]),
        Buffer.from(name),
        Buffer.from([7]),
        length,
        Buffer.from(value),
      ]);
    }),
  );
  const body = Buffer.from(payload);
  const whole = Buffer.alloc(16 + head.length + body.length);
  whole.writeUInt32BE(whole.length, 0);
  whole.writeUInt32BE(head.length, 4);
  whole.writeUInt32BE(crc32(whole.subarray(0, 8)), 8);
  head.copy(whole, 12);
  body.copy(whole, 12 + head.length);
  whole.writeUInt32BE(crc32(whole.subarray(0, -4)), whole.length - 4);
  return whole;
}

/** Computed from what arrived, independently of the signing code. */
function isSigned({ request, url, rawBody }: Exchange): boolean {
  const given = request.headers.get('authorization') ?? '';
  const found =
    /^AWS4-HMAC-SHA256 Credential=([^/]+)\/(\d{8})\/([^/]+)\/bedrock\/aws4_request, SignedHeaders=([^,]+), Signature=([0-9a-f]{64})$/.exec(
      given,
    );
  const [, accessKey, day = '', region = '', names = '', signature] = found ?? [];
  const time = request.headers.get('x-amz-date') ?? '';
  if (accessKey !== AWS_KEY.accessKey || region !== AWS_KEY.region || !time.startsWith(day)) return false;
  const { pathname, searchParams, host } = new URL(url);
  const hash = (text: string) => createHash('sha256').update(text).digest('hex');
  const mac = (key: string | Buffer, text: string) => createHmac('sha256', key).update(text).digest();
  const path = pathname.replaceAll('%', '%25').replaceAll(':', '%3A');
  const query = [...searchParams]
    .map(([name, value]) => `${name}=${value}`)
    .sort()
    .join('&');
  const lines = names
    .split(';')
    .map((name) => `${name}:${name === 'host' ? host : request.headers.get(name)}`);
  const canonical = [request.method, path, query, ...lines, '', names, hash(rawBody)].join('\n');
  const scope = `${day}/${region}/bedrock/aws4_request`;
  const key = mac(mac(mac(mac(`AWS4${AWS_KEY.secretKey}`, day), region), 'bedrock'), 'aws4_request');
  return signature === mac(key, `AWS4-HMAC-SHA256\n${time}\n${scope}\n${hash(canonical)}`).toString('hex');
}
