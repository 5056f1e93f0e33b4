import { expect, test } from 'bun:test';
import type { Ledger } from '#server/money/ledger/ledger.ts';
import type { PriceSnapshot } from '#server/money/prices/price.ts';
import type { RunningCall } from '#server/relay/call/running-call.ts';
import { RelayError } from '#server/relay/errors/relay-error.ts';
import { Hold } from '#server/relay/money/hold.ts';
import type { Core } from '#server/relay/pipeline/core.ts';
import type { UpstreamSocket } from '#server/platform/egress/index.ts';
import { RealtimeSession, type RealtimeSocket } from './session.ts';
import type { CallerCheck } from './session-admission.ts';

/** One unit for each token. */
const price: PriceSnapshot = {
  version: 1,
  model: 'm',
  group: 'default',
  groupRatio: 1,
  quotaPerUnit: 500_000,
  source: 'operator',
  kind: 'ratio',
  modelRatio: 1,
  completionRatio: 1,
  cacheRatio: 1,
  cacheWriteRatio: 1,
  cacheWrite1hRatio: 1,
  imageRatio: 1,
  audioRatio: 1,
  audioCompletionRatio: 1,
  reasoningRatio: 1,
};
const HELD = 100;

/** The upstream's side of a session, with everything that was sent to it. */
class Upstream extends EventTarget {
  readonly sent: string[] = [];
  readonly calls: string[] = [];
  readyState: number = WebSocket.OPEN;
  bufferedAmount = 0;
  send(message: string): void {
    this.sent.push(message);
  }
  pause(): void {
    this.calls.push('pause');
  }
  resume(): void {
    this.calls.push('resume');
  }
  close(): void {
    this.calls.push('close');
  }
  terminate(): void {
    this.calls.push('terminate');
  }
  says(event: object): void {
    this.dispatchEvent(new MessageEvent('message', { data: JSON.stringify(event) }));
  }
  breaksOff(code = 1006): void {
    this.readyState = WebSocket.CLOSED;
    this.dispatchEvent(new CloseEvent('close', { code, reason: 'gone' }));
  }
}

interface Wish {
  held?: number;
  /** So much the hold may grow to. */
  most?: number;
  /** Tokens of the longest answer of the model. */
  limit?: number;
  lowersLimits?: boolean;
  check?: CallerCheck;
  opening?: string;
}

function open({ held = HELD, most = 1_000_000, limit, lowersLimits = true, check, opening }: Wish = {}) {
  const seen = {
    asked: [] as number[],
    checkpoints: [] as object[],
    settled: [] as { log: { other: string } }[],
    released: [] as unknown[],
    endings: [] as object[],
    health: [] as unknown[],
    errors: 0,
    ended: 0,
    live: 0,
    warned: 0,
  };
  const away = { is: false };
  const ledger = {
    async extend(_call: unknown, more: number) {
      seen.asked.push(more);
      await Promise.resolve();
      if (away.is) throw new Error('away');
      return hold.amount + more <= most;
    },
    dispatched: (running: object, progress: object) =>
      void seen.checkpoints.push({ ...running, ...progress }),
    async settle(_call: unknown, outcome: { log: { other: string } }) {
      if (away.is) throw new Error('away');
      seen.settled.push(outcome);
    },
    release: async (_call: unknown, failure: unknown) => void seen.released.push(failure),
  } as unknown as Ledger;
  const hold = new Hold(ledger, { requestId: 'r' }, held);
  const core = {
    ledger,
    log: { warn: () => (seen.warned += 1), error: () => (seen.errors += 1) },
    health: { answered: (channel: number, failure: unknown) => seen.health.push([channel, failure]) },
    breaker: { end: () => (seen.ended += 1) },
    streams: { add: () => (seen.live += 1), remove: () => (seen.live -= 1) },
    timeouts: { stalledReaderSeconds: 60 },
    settings: {
      current: {
        LogConsumeEnabled: true,
        LowerAnswerLimits: lowersLimits,
        ModelLimits: limit === undefined ? {} : { m: { answer: limit } },
      },
    },
    usageAlerts: { doubted: () => {} },
    watcher: {
      ended: ({ usage, charge, ending }: { usage: unknown; charge: number; ending: string }) =>
        seen.endings.push({ isCharged: usage !== undefined, charge, ending }),
    },
  } as unknown as Core;
  const caller = { userId: 1, tokenId: 2, group: 'default' };
  const record = {
    caller,
    model: 'm',
    upstreamModel: 'm',
    channelId: 7,
    attempts: [{ channel: 7, status: 101, milliseconds: 1 }] as {
      channel: number;
      status: number;
      milliseconds: number;
      error?: string;
    }[],
    reasoningEffort: '',
    outputLimit: undefined as number | undefined,
  };
  const call = {
    price,
    hold,
    record,
    caller,
    prepared: { model: 'm', estimate: { pieces: 1 } },
    request: new Request('http://gateway/v1/realtime'),
    requestId: 'r',
    startedAt: 60_000,
  } as unknown as RunningCall;
  const upstream = new Upstream();
  const admission = {
    expiresAt: 660_000,
    check: check ?? (() => ({ models: undefined }) as ReturnType<CallerCheck>),
    opening,
  };
  const session = new RealtimeSession(core, call, upstream as unknown as UpstreamSocket, admission);
  const heard: { type: string; error?: { code: string } }[] = [];
  const closed: [number, string][] = [];
  const socket = {
    send: (text: string) => void heard.push(JSON.parse(text)),
    close: (code: number, reason: string) => void closed.push([code, reason]),
    getBufferedAmount: () => 0,
    pause: () => {},
    resume: () => {},
  } as unknown as RealtimeSocket;
  const says = (event: object) => session.fromCaller(JSON.stringify(event));
  return { session, upstream, socket, says, seen, away, hold, record, heard, closed };
}

