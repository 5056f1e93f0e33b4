// Collects the answer of one call and keeps it when the call has been charged.
import type { Usage } from '#server/money/prices/usage.ts';
import type { AnswerKeeper, RecordedCall, StreamRecord, WholeRecord } from '#server/relay/call/call-cache.ts';
import type { PreparedCall } from '#server/relay/upstream-body/prepare.ts';
import { hasSearched, isOrdinaryEnd } from './cacheable.ts';
import type { KeptAnswer } from './store.ts';

/** What is known of the answer before it comes. */
export interface Expected extends Pick<KeptAnswer, 'key' | 'userId' | 'tokenId' | 'model'> {
  readonly prepared: Pick<PreparedCall, 'endpoint' | 'isStream' | 'wantsArray'>;
  /** Of a virtual model: the one that should answer. The answer of another one, after a failure, is not kept. */
  readonly served: string | undefined;
  readonly seconds: number;
  readonly mostBytes: number;
}

export type Keep = (answer: KeptAnswer) => void;

const encoder = new TextEncoder();
const NOTHING = new Uint8Array(0);

export function createKeeper(expected: Expected, keep: Keep): AnswerKeeper {
  return {
    stream: (call) => new StreamCollector(expected, keep, call),
    whole(call, { body, contentType }, exact) {
      if (exact === undefined || !isKept(expected, call, exact) || body.length > expected.mostBytes) return;
      const text = typeof body === 'string' ? body : new TextDecoder().decode(body);
      const bytes = typeof body === 'string' ? encoder.encode(body) : Uint8Array.from(body);
      store(expected, keep, call, { text, contentType, body: bytes, closing: NOTHING, usage: exact });
    },
  };
}

/** The call got what it had asked for, from the model that should answer. */
function isKept({ served }: Expected, { record }: RecordedCall, exact: Usage): boolean {
  return record.outputLimit === undefined && record.route?.served === served && !hasSearched(exact);
}

interface Made extends Pick<WholeRecord, 'contentType'> {
  readonly text: string;
  readonly body: Uint8Array;
  readonly closing: Uint8Array;
  readonly usage: Usage;
}

function store(
  { key, userId, tokenId, model, prepared, seconds, mostBytes }: Expected,
  keep: Keep,
  { record }: RecordedCall,
  { text, contentType, body, closing, usage }: Made,
): void {
  if (body.length + closing.length > mostBytes) return;
  if (!isOrdinaryEnd(prepared.endpoint.format, prepared.isStream, text)) return;
  const keptAt = Date.now();
  const { conversion } = record;
  const expiresAt = keptAt + seconds * 1000;
  keep({ key, userId, tokenId, model, contentType, body, closing, usage, conversion, keptAt, expiresAt });
}

class StreamCollector implements StreamRecord {
  readonly #expected: Expected;
  readonly #keep: Keep;
  readonly #call: RecordedCall;
  #text: string[] = [];
  #length = 0;

  constructor(expected: Expected, keep: Keep, call: RecordedCall) {
    this.#expected = expected;
    this.#keep = keep;
    this.#call = call;
  }

  add(events: string): void {
    this.#length += events.length;
    if (this.#length <= this.#expected.mostBytes) this.#text.push(events);
    else this.#text = [];
  }

  end(closing: string, exact: Usage | undefined): void {
    if (exact === undefined || this.#length > this.#expected.mostBytes) return;
    if (!isKept(this.#expected, this.#call, exact)) return;
    const before = this.#text.join('');
    store(this.#expected, this.#keep, this.#call, {
      text: before + closing,
      contentType: '',
      body: encoder.encode(before),
      closing: encoder.encode(closing),
      usage: exact,
    });
  }
}
