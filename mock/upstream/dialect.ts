// What a dialect (one folder per provider API) provides: routes that turn an exchange into an answer. The mock adds faults,
// pace, counting and encoding for every dialect.
import type { Behaviour } from './behaviour.ts';
import type { ServedRequest } from './books.ts';

export interface Exchange {
  request: Request;
  path: string;
  url: string;
  key: string;
  model: string;
  /** Parsed JSON object; empty for multipart and GET. */
  body: Record<string, unknown>;
  /** The unparsed body, for signatures; empty for multipart. */
  rawBody: string;
  form: FormData | undefined;
  behaviour: Behaviour;
  record: ServedRequest;
}

export interface StreamEvent {
  event?: string;
  data: string;
  /** Output tokens the caller has received once this event is written. */
  tokens?: number;
  /** The event contains usage. */
  usage?: boolean;
}

export type Answer =
  | { kind: 'json'; body: string }
  | { kind: 'bytes'; body: Uint8Array | string; contentType: string }
  | {
      kind: 'events';
      events: Iterable<StreamEvent>;
      done?: string;
      /** The encoding of one event, for streams that are not server-sent events. */
      framing?: Framing;
    }
  | { kind: 'refusal'; status: number; body: string; headers?: Record<string, string> };

export interface Framing {
  contentType: string;
  frame: (event: StreamEvent, index: number) => string | Uint8Array;
  /** Written unchanged after the last event. */
  closing?: string;
}

export interface Route {
  /** `model` and `lastUserText` select the behaviour; without them only key and rules do. */
  lastUserText?: (body: Record<string, unknown>) => string;
  answer: (exchange: Exchange) => Answer;
  /** The body may be of any kind, or absent. */
  takesAnyBody?: true;
}

export interface Dialect {
  name: string;
  /** `POST /v1/chat/completions` → route; `undefined` passes the request to the next dialect. */
  route: (method: string, path: string, headers: Headers) => Route | undefined;
  /** For APIs whose model and streaming are not the body's `model` and `stream`. */
  readCall?: (exchange: Exchange) => { model: string; stream: boolean };
  /** API key of the request, or empty. */
  readKey: (headers: Headers, url: string) => string;
  headers: (exchange: Exchange) => Record<string, string>;
  /** The provider's error of this status, in the provider's words. */
  refusal: (exchange: Exchange, status: number) => Answer & { kind: 'refusal' };
  /** The refusal of a missing or unknown key; undefined when the key is valid. */
  checkKey: (exchange: Exchange) => (Answer & { kind: 'refusal' }) | undefined;
  midStreamError: (path: string) => StreamEvent;
  unknownRoute: (method: string, path: string) => Response;
}