/** A session whose caller's side is open. */
function begin(wish?: Wish) {
  const scene = open(wish);
  scene.session.attach(scene.socket);
  return scene;
}

/** The ledger of the scene answers without a timer. */
const settle = () => Bun.sleep(1);
const ask = (limit: number) => ({ type: 'response.create', response: { max_output_tokens: limit } });
const created = (id: string) => ({ type: 'response.created', response: { id } });
const piece = (id: string) => ({
  type: 'response.output_text.delta',
  response_id: id,
  delta: 'word word word',
});
const done = (id: string, input: number, output: number) => ({
  type: 'response.done',
  response: { id, status: 'completed', usage: { input_tokens: input, output_tokens: output } },
});
const typed = (text: string) => ({
  type: 'conversation.item.create',
  item: { type: 'message', content: [{ type: 'input_text', text }] },
});

test('the second response of a session is held as the first one was, and the hold goes on growing', async () => {
  const { upstream, says, seen, hold, closed } = begin();
  says(ask(1000));
  await settle();
  upstream.says(created('one'));
  upstream.says(done('one', 3, 1000));
  says(ask(1000));
  await settle();
  upstream.says(created('two'));
  says(typed('word '.repeat(4000)));
  await settle();
  expect(upstream.sent).toHaveLength(3);
  expect(seen.asked).toHaveLength(3);
  expect(hold.amount).toBeGreaterThan(2000 + 4000);
  expect(closed).toEqual([]);
});

test('a session that ends a second time is settled once, by its first end', async () => {
  const { session, upstream, says, seen, closed } = begin();
  says(ask(50));
  upstream.says(created('one'));
  upstream.says(piece('one'));
  expect(seen.live).toBe(1);
  session.callerLeft();
  upstream.breaksOff();
  session.callerLeft();
  session.visit(660_000);
  await settle();
  expect(seen.settled).toHaveLength(1);
  expect(seen.endings).toEqual([{ isCharged: true, charge: 6, ending: 'client_left' }]);
  expect(seen).toMatchObject({ ended: 1, live: 0, released: [], health: [[7, undefined]] });
  expect(closed).toEqual([[1000, '']]);
  expect(upstream.calls.filter((name) => name === 'close')).toHaveLength(1);
});

test('after its end a session passes nothing on, counts nothing and leaves no checkpoint', async () => {
  const { session, upstream, says, seen, heard } = begin();
  session.callerLeft();
  const before = upstream.sent.length;
  upstream.readyState = WebSocket.OPEN;
  says(typed('late'));
  upstream.says(done('late', 500, 500));
  session.visit(10_000);
  await settle();
  expect(upstream.sent).toHaveLength(before);
  expect(heard).toEqual([]);
  expect(seen.checkpoints).toEqual([]);
  expect(seen.released).toEqual([undefined]);
  expect(seen.settled).toEqual([]);
});

