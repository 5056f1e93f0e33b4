// Tencent's Hunyuan: one address, the action in a header, the signature verified; refusals inside a 200.
import { createHash, createHmac } from 'node:crypto';
import type { Answer, Exchange, Route, StreamEvent } from '#mock/upstream/dialect.ts';
import { splitArguments, type Composition } from '#mock/upstream/openai/compose.ts';
import { nowSeconds, uniqueId } from '#mock/upstream/openai/identity.ts';
import { converse, json, refused, supplierDialect, type Json, textOf } from '#mock/upstream/supplier.ts';
import { TENCENT_KEY } from '#mock/upstream/supplier-keys.ts';

const route: Route = {
  lastUserText: (body) => textOf((body['Messages'] as Json[] | undefined)?.at(-1)?.['Content']),
  answer(exchange): Answer {
    const { body, record, request } = exchange;
    if (request.headers.get('x-tc-action') === 'GetEmbedding') return embed(body);
    const messages = body['Messages'] as Json[];
    const tools = (body['Tools'] ?? []) as { Function: { Name: string; Parameters: string } }[];
    if (tools.some(({ Function: described }) => typeof described?.Name !== 'string'))
      return refused(200, {
        Response: { Error: { Code: 'InvalidParameter', Message: 'Tools' }, RequestId: '' },
      });
    const composition = converse(
      exchange,
      messages.map((message) => textOf(message['Content'])),
      {
        isAfterTool: messages.at(-1)?.['Role'] === 'tool',
        tools: tools.map(({ Function: called }) => ({
          name: called.Name,
          parameters: JSON.parse(called.Parameters) as unknown,
        })),
      },
    );
    if (record.stream) return { kind: 'events', events: events(composition) };
    const Message = {
      Role: 'assistant',
      Content: composition.pieces.join(''),
      ...(composition.toolCalls.length > 0 ? { ToolCalls: composition.toolCalls.map(callOf) } : {}),
    };
    return json({
      Response: {
        RequestId: record.id,
        Note: '以上内容为AI生成',
        Choices: [{ Index: 0, Message, FinishReason: composition.finishReason }],
        Created: nowSeconds(),
        Id: uniqueId('h'),
        Usage: usageOf(composition),
      },
    });
  },
};

function* events(composition: Composition): Generator<StreamEvent> {
  const head = { Note: '以上内容为AI生成', Created: nowSeconds(), Id: uniqueId('h') };
  const chunk = (Delta: Json, FinishReason: string, tokens: number): StreamEvent => ({
    data: JSON.stringify({
      ...head,
      Choices: [{ Index: 0, Delta, FinishReason }],
      Usage: usageOf(composition),
    }),
    tokens,
    usage: true,
  });
  for (const piece of composition.pieces) yield chunk({ Role: 'assistant', Content: piece }, '', 1);
  for (const [Index, call] of composition.toolCalls.entries()) {
    const Id = uniqueId('call_');
    for (const [at, piece] of splitArguments(call.arguments).entries()) {
      const Function = { Name: at === 0 ? call.name : '', Arguments: piece };
      yield chunk(
        { Role: 'assistant', Content: '', ToolCalls: [{ Id, Type: 'function', Index, Function }] },
        '',
        1,
      );
    }
  }
  yield chunk({ Role: 'assistant', Content: '' }, composition.finishReason, 0);
}

function callOf(call: { name: string; arguments: string }, Index: number): Json {
  return {
    Id: uniqueId('call_'),
    Type: 'function',
    Index,
    Function: { Name: call.name, Arguments: call.arguments },
  };
}

function usageOf({ usage, reportedOutput }: Composition): Json {
  const [PromptTokens, CompletionTokens] = [usage.inputTokens, reportedOutput];
  return { PromptTokens, CompletionTokens, TotalTokens: PromptTokens + usage.outputTokens };
}

function embed(body: Json): Answer {
  const Data = (body['InputList'] as unknown[]).map((_, Index) => ({
    Index,
    Embedding: [0.5, 0.25],
    Object: 'embedding',
  }));
  return json({ Response: { Data, Usage: { PromptTokens: 4, TotalTokens: 4 }, RequestId: 'mock' } });
}

export const tencent = supplierDialect({
  name: 'tencent',
  route: (method, path) => (method === 'POST' && path === '/' ? route : undefined),
  readCall: ({ body }) => ({ model: textOf(body['Model']), stream: body['Stream'] === true }),
  readKey: (headers) => /Credential=([^/]+)\//.exec(headers.get('authorization') ?? '')?.[1] ?? '',
  isKnown: isSigned,
  error: (status) => {
    const Code =
      status === 401
        ? 'AuthFailure.SignatureFailure'
        : status === 429
          ? 'LimitExceeded'
          : status === 400
            ? 'InvalidParameter'
            : 'InternalError';
    return refused(200, {
      Response: { Error: { Code, Message: `tencent refused (${Code})` }, RequestId: 'mock' },
    });
  },
  midStreamError: () => ({ data: JSON.stringify({ ErrorMsg: { Msg: '服务内部异常', Code: 4000 } }) }),
});

function isSigned({ request, url, rawBody }: Exchange): boolean {
  const given = request.headers.get('authorization') ?? '';
  const found =
    /^TC3-HMAC-SHA256 Credential=([^/]+)\/(\d{4}-\d\d-\d\d)\/hunyuan\/tc3_request, SignedHeaders=content-type;host, Signature=([0-9a-f]{64})$/.exec(
      given,
    );
  const [, secretId, day = '', signature] = found ?? [];
  const time = request.headers.get('x-tc-timestamp') ?? '';
  const isFresh = Math.abs(Number(time) - Date.now() / 1000) < 300;
  if (secretId !== TENCENT_KEY.secretId || !isFresh || request.headers.get('x-tc-version') !== '2023-09-01')
    return false;
  const hash = (text: string) => createHash('sha256').update(text).digest('hex');
  const mac = (key: string | Buffer, text: string) => createHmac('sha256', key).update(text).digest();
  const head = `content-type:${request.headers.get('content-type')}\nhost:${new URL(url).host}\n`;
  const canonical = `POST\n/\n\n${head}\ncontent-type;host\n${hash(rawBody)}`;
  const key = mac(mac(mac(`TC3${TENCENT_KEY.secretKey}`, day), 'hunyuan'), 'tc3_request');
  const toSign = `TC3-HMAC-SHA256\n${time}\n${day}/hunyuan/tc3_request\n${hash(canonical)}`;
  return signature === mac(key, toSign).toString('hex');
}
