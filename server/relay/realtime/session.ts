// /v1/realtime: a WebSocket on both sides. Messages pass as they are. The session is one call with one hold: the hold grows
// before a message passes that it does not cover, a checkpoint is left every two seconds, and the call is settled once, when
// either side or the gateway ends the session.
import { callerLanguage } from '#server/relay/caller/error-answer.ts';
import type { RunningCall } from '#server/relay/call/running-call.ts';
import type { ServerWebSocket } from 'bun';
import type { Usage } from '#server/money/prices/usage.ts';
import type { LiveStream } from '#server/relay/answer/live-streams.ts';
import type { Core } from '#server/relay/pipeline/core.ts';
import { errorObject, RelayError } from '#server/relay/errors/relay-error.ts';
import { asMidway } from '#server/relay/errors/suspended-midway.ts';
import { quotaError } from '#server/relay/money/settlement.ts';
import type { UpstreamSocket } from '#server/platform/egress/index.ts';
import { BackPressure } from './back-pressure.ts';
import { SessionMeter } from './meter.ts';
import type { AskedResponse } from './responses.ts';
import { OrderedMessages, type Message } from './ordered-messages.ts';
import type { SessionAdmission } from './session-admission.ts';
import { closeCode, endingText, type Ending } from './session-ending.ts';
import { forCaller, parseEvent, refusalOf, withLimit } from './session-event.ts';
import { SessionHold, type Extension } from './session-hold.ts';
import { sessionTerms } from './session-terms.ts';

const HANG_UP_MILLISECONDS = 5000;
const CHECK_MILLISECONDS = 2000;

export type RealtimeSocket = ServerWebSocket<RealtimeSession>;

export class RealtimeSession implements LiveStream {
  placeInSet = -1;
  readonly #core: Core;
  readonly #call: RunningCall;
  readonly #upstream: UpstreamSocket;
  readonly #admission: SessionAdmission;
  readonly #meter: SessionMeter;
  readonly #hold: SessionHold;
  readonly #toUpstream: OrderedMessages;
  readonly #toCaller: OrderedMessages;
  readonly #callerBrake: BackPressure;
  readonly #upstreamBrake: BackPressure;
  #socket: RealtimeSocket | undefined;
  #checkedAt = performance.now();
  #ending: Ending | undefined;
  #settled: Promise<void> | undefined;

