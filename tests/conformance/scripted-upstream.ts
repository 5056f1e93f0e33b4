// An upstream whose answers a test writes itself: it records every request and answers with what the test returns.

export interface UpstreamRequest {
  method: string;
  /** With the query. */
  path: string;
  headers: Headers;
  body: Record<string, unknown>;
}

export type UpstreamAnswer = (request: UpstreamRequest) => Response | Promise<Response>;

export interface ScriptedUpstream extends AsyncDisposable {
  url: string;
  answer: UpstreamAnswer;
  requests: UpstreamRequest[];
  /** The last request. */
  last(): UpstreamRequest;
}

export function startScriptedUpstream(): ScriptedUpstream {
  const server = Bun.serve({
    hostname: '127.0.0.1',
    port: 0,
    async fetch(request) {
      const { pathname, search } = new URL(request.url);
      const content = await request.text();
      const received: UpstreamRequest = {
        method: request.method,
        path: pathname + search,
        headers: request.headers,
        body: content.startsWith('{') ? (JSON.parse(content) as Record<string, unknown>) : {},
      };
      upstream.requests.push(received);
      return upstream.answer(received);
    },
  });
  const upstream: ScriptedUpstream = {
    url: `http://127.0.0.1:${server.port}`,
    answer: () => chatAnswer(),
    requests: [],
    last() {
      const last = upstream.requests.at(-1);
      if (last === undefined) throw new Error('the upstream has received no request');
      return last;
    },
    async [Symbol.asyncDispose]() {
      await server.stop(true);
    },
  };
  return upstream;
}

export const events = (...blocks: string[]): Response =>
  new Response(blocks.join(''), { headers: { 'Content-Type': 'text/event-stream' } });

/** One server-sent event; a typed one has its type as its name. */
export function event(data: Record<string, unknown>): string {
  const name = typeof data['type'] === 'string' ? `event: ${data['type']}\n` : '';
  return `${name}data: ${JSON.stringify(data)}\n\n`;
}

export const chatAnswer = (usage: unknown = { prompt_tokens: 5, completion_tokens: 2, total_tokens: 7 }) =>
  Response.json({
    id: 'chatcmpl-1',
    object: 'chat.completion',
    created: 1,
    model: 'm',
    choices: [{ index: 0, message: { role: 'assistant', content: 'Hello.' }, finish_reason: 'stop' }],
    usage,
  });

export const responsesAnswer = (usage: unknown) =>
  Response.json({
    id: 'resp_1',
    object: 'response',
    created_at: 1,
    status: 'completed',
    model: 'm',
    output: [
      {
        id: 'msg_1',
        type: 'message',
        role: 'assistant',
        status: 'completed',
        content: [{ type: 'output_text', text: 'Hello.', annotations: [] }],
      },
    ],
    usage,
  });

export const messagesAnswer = (usage: unknown) =>
  Response.json({
    id: 'msg_1',
    type: 'message',
    role: 'assistant',
    model: 'm',
    content: [{ type: 'text', text: 'Hello.' }],
    stop_reason: 'end_turn',
    stop_sequence: null,
    usage,
  });

export const geminiAnswer = (usage: unknown) =>
  Response.json({
    candidates: [{ content: { role: 'model', parts: [{ text: 'Hello.' }] }, finishReason: 'STOP', index: 0 }],
    usageMetadata: usage,
    modelVersion: 'm',
  });
