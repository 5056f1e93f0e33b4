// Stored responses: read, listed, deleted and cancelled by the account that made them.
import type { Answer, Exchange, Route } from '#mock/upstream/dialect.ts';
import { badRequest, refuse } from './errors.ts';

interface Kept {
  key: string;
  input: unknown;
  /** Built on demand: most are never read. */
  response: () => Record<string, unknown>;
}

const kept = new Map<string, Kept>();
const MOST = 10_000;
const PATH = /^\/v1\/responses\/(resp_\w+)(\/input_items|\/cancel)?$/;

export function keep(id: string, response: Kept): void {
  if (kept.size >= MOST) kept.clear();
  kept.set(id, response);
}

export function keptRoute(method: string, asked: string): Route | undefined {
  const [, , tail] = PATH.exec(asked) ?? [];
  if (!PATH.test(asked)) return undefined;
  if (method === 'POST') return tail === '/cancel' ? { answer: cancel, takesAnyBody: true } : undefined;
  if (method === 'DELETE') return tail === undefined ? { answer: remove } : undefined;
  if (method !== 'GET' || tail === '/cancel') return undefined;
  return { answer: tail === undefined ? read : items };
}

function find(exchange: Exchange): [string, Kept | undefined] {
  const id = PATH.exec(exchange.path)?.[1] ?? '';
  const found = kept.get(id);
  return [id, found?.key === exchange.key ? found : undefined];
}

const missing = (id: string): Answer =>
  refuse(404, { message: `Response with id '${id}' not found.`, type: 'invalid_request_error', code: null });

const json = (value: unknown): Answer => ({ kind: 'json', body: JSON.stringify(value) });

function read(exchange: Exchange): Answer {
  const [id, found] = find(exchange);
  return found === undefined ? missing(id) : json(found.response());
}

function items(exchange: Exchange): Answer {
  const [id, found] = find(exchange);
  if (found === undefined) return missing(id);
  const { input } = found;
  const given = typeof input === 'string' ? [{ type: 'message', role: 'user', content: input }] : input;
  const data = (given as Record<string, unknown>[]).map((item, index) => ({ ...item, id: `msg_${index}` }));
  return json({ object: 'list', data, first_id: 'msg_0', last_id: data.at(-1)?.id, has_more: false });
}

function remove(exchange: Exchange): Answer {
  const [id, found] = find(exchange);
  if (found === undefined) return missing(id);
  kept.delete(id);
  return json({ id, object: 'response', deleted: true });
}

function cancel(exchange: Exchange): Answer {
  const [id, found] = find(exchange);
  if (found === undefined) return missing(id);
  return badRequest('Cannot cancel a synchronous response.');
}
