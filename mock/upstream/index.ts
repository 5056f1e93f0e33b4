// A mock of upstream APIs: answers like the real API, misbehaves on request, and keeps books of what it served. In process:
// `startMockUpstream()`; in its own process (benches): `spawnMockUpstream()` in spawn.ts.
import type { Server } from 'bun';
import type { Behaviour } from './behaviour.ts';
import { type BehaviourRule, Behaviours } from './behaviours.ts';
import { Books, NO_USAGE, type ServedRequest } from './books.ts';
import { newRecord } from './record.ts';
import { CONTROL_PREFIX, serveControl } from './control.ts';
import { anthropic } from './anthropic/index.ts';
import type { Answer, Dialect, Exchange, Route } from './dialect.ts';
import { gemini } from './gemini/index.ts';
import { openai } from './openai/index.ts';
import type { RealtimeSocket } from './openai/realtime-socket.ts';
import { openRealtime, realtimeHandlers } from './openai/realtime.ts';
import { pause, send } from './send.ts';
import { suppliers } from './suppliers.ts';

export type { Behaviour } from './behaviour.ts';
export { type BehaviourRule, behaviourKey, behaviourMessage } from './behaviours.ts';
export type { BooksSummary, ServedRequest, Totals } from './books.ts';

/** The first dialect with a matching route answers; OpenAI's is last because it also answers unknown routes. */
const dialects: Dialect[] = [anthropic, gemini, ...suppliers, openai];

export interface MockUpstream {
  /** Without /v1. */
  url: string;
  port: number;
  books: Books;
  requests: readonly ServedRequest[];
  /** Returns a function that removes the rule. */
  behave: (rule: BehaviourRule | Behaviour) => () => void;
  reset: () => void;
  stop: () => Promise<void>;
  [Symbol.asyncDispose]: () => Promise<void>;
}

export interface MockUpstreamOptions {
  port?: number;
  /** How many requests are kept with body and headers; 0 in benches. */
  keepRequests?: number;
  /** Serve HTTPS with this certificate, for tests of certificate checks. */
  tls?: { key: string; cert: string };
}

export function startMockUpstream(options: MockUpstreamOptions = {}): MockUpstream {
  const books = new Books(options.keepRequests ?? 20_000);
  const behaviours = new Behaviours();
  const server = Bun.serve<RealtimeSocket>({
    port: options.port ?? 0,
    hostname: '127.0.0.1',
    idleTimeout: 0,
    development: false,
    maxRequestBodySize: 512 * 1024 * 1024,
    ...(options.tls === undefined ? {} : { tls: options.tls }),
    fetch: (request, server) => handle(request, server, books, behaviours),
    websocket: realtimeHandlers(books),
    error: (error) => Response.json({ mockFault: String(error) }, { status: 599 }),
  });
  const stop = (): Promise<void> => server.stop(true);
  return {
    url: `${options.tls === undefined ? 'http' : 'https'}://127.0.0.1:${server.port}`,
    port: server.port ?? 0,
    books,
    get requests() {
      return books.requests;
    },
    behave(rule) {
      const id = behaviours.add('behaviour' in rule ? rule : { behaviour: rule });
      return () => void behaviours.remove(id);
    },
    reset() {
      behaviours.clear();
      books.reset();
    },
    stop,
    [Symbol.asyncDispose]: stop,
  };
}