  /** `upstream` is open and paused. */
  constructor(core: Core, call: RunningCall, upstream: UpstreamSocket, admission: SessionAdmission) {
    this.#core = core;
    this.#call = call;
    this.#upstream = upstream;
    this.#admission = admission;
    this.#hold = new SessionHold(core, call);
    this.#meter = new SessionMeter(sessionTerms(core, call));
    this.#toUpstream = new OrderedMessages({
      covers: (message) => this.#readCaller(message),
      send: (message) => this.#sendUpstream(message),
    });
    this.#toCaller = new OrderedMessages({
      covers: (message) => this.#readUpstream(message),
      send: (message) => this.#sendCaller(message),
    });
    const { stalledReaderSeconds } = core.timeouts;
    const caller = { pause: () => this.#socket?.pause(), resume: () => this.#socket?.resume() };
    this.#callerBrake = new BackPressure(
      caller,
      () => upstream.bufferedAmount + this.#toUpstream.waitingBytes,
      stalledReaderSeconds,
      () => this.#end({ cause: 'upstream', code: 1011, reason: 'the upstream stopped reading' }),
    );
    this.#upstreamBrake = new BackPressure(
      upstream,
      () => (this.#socket?.getBufferedAmount() ?? 0) + this.#toCaller.waitingBytes,
      stalledReaderSeconds,
      () => this.#stalled(),
    );
    upstream.addEventListener('message', ({ data }) => this.#fromUpstream(data));
    upstream.addEventListener('close', ({ code, reason }) =>
      this.#end({ cause: 'upstream', code: closeCode(code), reason }),
    );
    upstream.addEventListener('error', () =>
      this.#end({ cause: 'upstream', code: 1011, reason: 'upstream failed' }),
    );
    core.streams.add(this);
  }

  get caller(): RunningCall['caller'] {
    return this.#call.caller;
  }

  /** The caller's side is open. */
  attach(socket: RealtimeSocket): void {
    this.#socket = socket;
    const { opening } = this.#admission;
    if (this.#settled === undefined) {
      this.#upstream.resume();
      if (opening !== undefined) this.fromCaller(opening);
    } else void this.#settled.then(() => this.#hangUpCaller());
  }

  fromCaller(message: string | Buffer): void {
    if (this.#ending !== undefined || this.#upstream.readyState !== WebSocket.OPEN) return;
    const refusal = refusalOf(message);
    if (refusal !== undefined) return this.#complain(refusal);
    this.#toUpstream.push(message);
    this.#callerBrake.check();
  }

  callerLeft(): void {
    this.#end({ cause: 'caller', code: 1000, reason: '' });
  }

  visit(now: number): void {
    const { expiresAt } = this.#admission;
    if (now >= expiresAt) {
      const minutes = Math.max(1, Math.round((expiresAt - this.#call.startedAt) / 60_000));
      const error = new RelayError('session_expired', { minutes }, { type: 'invalid_request_error' });
      return this.#end({ cause: 'expired', code: 1001, reason: 'session_expired', error });
    }
    if (now - this.#checkedAt < CHECK_MILLISECONDS) return;
    this.#checkedAt = now;
    this.#checkpoint();
    this.revoke();
  }

  /** Ends the session if its caller would be refused now: user, token, expiry, address, group and model. */
  revoke(): void {
    void this.#refusal().then((error) => {
      if (error !== undefined) this.#revoked(error);
    });
  }

  #revoked(refusal: RelayError): void {
    const reason = refusal.code;
    this.#end({ cause: 'revoked', code: 1008, reason, error: asMidway(refusal) });
  }

  async #refusal(): Promise<RelayError | undefined> {
    const { record } = this.#call;
    try {
      const { models } = await this.#admission.check(this.#core.settings.current);
      if (models === undefined || models.has(record.model)) return undefined;
      return new RelayError('model_not_allowed', { model: record.model });
    } catch (error) {
      // A token without quota ends no session that has a hold; its next extension is refused.
      if (error instanceof RelayError) return error.code === 'token_exhausted' ? undefined : error;
      this.#core.log.warn('the caller of a realtime session could not be checked', { error });
      return undefined;
    }
  }

  #fromUpstream(data: string | ArrayBuffer): void {
    if (this.#ending !== undefined) return;
    this.#toCaller.push(typeof data === 'string' ? data : new Uint8Array(data));
    this.#upstreamBrake.check();
  }

  #readCaller(message: Message): true | Promise<boolean | Message> {
    const event = parseEvent(message);
    if (event === undefined || !this.#meter.readCaller(event)) return true;
    const { justAsked } = this.#meter;
    if (justAsked === undefined) return this.#cover(this.#meter.mostWithNext());
    const { outputLimit } = justAsked;
    const { LowerAnswerLimits } = this.#core.settings.current;
    const held = this.#coverResponse(justAsked, LowerAnswerLimits);
    if (typeof held === 'number') return true;
    return held.then(async (tokens): Promise<boolean | Message> => {
      if (typeof tokens !== 'number') return await this.#extended(tokens, undefined);
      if (tokens === outputLimit) return true;
      this.#call.record.outputLimit = tokens;
      return withLimit(event, this.#meter.limitField, tokens);
    });
  }

  /** Holds as much of the response's limit as the balance pays for, and lowers the limit to it. */
  #coverResponse(response: AskedResponse, mayBeLess: boolean): ReturnType<SessionHold['coverResponse']> {
    const { outputLimit } = response;
    const usageWith = (tokens: number): Usage => {
      response.outputLimit = tokens;
      return this.#meter.mostUsage();
    };
    return this.#hold.coverResponse(outputLimit, usageWith, mayBeLess);
  }

  #readUpstream(message: Message): true | Promise<boolean> {
    const event = parseEvent(message);
    if (event === undefined) return true;
    this.#meter.readUpstream(event);
    const isDone = event['type'] === 'response.done';
    const isBegun = event['type'] === 'response.created';
    const begun = isBegun ? this.#meter.uncovered : undefined;
    const isCovered =
      begun === undefined
        ? this.#cover(this.#meter.mostUsage(), isDone ? message : undefined)
        : this.#coverBegun(begun);
    if (isDone || isBegun) this.#checkpoint();
    return isCovered;
  }

  /** A response that was not asked for: its limit is held if the balance pays for it, else what is delivered of it. */
  #coverBegun(response: AskedResponse): true | Promise<boolean> {
    response.isCovered = true;
    const whole = this.#meter.mostUsage();
    response.isCovered = false;
    const held = this.#hold.coverWhole(whole);
    if (held === true) {
      response.isCovered = true;
      return true;
    }
    return held.then((isHeld) => {
      response.isCovered = isHeld;
      return isHeld || this.#cover(this.#meter.mostUsage());
    });
  }

  #sendUpstream(message: Message): void {
    if (this.#ending === undefined) this.#upstream.send(message);
  }

  #sendCaller(message: Message): void {
    if (this.#ending === undefined) this.#socket?.send(forCaller(message, this.#call.record));
  }

  /** `last` is sent to the caller even if the balance does not cover it: its content was delivered before. */
  #cover(usage: Usage, last?: Message): true | Promise<boolean> {
    const covered = this.#hold.cover(usage);
    return covered === true ? true : covered.then((result) => this.#extended(result, last));
  }

  async #extended(result: Extension, last: Message | undefined): Promise<boolean> {
    if (result === 'covered') return true;
    if (result === 'unavailable') {
      this.#unavailable();
      return false;
    }
    // A ban refuses the extension too, and its announcement may come later.
    const refusal = await this.#refusal();
    if (last !== undefined) this.#sendCaller(last);
    if (refusal !== undefined) this.#revoked(refusal);
    else this.#end({ cause: 'quota', code: 1008, reason: 'insufficient_quota', error: quotaError() });
    return false;
  }

  #unavailable(): void {
    const error = new RelayError('unavailable');
    this.#end({ cause: 'unavailable', code: 1013, reason: 'unavailable', error });
  }

  /** Too many messages wait for the caller: for the ledger, or because the caller does not read. */
  #stalled(): void {
    if (this.#toCaller.isWaiting) this.#unavailable();
    else this.#end({ cause: 'caller', code: 1013, reason: 'too slow' });
  }

  #checkpoint(): void {
    if (this.#ending === undefined) this.#hold.checkpoint(this.#meter.usage());
  }

  #end(ending: Ending): void {
    if (this.#ending !== undefined) return;
    this.#ending = ending;
    this.#core.streams.remove(this);
    this.#callerBrake.release();
    this.#upstreamBrake.release();
    this.#hangUpUpstream();
    if (this.#toCaller.isWaiting) this.#meter.takeBackPiece();
    if (this.#toUpstream.isWaiting) this.#meter.takeBackAsked();
    const { isRunning } = this.#meter;
    const hasFailed = ending.cause === 'upstream' && isRunning;
    const text = endingText(ending.cause, isRunning);
    this.#settled = this.#hold.end(this.#meter.usage(hasFailed), text, hasFailed).then(() => {
      this.#core.breaker.end(this.#call.record.channelId);
      this.#hangUpCaller();
    });
  }

  /** An upstream that does not answer the closing frame is cut off. */
  #hangUpUpstream(): void {
    if (this.#upstream.readyState !== WebSocket.OPEN) return;
    this.#upstream.close();
    // A paused socket would not read the answer to the closing frame.
    this.#upstream.resume();
    setTimeout(() => this.#upstream.terminate(), HANG_UP_MILLISECONDS).unref();
  }

  #complain(error: RelayError): void {
    const { request, requestId } = this.#call;
    const body = errorObject(error, callerLanguage(request), requestId);
    this.#socket?.send(JSON.stringify({ type: 'error', ...body }));
  }

  #hangUpCaller(): void {
    if (this.#ending === undefined || this.#socket === undefined) return;
    const { code, reason, error } = this.#ending;
    if (error !== undefined) this.#complain(error);
    this.#socket.close(code, reason.slice(0, 100));
  }
}
