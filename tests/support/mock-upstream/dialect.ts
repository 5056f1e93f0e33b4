// What a dialect (one folder per provider API) gives the mock: routes that turn an exchange into an answer. Faults, pace,
// counting and bytes are the mock's business, so every dialect gets them for nothing.
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
  /** As it came, for signatures; empty for multipart. */
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
  /** The event tells usage. */
  usage?: boolean;
}

export type Answer =
  | { kind: 'json'; body: string }
  | { kind: 'bytes'; body: Uint8Array | string; contentType: string }
  | {
      kind: 'events';
      events: Iterable<StreamEvent>;
      done?: string;
      /** For streams that are not server-sent events: how one event stands on the wire. */
      framing?: Framing;
    }
  | { kind: 'refusal'; status: number; body: string; headers?: Record<string, string> };

export interface Framing {
  contentType: string;
  frame: (event: StreamEvent, index: number) => string | Uint8Array;
  /** Written after the last event, as it is. */
  closing?: string;
}

export interface Route {
  /** `model` and `lastUserText` steer behaviour; a route without them is steered by key and rules only. */
  lastUserText?: (body: Record<string, unknown>) => string;
  answer: (exchange: Exchange) => Answer;
  /** Whatever the body is, also none. */
  takesAnyBody?: true;
}

export interface Dialect {
  name: string;
  /** `POST /v1/chat/completions` → route; `undefined` lets the next dialect look. */
  route: (method: string, path: string, headers: Headers) => Route | undefined;
  /** Where the model and the wish to stream stand outside the body's `model` and `stream`. */
  readCall?: (exchange: Exchange) => { model: string; stream: boolean };
  /** API key of the request, empty when it carries none. */
  readKey: (headers: Headers, url: string) => string;
  headers: (exchange: Exchange) => Record<string, string>;
  /** The provider's own error for this status, worded like the provider. */
  refusal: (exchange: Exchange, status: number) => Answer & { kind: 'refusal' };
  /** The refusal of a request without or with an unknown key; undefined when the key is fine. */
  checkKey: (exchange: Exchange) => (Answer & { kind: 'refusal' }) | undefined;
  midStreamError: (path: string) => StreamEvent;
  unknownRoute: (method: string, path: string) => Response;
}