async function handle(
  request: Request,
  server: Server<RealtimeSocket>,
  books: Books,
  behaviours: Behaviours,
): Promise<Response | undefined> {
  const { url, method } = request;
  const pathStart = url.indexOf('/', 8);
  const queryStart = url.indexOf('?', pathStart);
  const path = queryStart < 0 ? url.slice(pathStart) : url.slice(pathStart, queryStart);
  if (path.startsWith(CONTROL_PREFIX)) return await serveControl(request, path, books, behaviours);
  if (path === '/v1/realtime') return openRealtime(request, server, books, behaviours);

  const [dialect, route] = find(method, path, request.headers);
  if (!route) return dialect.unknownRoute(method, path);

  const exchange: Exchange = {
    request,
    path,
    url,
    key: dialect.readKey(request.headers, url),
    model: '',
    body: {},
    rawBody: '',
    form: undefined,
    behaviour: {},
    record: newRecord(books),
  };
  const unreadable = (await readBody(exchange)) && route.takesAnyBody !== true;
  prepare(exchange, dialect, route, books, behaviours);
  const { behaviour } = exchange;
  if (behaviour.headersDelayMilliseconds !== undefined) {
    if (!(await pause(behaviour.headersDelayMilliseconds, request.signal))) {
      books.close(exchange.record, 'aborted');
      return new Response(null, { status: 499 });
    }
  }
  if (behaviour.redirect !== undefined) {
    books.close(exchange.record, 'refused');
    exchange.record.status = 302;
    return new Response(null, { status: 302, headers: { Location: behaviour.redirect } });
  }
  return send(
    exchange,
    unreadable ? dialect.refusal(exchange, 400) : decide(exchange, dialect, route),
    dialect,
    books,
  );
}

function find(method: string, path: string, headers: Headers): [Dialect, Route | undefined] {
  for (const dialect of dialects) {
    const route = dialect.route(method, path, headers);
    if (route) return [dialect, route];
  }
  return [openai, undefined];
}

function decide(exchange: Exchange, dialect: Dialect, route: Route): Answer {
  const { behaviour } = exchange;
  const refusedKey = dialect.checkKey(exchange);
  if (refusedKey) return refusedKey;
  if (behaviour.status !== undefined) return dialect.refusal(exchange, behaviour.status);
  const answer = route.answer(exchange);
  if (behaviour.errorInside200 && answer.kind === 'json') {
    exchange.record.usage = NO_USAGE;
    return { kind: 'json', body: dialect.refusal(exchange, 500).body };
  }
  return answer;
}

/** True when the body does not match its content type. */
async function readBody(exchange: Exchange): Promise<boolean> {
  const { request } = exchange;
  if (request.method !== 'POST') return false;
  try {
    if (request.headers.get('content-type')?.startsWith('multipart/form-data')) {
      exchange.form = (await request.formData()) as FormData;
      const model = exchange.form.get('model');
      exchange.model = typeof model === 'string' ? model : '';
      return false;
    }
    exchange.rawBody = await request.text();
    exchange.body = JSON.parse(exchange.rawBody) as Record<string, unknown>;
    const { model } = exchange.body;
    exchange.model = typeof model === 'string' ? model : '';
    return false;
  } catch {
    return true;
  }
}

function prepare(
  exchange: Exchange,
  dialect: Dialect,
  route: Route,
  books: Books,
  behaviours: Behaviours,
): void {
  const { record, request } = exchange;
  const call = dialect.readCall?.(exchange);
  if (call !== undefined) exchange.model = call.model;
  exchange.behaviour = behaviours.choose({
    key: exchange.key,
    model: exchange.model,
    path: exchange.path,
    lastUserText: route.lastUserText?.(exchange.body) ?? '',
    offersTools: offersTools(exchange.body),
  });
  exchange.behaviour = afterSearch(exchange);
  record.key = exchange.key;
  record.path = exchange.path;
  record.model = exchange.model;
  record.tag = exchange.behaviour.tag ?? '';
  record.stream =
    call?.stream ??
    (exchange.form ? exchange.form.get('stream') === 'true' : exchange.body['stream'] === true);
  if (books.keepsRequests) {
    record.body = exchange.form ? Object.fromEntries(exchange.form.entries()) : exchange.body;
    record.headers = Object.fromEntries(request.headers.entries());
  }
  books.open(record);
}

function afterSearch({ behaviour, body, rawBody }: Exchange): Behaviour {
  const { search, ...rest } = behaviour;
  if (search === undefined) return behaviour;
  const found = new RegExp(search.pattern).exec(rawBody)?.[0];
  if (found !== undefined) return { ...rest, text: (rest.text ?? '') + found };
  const { text: _text, ...silent } = rest;
  return offersTools(body) ? { ...silent, toolCalls: search.calls } : { ...rest, text: rest.text ?? '' };
}

const offersTools = (body: Record<string, unknown>): boolean =>
  Array.isArray(body['tools']) && body['tools'].length > 0;