test('what waits for the hold is neither sent nor charged when the session ends meanwhile', async () => {
  const asked = begin();
  asked.says(ask(1000));
  asked.session.callerLeft();
  await settle();
  expect(asked.upstream.sent).toEqual([]);
  expect(asked.seen.settled).toEqual([]);
  expect(asked.seen.released).toHaveLength(1);

  const told = begin();
  told.says(ask(50));
  told.upstream.says(created('one'));
  const long = { type: 'response.output_text.delta', response_id: 'one', delta: 'word '.repeat(500) };
  told.upstream.says(long);
  told.session.callerLeft();
  await settle();
  expect(told.heard.map(({ type }) => type)).toEqual(['response.created']);
  expect(told.seen.endings).toEqual([{ isCharged: true, charge: 3, ending: 'client_left' }]);
});

test('a checkpoint comes every two seconds, and at once where a response begins or ends', () => {
  const before = performance.now();
  const { session, upstream, says, seen } = begin();
  const after = performance.now();
  says(ask(50));
  expect(seen.checkpoints).toHaveLength(0);
  upstream.says(created('one'));
  expect(seen.checkpoints).toMatchObject([
    { requestId: 'r', quota: 3, promptTokens: 3, completionTokens: 0 },
  ]);
  upstream.says(piece('one'));
  session.visit(before + 1999);
  expect(seen.checkpoints).toHaveLength(1);
  session.visit(after + 2001);
  expect(seen.checkpoints).toMatchObject([{ quota: 3 }, { quota: 6, completionTokens: 3 }]);
  upstream.says(piece('one'));
  session.visit(after + 4000);
  expect(seen.checkpoints).toHaveLength(2);
  session.visit(after + 4002);
  expect(seen.checkpoints).toHaveLength(3);
  upstream.says(done('one', 20, 20));
  expect(seen.checkpoints.at(-1)).toMatchObject({ quota: 40 });
});

test('a caller is checked again every two seconds', async () => {
  let checks = 0;
  const check: CallerCheck = () => {
    checks += 1;
    if (checks > 2) throw new RelayError('user_disabled');
    return { models: undefined } as Awaited<ReturnType<CallerCheck>>;
  };
  const { session, closed } = begin({ check });
  const now = performance.now();
  for (const after of [2001, 3000, 4002]) session.visit(now + after);
  await settle();
  expect(checks).toBe(2);
  expect(closed).toEqual([]);
  session.visit(now + 6003);
  await settle();
  expect(closed).toEqual([[1008, 'user_disabled']]);
});

test('a response that nobody asked for is held with its limit where the balance pays for it, also the second one', async () => {
  const rich = begin({ limit: 500 });
  for (const id of ['one', 'two']) {
    rich.upstream.says(created(id));
    await settle();
    rich.upstream.says(piece(id));
    rich.upstream.says(done(id, 3, 400));
    await settle();
  }
  expect(rich.seen.asked).toHaveLength(2);
  expect(rich.heard.filter(({ type }) => type === 'response.done')).toHaveLength(2);
  rich.session.callerLeft();
  await settle();
  expect(rich.seen.endings).toEqual([{ isCharged: true, charge: 806, ending: '' }]);
  // Held before it began: the response needs no more of the ledger.
  const ready = begin({ held: 5000, limit: 500 });
  ready.upstream.says(created('one'));
  ready.upstream.says(done('one', 3, 400));
  await settle();
  expect(ready.seen.asked).toEqual([]);
  expect(ready.seen.checkpoints.at(-1)).toMatchObject({ quota: 403 });

  // Of more than is held for it nothing is believed.
  const poor = begin({ most: 300, limit: 500 });
  poor.upstream.says(created('one'));
  await settle();
  expect(poor.seen.asked).toEqual([403, 1055, 31]);
  // Its limit is asked for once.
  poor.upstream.says({ type: 'response.output_item.added', response_id: 'one' });
  await settle();
  expect(poor.seen.asked).toHaveLength(3);
  expect(poor.heard.map(({ type }) => type)).toEqual(['response.created', 'response.output_item.added']);
  poor.upstream.says(done('one', 3, 400));
  await settle();
  expect(poor.seen.checkpoints.at(-1)).not.toMatchObject({ quota: 403 });
});

test('while the limit of such a response is asked for, the caller goes on with what the balance pays', async () => {
  const { upstream, says, closed } = begin({ most: 300, limit: 500 });
  upstream.says(created('one'));
  says(typed('word'));
  await settle();
  expect(upstream.sent).toHaveLength(1);
  expect(closed).toEqual([]);
});

