// iFlytek's Spark: a WebSocket whose URL contains the signature, verified at the handshake. A separate server with its own
// count, because no other dialect uses WebSockets this way.
import { createHmac } from 'node:crypto';
import { DEFAULT_PIECES } from '#mock/upstream/openai/compose.ts';
import { sizeOfText } from '#mock/upstream/openai/prompt.ts';
import { SPARK_KEY } from '#mock/upstream/supplier-keys.ts';

export interface SparkServer {
  url: string;
  /** Received questions. */
  questions: Record<string, unknown>[];
  /** Paths of the opened sockets. */
  paths: string[];
  inputTokens: number;
  outputTokens: number;
  /** The error code of the next answer. */
  failWith: number;
  /** Counted in the total only. */
  reasoningTokens: number;
  /** The socket closes after so many messages. */
  cutAfter: number;
  stop(): Promise<void>;
}

export function startSpark(): SparkServer {
  const server = Bun.serve({
    port: 0,
    hostname: '127.0.0.1',
    fetch(request, bun) {
      const url = new URL(request.url);
      if (!isSigned(url)) return Response.json({ message: 'HMAC signature does not match' }, { status: 401 });
      mock.paths.push(url.pathname);
      return bun.upgrade(request) ? undefined : new Response('', { status: 400 });
    },
    websocket: {
      message(socket, text) {
        const question = JSON.parse(String(text)) as Record<string, unknown>;
        mock.questions.push(question);
        for (const message of [...answer(mock, question)].slice(0, mock.cutAfter))
          socket.send(JSON.stringify(message));
        socket.close();
      },
    },
  });
  const mock: SparkServer = {
    url: `http://127.0.0.1:${server.port}`,
    questions: [],
    paths: [],
    inputTokens: 0,
    outputTokens: 0,
    failWith: 0,
    reasoningTokens: 0,
    cutAfter: Number.POSITIVE_INFINITY,
    stop: () => server.stop(true),
  };
  return mock;
}

function* answer(mock: SparkServer, question: Record<string, unknown>): Generator {
  const sid = 'cht000mock@dx';
  const { header, payload } = question as {
    header: { app_id: string };
    payload: { message: { text: { content: string }[] } };
  };
  const code = header.app_id === SPARK_KEY.appId ? mock.failWith : 10_313;
  mock.failWith = 0;
  if (code !== 0) {
    yield { header: { code, message: `spark refused (${code})`, sid, status: 2 } };
    return;
  }
  const { textTokens } = sizeOfText(...payload.message.text.map(({ content }) => content));
  mock.inputTokens += textTokens;
  mock.outputTokens += DEFAULT_PIECES.length;
  const last = DEFAULT_PIECES.length - 1;
  for (const [seq, content] of DEFAULT_PIECES.entries()) {
    const status = seq === 0 ? 0 : seq === last ? 2 : 1;
    const choices = { status, seq, text: [{ content, role: 'assistant', index: 0 }] };
    const used = {
      question_tokens: textTokens,
      prompt_tokens: textTokens,
      completion_tokens: DEFAULT_PIECES.length,
      total_tokens: textTokens + DEFAULT_PIECES.length + mock.reasoningTokens,
    };
    yield {
      header: { code: 0, message: 'Success', sid, status },
      payload: { choices, ...(status === 2 ? { usage: { text: used } } : {}) },
    };
  }
}

function isSigned(url: URL): boolean {
  const date = url.searchParams.get('date') ?? '';
  const claim = Buffer.from(url.searchParams.get('authorization') ?? '', 'base64').toString();
  const toSign = `host: ${url.searchParams.get('host')}\ndate: ${date}\nGET ${url.pathname} HTTP/1.1`;
  const signature = createHmac('sha256', SPARK_KEY.apiSecret).update(toSign).digest('base64');
  const isFresh = Math.abs(Date.parse(date) - Date.now()) < 300_000;
  return (
    isFresh &&
    url.searchParams.get('host') === url.host &&
    claim ===
      `api_key="${SPARK_KEY.apiKey}", algorithm="hmac-sha256", headers="host date request-line", signature="${signature}"`
  );
}
