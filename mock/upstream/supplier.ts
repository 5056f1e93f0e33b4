// Shared by dialects of single suppliers: the model's answer, and a dialect made of routes, a key check and the supplier's
// error format.
import type { Answer, Dialect, Exchange, Route, StreamEvent } from './dialect.ts';
import { type Composition, compose, type FunctionTool } from './openai/compose.ts';
import { unknownRoute } from './openai/errors.ts';
import { sizeOfText } from './openai/prompt.ts';

export type Json = Record<string, unknown>;
export type Refusal = Answer & { kind: 'refusal' };

/** The answer to these texts; its usage goes into the exchange's record. */
export function converse(
  exchange: Exchange,
  texts: readonly unknown[],
  more: { limit?: unknown; tools?: readonly FunctionTool[]; isAfterTool?: boolean } = {},
): Composition {
  const composition = compose({
    model: exchange.model,
    prompt: sizeOfText(...texts),
    behaviour: exchange.behaviour,
    maxOutputTokens: typeof more.limit === 'number' ? more.limit : undefined,
    choices: 1,
    tools: more.tools ?? [],
    toolsWanted: 'auto',
    parallelTools: true,
    afterToolResult: more.isAfterTool ?? false,
    schema: undefined,
    reasoningWanted: false,
  });
  exchange.record.usage = composition.usage;
  exchange.record.usageReports = exchange.record.stream ? 0 : 1;
  return composition;
}

/** A text of an unchecked body. */
export const textOf = (value: unknown): string => (typeof value === 'string' ? value : '');

export const json = (body: unknown): Answer => ({ kind: 'json', body: JSON.stringify(body) });

export const refused = (status: number, body: unknown): Refusal => ({
  kind: 'refusal',
  status,
  body: JSON.stringify(body),
});

export interface Supplier {
  name: string;
  route: Dialect['route'];
  readCall?: Dialect['readCall'];
  readKey?: Dialect['readKey'];
  /** Throws or returns false for a wrong key or signature. */
  isKnown: (exchange: Exchange) => boolean;
  /** The supplier's error of this status; an unknown key gets 401. */
  error: (status: number, exchange: Exchange) => Refusal;
  midStreamError?: () => StreamEvent;
}

export function supplierDialect(supplier: Supplier): Dialect {
  return {
    name: supplier.name,
    route: supplier.route,
    ...(supplier.readCall === undefined ? {} : { readCall: supplier.readCall }),
    readKey: supplier.readKey ?? bearerOf,
    headers: ({ record }) => ({ 'x-request-id': record.id }),
    refusal: (exchange, status) =>
      exchange.behaviour.errorBody === undefined
        ? supplier.error(status, exchange)
        : refused(status, exchange.behaviour.errorBody),
    checkKey: (exchange) => (supplier.isKnown(exchange) ? undefined : supplier.error(401, exchange)),
    midStreamError: supplier.midStreamError ?? (() => ({ data: '{"error":{"message":"broken"}}' })),
    unknownRoute,
  };
}

export function bearerOf(headers: Headers): string {
  return headers.get('authorization')?.replace(/^Bearer /, '') ?? '';
}

/** A table of `POST /path` → route. */
export function table(routes: Readonly<Record<string, Route>>): Dialect['route'] {
  return (method, path) => routes[`${method} ${path}`];
}