test('what a caller says to an upstream that is closing is not charged', async () => {
  const { session, upstream, says, seen } = begin();
  upstream.readyState = WebSocket.CLOSING;
  says(ask(50));
  session.callerLeft();
  await settle();
  expect(upstream.sent).toEqual([]);
  expect(seen).toMatchObject({ settled: [], released: [undefined] });
});

test('a message that names an object of the account is refused, and the session goes on', async () => {
  const { upstream, says, heard, closed } = begin();
  says({ type: 'response.create', response: { prompt: { id: 'pmpt_1' } } });
  says({ type: 'input_audio_buffer.clear' });
  await settle();
  expect(upstream.sent).toEqual(['{"type":"input_audio_buffer.clear"}']);
  expect(heard).toMatchObject([{ type: 'error' }]);
  expect(closed).toEqual([]);
});

test('a session ends at its time to the millisecond, and says after how many minutes', async () => {
  const { session, seen, heard, closed } = begin();
  session.visit(659_999);
  expect(seen.live).toBe(1);
  session.visit(660_000);
  await settle();
  expect(heard.at(-1)).toMatchObject({ type: 'error', error: { code: 'session_expired' } });
  expect(JSON.stringify(heard.at(-1))).toMatch(/\b10 minutes/);
  expect(closed).toEqual([[1001, 'session_expired']]);
});

test('a caller that may no longer call is ended; one whose token is used up, or that cannot be checked, is not', async () => {
  const refused = begin({ check: () => Promise.reject(new RelayError('user_disabled')) });
  refused.session.revoke();
  await settle();
  expect(refused.closed).toEqual([[1008, 'user_disabled']]);
  expect(refused.heard.at(-1)).toMatchObject({ type: 'error' });
  const models = { models: new Set(['another']) } as unknown as Awaited<ReturnType<CallerCheck>>;
  const other = begin({ check: () => models });
  other.session.revoke();
  await settle();
  expect(other.closed).toEqual([[1008, 'model_not_allowed']]);
  const same = { models: new Set(['m']) } as unknown as Awaited<ReturnType<CallerCheck>>;
  for (const check of [
    () => Promise.reject(new RelayError('token_exhausted')),
    () => Promise.reject(new Error('away')),
    () => same,
  ]) {
    const goesOn = begin({ check });
    goesOn.session.revoke();
    await settle();
    expect(goesOn.closed).toEqual([]);
  }
});

test('a balance that does not pay ends the session before the message is sent, and a ban is named as such', async () => {
  const poor = begin({ most: HELD });
  poor.says(typed('word '.repeat(400)));
  await settle();
  expect(poor.upstream.sent).toEqual([]);
  expect(poor.closed).toEqual([[1008, 'insufficient_quota']]);
  expect(poor.heard.at(-1)).toMatchObject({ type: 'error', error: { code: 'insufficient_quota' } });

  const banned = begin({ most: HELD, check: () => Promise.reject(new RelayError('user_disabled')) });
  banned.says(typed('word '.repeat(400)));
  await settle();
  expect(banned.closed).toEqual([[1008, 'user_disabled']]);

  const cut = begin();
  cut.away.is = true;
  cut.says(typed('word '.repeat(400)));
  await settle();
  expect(cut.upstream.sent).toEqual([]);
  expect(cut.closed).toEqual([[1013, 'unavailable']]);
});

test('the end of a response is delivered although the balance does not pay its report; a piece is not', async () => {
  const ended = begin({ most: HELD });
  ended.says(ask(20));
  ended.upstream.says(created('one'));
  ended.upstream.says(piece('one'));
  ended.upstream.says(done('one', 3000, 20));
  await settle();
  expect(ended.heard.map(({ type }) => type).slice(0, 3)).toEqual([
    'response.created',
    'response.output_text.delta',
    'response.done',
  ]);
  expect(ended.closed).toEqual([[1008, 'insufficient_quota']]);

  const cut = begin({ most: HELD });
  cut.says(ask(20));
  cut.upstream.says(created('one'));
  cut.upstream.says({ ...piece('one'), delta: 'word '.repeat(200) });
  await settle();
  expect(cut.heard.map(({ type }) => type)).toEqual(['response.created', 'error']);
  expect(cut.seen.endings).toEqual([{ isCharged: true, charge: 3, ending: 'quota' }]);
});

