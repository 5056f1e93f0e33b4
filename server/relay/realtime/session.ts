// /v1/realtime: a WebSocket on both sides. Messages pass as they are; usage is read from every response.done, the hold
// grows with it, and the call is settled when either side ends.
import { callerLanguage } from '#server/relay/caller/error-answer.ts';
import type { RunningCall } from '#server/relay/call/running-call.ts';
import { TOKEN_CLASSES } from '#contract/token-classes.ts';
import type { ServerWebSocket, WebSocketHandler } from 'bun';
import { cappedChargeOf } from '#server/billing/charge.ts';
import { usageOf, type Usage } from '#server/billing/usage.ts';
import { isObject, readOpenAiUsage } from '#server/formats/openai-usage.ts';
import type { Core } from '#server/relay/pipeline/core.ts';
import { errorObject, RelayError } from '#server/relay/errors/relay-error.ts';
import type { UpstreamSocket } from '#server/egress/index.ts';
import { Brake } from './brake.ts';
import { credibleUsage, settleCall } from '#server/relay/money/settlement.ts';
import { tokensOfContent } from '#server/relay/request/content-tokens.ts';

/** The hold covers this much output more than has been used. */
const aheadTokens = 1024;
const longestMessageBytes = 32 * 1024 * 1024;
const hangUpMilliseconds = 5000;
/** 24 kHz, 16 bit, as base64; an output token is a twentieth of a second. */
const base64PerAudioToken = (24_000 * 2 * 4) / 3 / 20;

export type RealtimeSocket = ServerWebSocket<RealtimeSession>;

export class RealtimeSession {
  readonly #core: Core;
  readonly #call: RunningCall;
  readonly #upstream: UpstreamSocket;
  readonly #callerBrake: Brake;
  readonly #upstreamBrake: Brake;
  #socket: RealtimeSocket | undefined;
  #total: Usage = usageOf({});
  /** Delivered since the last report. */
  #unreported = { output: 0, audioOutput: 0 };
  #hasReport = false;
  #waiting: (string | ArrayBuffer)[] | undefined;
  #ended: Promise<void> | undefined;

