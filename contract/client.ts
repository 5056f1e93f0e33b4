// The typed client: the declarations that the server mounts, as functions. The caller passes the transport (fetch with
// headers in the console, an in-process request in tests).
import type { z } from 'zod';
import { fillPath, type AnyEndpoint, type Api } from './endpoint.ts';

export interface Call {
  endpoint: AnyEndpoint;
  method: string;
  /** Path with query string. */
  url: string;
  body: unknown;
  signal?: AbortSignal;
}

/** Sends a call and returns the envelope of a success; throws otherwise. */
export type Transport = (call: Call) => Promise<{ data: unknown } & Record<string, unknown>>;

type Part<Name extends string, Schema extends z.ZodType> = [z.input<Schema>] extends [undefined]
  ? { [K in Name]?: undefined }
  : undefined extends z.input<Schema>
    ? { [K in Name]?: z.input<Schema> }
    : { [K in Name]: z.input<Schema> };

export type CallInput<E extends AnyEndpoint> = Part<'params', E['params']> &
  Part<'query', E['query']> &
  Part<'body', E['body']> & { signal?: AbortSignal };

export type CallOutput<E extends AnyEndpoint> = [z.output<E['extra']>] extends [undefined]
  ? z.output<E['returns']>
  : { data: z.output<E['returns']> } & z.output<E['extra']>;

type CallFunction<E extends AnyEndpoint> =
  { signal?: AbortSignal } extends CallInput<E>
    ? (input?: CallInput<E>) => Promise<CallOutput<E>>
    : (input: CallInput<E>) => Promise<CallOutput<E>>;

export type Client<A extends Api> = {
  [Group in keyof A]: { [Name in keyof A[Group]]: CallFunction<A[Group][Name]> };
};

export function createClient<A extends Api>(api: A, transport: Transport): Client<A> {
  const groups = Object.entries(api).map(([group, endpoints]) => [
    group,
    Object.fromEntries(
      Object.entries(endpoints).map(([name, endpoint]) => [name, callFunction(endpoint, transport)]),
    ),
  ]);
  return Object.fromEntries(groups) as Client<A>;
}

interface LooseInput {
  params?: Record<string, unknown>;
  query?: Record<string, unknown>;
  body?: unknown;
  signal?: AbortSignal;
}

function callFunction(endpoint: AnyEndpoint, transport: Transport) {
  const bare = endpoint.extra.safeParse(undefined).success;
  return async (input: LooseInput = {}) => {
    const search = new URLSearchParams();
    for (const [name, value] of Object.entries(input.query ?? {})) {
      if (value !== undefined && value !== null && value !== '')
        search.set(name, `${value as string | number | boolean}`);
    }
    const queryString = search.size > 0 ? `?${search.toString()}` : '';
    const envelope = await transport({
      endpoint,
      method: endpoint.method,
      url: fillPath(endpoint.path, input.params) + queryString,
      body: input.body,
      signal: input.signal,
    });
    return bare ? envelope.data : envelope;
  };
}