test('a limit that the balance pays for in part is lowered, unless the operator wants none lowered', async () => {
  const lowered = begin({ most: HELD + 200 });
  lowered.says(ask(1000));
  await settle();
  expect(JSON.parse(lowered.upstream.sent[0] ?? '')).toMatchObject({ response: { max_output_tokens: 250 } });
  expect(lowered.record.outputLimit).toBe(250);
  const whole = begin({ most: HELD + 200, lowersLimits: false });
  whole.says(ask(1000));
  await settle();
  expect(whole.upstream.sent).toEqual([]);
  expect(whole.closed).toEqual([[1008, 'insufficient_quota']]);
});

test('an upstream that breaks off a response has failed; one that closes between two has not', async () => {
  const broken = begin();
  broken.says(ask(50));
  broken.upstream.says(created('one'));
  broken.upstream.breaksOff();
  await settle();
  expect(broken.seen).toMatchObject({ settled: [], ended: 1 });
  expect(broken.seen.health).toEqual([[7, { requestId: 'r', words: 'stream broken' }]]);
  expect(broken.seen.released).toHaveLength(1);
  expect(broken.record.attempts[0]?.error).toBe('stream broken');
  expect(broken.closed).toEqual([[1000, 'gone']]);

  const asked = begin();
  asked.says(ask(50));
  asked.upstream.breaksOff();
  await settle();
  expect(asked.seen).toMatchObject({ settled: [], ended: 1 });
  expect(asked.seen.health).toEqual([[7, { requestId: 'r', words: 'stream broken' }]]);

  const between = begin();
  between.says(ask(50));
  between.upstream.says(created('one'));
  between.upstream.says(done('one', 3, 5));
  between.upstream.breaksOff(4001);
  await settle();
  expect(between.seen).toMatchObject({ health: [[7, undefined]], released: [] });
  expect(between.record.attempts[0]?.error).toBeUndefined();
  expect(between.seen.endings).toEqual([{ isCharged: true, charge: 8, ending: '' }]);
  expect(between.closed).toEqual([[4001, 'gone']]);
});

test('the log says how a session ended, whether its usage was estimated, and which count was not believed', async () => {
  const logged = (scene: ReturnType<typeof begin>) => {
    const { other } = scene.seen.settled[0]?.log ?? { other: '{}' };
    return JSON.parse(other) as Record<string, unknown>;
  };
  const left = begin();
  left.says(ask(50));
  left.upstream.says(created('one'));
  left.session.callerLeft();
  await settle();
  const whole = begin();
  whole.says(ask(50));
  whole.upstream.says(created('one'));
  whole.upstream.says(done('one', 3, 5000));
  whole.session.callerLeft();
  await settle();
  expect(left.seen.settled).toMatchObject([{ log: { estimated: 1 } }]);
  expect(logged(left)).toMatchObject({ ending: 'client_left' });
  expect(logged(left)).not.toHaveProperty('doubts');
  expect(whole.seen.settled).toMatchObject([{ log: { estimated: 0 } }]);
  expect(logged(whole)).toMatchObject({ doubts: [{ count: 'output', reported: 5000 }] });
  expect(logged(whole)).not.toHaveProperty('ending');
});

test('a session that cannot be settled is logged once and closed all the same', async () => {
  const { session, upstream, says, away, seen, closed } = begin();
  says(ask(50));
  upstream.says(created('one'));
  away.is = true;
  session.callerLeft();
  await settle();
  expect(seen).toMatchObject({ errors: 1, settled: [], ended: 1 });
  expect(closed).toEqual([[1000, '']]);
});

test('a session that ended before its caller’s side was open is settled, and closed when that opens', async () => {
  const { session, upstream, socket, seen, closed } = open({
    opening: '{"type":"session.update","session":{}}',
  });
  expect(upstream.calls).toEqual([]);
  upstream.breaksOff();
  await settle();
  expect(seen.released).toHaveLength(1);
  session.attach(socket);
  await settle();
  expect(closed).toEqual([[1000, 'gone']]);
  expect(upstream.sent).toEqual([]);
  const usual = begin({ opening: '{"type":"session.update","session":{}}' });
  expect(usual.upstream.calls).toEqual(['resume']);
  await settle();
  expect(usual.upstream.sent).toEqual(['{"type":"session.update","session":{}}']);
});