  /** `upstream` is open and paused. */
  constructor(core: Core, call: RunningCall, upstream: UpstreamSocket) {
    this.#core = core;
    this.#call = call;
    this.#upstream = upstream;
    const { stalledReaderSeconds } = core.timeouts;
    const caller = { pause: () => this.#socket?.pause(), resume: () => this.#socket?.resume() };
    this.#callerBrake = new Brake(
      caller,
      () => upstream.bufferedAmount,
      stalledReaderSeconds,
      () => this.#end('upstream', 1011, 'the upstream stopped reading'),
    );
    this.#upstreamBrake = new Brake(
      upstream,
      () => this.#socket?.getBufferedAmount() ?? 0,
      stalledReaderSeconds,
      () => this.#end('caller', 1013, 'too slow'),
    );
    upstream.addEventListener('message', ({ data }) => this.#fromUpstream(data));
    upstream.addEventListener('close', ({ code, reason }) => this.#end('upstream', closeCode(code), reason));
    upstream.addEventListener('error', () => this.#end('upstream', 1011, 'upstream failed'));
  }

  /** The caller's side is open. */
  attach(socket: RealtimeSocket): void {
    this.#socket = socket;
    if (this.#ended === undefined) this.#upstream.resume();
  }

  fromCaller(message: string | Buffer): void {
    if (this.#ended !== undefined || this.#upstream.readyState !== WebSocket.OPEN) return;
    this.#upstream.send(message);
    this.#callerBrake.check();
  }

  callerLeft(): void {
    this.#end('caller', 1000, '');
  }

  #fromUpstream(data: string | ArrayBuffer): void {
    if (this.#ended !== undefined) return;
    // While one message waits for the hold, later ones wait too: their order is part of the protocol.
    if (this.#waiting !== undefined) {
      this.#waiting.push(data);
      return;
    }
    if (typeof data !== 'string') return this.#toCaller(new Uint8Array(data));
    // Most messages are audio and only pass.
    if (data.includes('"response.done"')) {
      const isPaid = this.#readDone(data);
      if (isPaid !== true) {
        // The end of a response is sent when the hold covers it.
        const waiting: (string | ArrayBuffer)[] = (this.#waiting = []);
        void isPaid.then((isCovered) => {
          this.#waiting = undefined;
          this.#toCaller(data);
          if (!isCovered) return this.#outOfQuota();
          for (const each of waiting) this.#fromUpstream(each);
        });
        return;
      }
    } else this.#countDelta(data);
    this.#toCaller(data);
  }

  #readDone(data: string): true | Promise<boolean> {
    const event = parse(data);
    if (!isObject(event) || event['type'] !== 'response.done' || !isObject(event['response'])) return true;
    const usage = credibleUsage(readOpenAiUsage(event['response']['usage']));
    if (usage === undefined) return true;
    const sum = { ...this.#total };
    for (const name of TOKEN_CLASSES) sum[name] += usage[name];
    this.#total = sum;
    this.#hasReport = true;
    this.#unreported = { output: 0, audioOutput: 0 };
    return this.#cover();
  }

  #cover(): true | Promise<boolean> {
    const { price, hold } = this.#call;
    const needed = cappedChargeOf(price, { ...this.#total, output: this.#total.output + aheadTokens });
    return needed <= hold.amount ? true : hold.extend(needed - hold.amount).catch(() => false);
  }

  #countDelta(data: string): void {
    if (!data.includes('.delta"')) return;
    const event = parse(data);
    if (!isObject(event)) return;
    const { type, delta } = event;
    if (typeof delta !== 'string') return;
    if (typeof type === 'string' && type.endsWith('audio.delta')) {
      this.#unreported.audioOutput += Math.ceil(delta.length / base64PerAudioToken);
    } else if (typeof type === 'string' && !type.includes('transcript')) {
      // A transcript repeats the audio.
      this.#unreported.output += tokensOfContent(event);
    }
  }

  #toCaller(message: string | Uint8Array): void {
    this.#socket?.send(message);
    this.#upstreamBrake.check();
  }

  #outOfQuota(): void {
    const options = { type: 'insufficient_quota', publicCode: 'insufficient_quota' };
    const error = new RelayError('stream_insufficient_quota', {}, options);
    const body = errorObject(error, callerLanguage(this.#call.request), this.#call.requestId);
    this.#toCaller(JSON.stringify({ type: 'error', ...body }));
    this.#end('quota', 1008, 'insufficient_quota');
  }

  #end(who: 'caller' | 'upstream' | 'quota', code: number, reason: string): void {
    this.#callerBrake.release();
    this.#upstreamBrake.release();
    this.#ended ??= this.#settle(who).then(() => {
      this.#hangUp();
      this.#socket?.close(code, reason.slice(0, 100));
      this.#core.breaker.end(this.#call.record.channelId);
    });
  }

  /** An upstream that does not answer the closing frame is cut off. */
  #hangUp(): void {
    if (this.#upstream.readyState !== WebSocket.OPEN) return;
    this.#upstream.close();
    // A paused socket would not read the answer to the closing frame.
    this.#upstream.resume();
    setTimeout(() => this.#upstream.terminate(), hangUpMilliseconds).unref();
  }

  async #settle(who: 'caller' | 'upstream' | 'quota'): Promise<void> {
    if (who !== 'upstream') this.#hangUp();
    const { output, audioOutput } = this.#unreported;
    const estimated = output > 0 || audioOutput > 0;
    try {
      if (!this.#hasReport && !estimated) return await this.#call.hold.release();
      const usage = {
        ...this.#total,
        output: this.#total.output + output,
        audioOutput: this.#total.audioOutput + audioOutput,
      };
      const ending = who === 'upstream' ? '' : who === 'quota' ? 'quota' : 'client_left';
      await settleCall(this.#core, this.#call, {
        usage,
        estimated,
        firstTokenMilliseconds: undefined,
        ending,
      });
    } catch (error) {
      this.#core.log.error('a realtime call could not be settled', {
        request_id: this.#call.requestId,
        error,
      });
    }
  }
}

export const realtimeHandlers: WebSocketHandler<RealtimeSession> = {
  idleTimeout: 0,
  maxPayloadLength: longestMessageBytes,
  // Above this the platform drops messages; the brake stops the upstream long before.
  backpressureLimit: 2 * longestMessageBytes,
  sendPings: true,
  open: (socket) => socket.data.attach(socket),
  message: (socket, message) => socket.data.fromCaller(message),
  close: (socket) => socket.data.callerLeft(),
};

/** Codes that a server may not send become a normal end. */
function closeCode(code: number): number {
  return code >= 1000 && code < 5000 && code !== 1004 && code !== 1005 && code !== 1006 && code !== 1015
    ? code
    : 1000;
}

function parse(text: string): unknown {
  try {
    return JSON.parse(text) as unknown;
  } catch {
    return undefined;
  }
}
