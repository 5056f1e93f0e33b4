// Callers that call without pause: streams and whole answers of random length, against a gateway that is restarted.
// Answers that a caller read to the end are kept, to be compared with the ledger and with the upstream's own count.
import type { Behaviour } from '#mock/upstream/behaviour.ts';
import { behaviourMessage } from '#mock/upstream/behaviours.ts';
import { dice } from '#tests/support/random.ts';

export interface Acknowledged {
  requestId: string;
  /** Identifies the call in the upstream's records. */
  tag: string;
  promptTokens: number;
  completionTokens: number;
  /** The caller's receipt. */
  charged: number;
}

/** A call whose response head arrived, complete or not. */
export interface Begun {
  requestId: string;
  tag: string;
  status: number;
  /** The caller received content. */
  hasContent: boolean;
}

/** The faults of one call; none by default. */
export interface Mischief {
  /** Behaviour of the upstream. */
  behaviour?: Behaviour;
  /** A complete answer of this pace. */
  pace?: { outputTokens: number; chunkDelayMilliseconds: number };
  /** The caller leaves after this time. */
  leaveMilliseconds?: number;
}

export interface Load {
  readonly acknowledged: readonly Acknowledged[];
  readonly begun: readonly Begun[];
  /** Calls that ended in any other way. */
  readonly broken: number;
  /** Calls that the gateway refused as unavailable (503). */
  readonly refused: number;
  /** Ends when every caller has finished its last call. */
  stop(): Promise<void>;
}

const model = 'gpt-4o-mini';
const patienceMilliseconds = 120_000;
const pauseWhileAwayMilliseconds = 20;

export function startLoad(
  /** Calls go to each in turn. */
  urls: readonly string[],
  key: () => string,
  callers: number,
  mischief: () => Mischief = () => ({}),
): Load {
  const acknowledged: Acknowledged[] = [];
  const begun: Begun[] = [];
  let broken = 0;
  const ending = new AbortController();
  let next = 0;

  async function caller(): Promise<void> {
    while (!ending.signal.aborted) {
      next += 1;
      const tag = `call-${next}`;
      const wish = { tag, stream: next % 3 !== 0, mischief: mischief() };
      const url = urls[next % urls.length] ?? '';
      const seen = await call(url, key(), wish, begun).catch(() => undefined);
      if (seen !== undefined) acknowledged.push(seen);
      else {
        broken += 1;
        await Bun.sleep(pauseWhileAwayMilliseconds);
      }
    }
  }

  const all = Promise.all(Array.from({ length: callers }, caller));
  return {
    acknowledged,
    begun,
    get broken() {
      return broken;
    },
    get refused() {
      return begun.filter(({ status }) => status === 503).length;
    },
    async stop() {
      ending.abort();
      await all;
    },
  };
}

interface Wish {
  tag: string;
  stream: boolean;
  mischief: Mischief;
}

async function call(
  url: string,
  key: string,
  { tag, stream, mischief }: Wish,
  begun: Begun[],
): Promise<Acknowledged | undefined> {
  const outputTokens = 1 + Math.floor(dice.next() * 60);
  const pace = stream ? { chunkDelayMilliseconds: 5 } : {};
  const mock = { tag, outputTokens, ...pace, ...mischief.pace, ...mischief.behaviour };
  const answer = await fetch(`${url}/v1/chat/completions`, {
    method: 'POST',
    headers: {
      Authorization: `Bearer ${key}`,
      'Content-Type': 'application/json',
      'X-Tollgate-Report': '1',
    },
    body: JSON.stringify({
      model,
      stream,
      ...(stream ? { stream_options: { include_usage: true } } : {}),
      messages: [{ role: 'user', content: behaviourMessage(mock, 'count me') }],
    }),
    signal: AbortSignal.timeout(mischief.leaveMilliseconds ?? patienceMilliseconds),
  });
  const requestId = answer.headers.get('x-tollgate-request-id') ?? '';
  const { status } = answer;
  const entry: Begun = { requestId, tag, status, hasContent: false };
  begun.push(entry);
  let text = '';
  try {
    const decoder = new TextDecoder();
    for await (const piece of answer.body ?? []) text += decoder.decode(piece, { stream: true });
  } finally {
    entry.hasContent = status === 200 && /"content":"[^"]/.test(text);
  }
  // Of an answer that was broken on its way only the gateway knows the delivered part.
  if (status !== 200 || mischief.behaviour !== undefined) return undefined;
  const usage = stream ? usageOfStream(text) : (JSON.parse(text) as { usage?: UsageReport }).usage;
  const receipt = stream
    ? /: tollgate cost=(\d+)/.exec(text)?.[1]
    : (answer.headers.get('x-tollgate-cost') ?? undefined);
  if (usage === undefined || receipt === undefined) return undefined;
  return {
    requestId,
    tag,
    promptTokens: usage.prompt_tokens,
    completionTokens: usage.completion_tokens,
    charged: Number(receipt),
  };
}

interface UsageReport {
  prompt_tokens: number;
  completion_tokens: number;
}

/** Only a stream with `[DONE]` was read to its end. */
function usageOfStream(text: string): UsageReport | undefined {
  if (!text.endsWith('data: [DONE]\n\n')) return undefined;
  const events = text.split('\n\n').filter((event) => event.includes('"usage":{'));
  const last = events.at(-1);
  return last === undefined
    ? undefined
    : (JSON.parse(last.slice('data: '.length)) as { usage: UsageReport }).usage;
}
