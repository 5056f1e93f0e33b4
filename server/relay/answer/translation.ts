// Carries a stream between two formats: the upstream's frames become canonical events, and these the caller's events. The
// end of the answer (finish and usage) is held back until the call is settled.
import { noteAnswerLoss, noteUnread, type AnswerShape } from '#server/models/formats/answer-losses.ts';
import type { CanonicalEvent, CanonicalUsage } from '#server/models/formats/canonical.ts';
import type { StreamDecoder, StreamEncoder } from '#server/models/formats/codec.ts';
import type { Frame, FrameReader } from '#server/models/formats/frames/frames.ts';
import type { Usage } from '#server/money/prices/usage.ts';
import type { Carrier, Conclusion, Host, StreamEnding } from './carrier.ts';
import { tokensOfEvent, type Conversion } from '#server/relay/upstream-body/conversion.ts';
import { anthropicDialect } from './dialects/anthropic.ts';
import { geminiDialect } from './dialects/gemini.ts';
import type { RelayError } from '#server/relay/errors/relay-error.ts';
import { problemIn } from '#server/relay/errors/upstream-failure.ts';
import { frameReader } from './frame-reader.ts';

export interface TranslationOptions {
  conversion: Conversion;
  eventLimitBytes: number;
  /** The problem's sentence, in the caller's language. */
  sentence(error: RelayError): string;
  /** What could not be read or converted, for the operator. */
  onFault(error: unknown): void;
  /** Something of the answer has no place in the caller's format; it is in the notes of the conversion. */
  onLoss(): void;
  /** Sees the last bytes the caller gets, for what is to be remembered of an answer. */
  onClosing?: ((text: string) => Promise<void>) | undefined;
}

export class Translation implements Carrier {
  readonly heartbeat = ': keep-alive\n\n';
  readonly #options: TranslationOptions;
  readonly #conversion: Conversion;
  readonly #reader: FrameReader;
  readonly #decoder: StreamDecoder;
  readonly #encoder: StreamEncoder;
  readonly #reshape: (event: CanonicalEvent) => readonly CanonicalEvent[];
  readonly #shape: AnswerShape;
  readonly #finishes: CanonicalEvent[] = [];
  readonly #unread = new Set<string>();
  #notedUnread = 0;
  #usage: CanonicalUsage | undefined;
  #lastData = '';
  /** The error that the upstream sent in the stream. */
  #said: Readonly<Record<string, unknown>> | undefined;
  #named: string | undefined;
  #host!: Host;

  constructor(options: TranslationOptions) {
    const { conversion } = options;
    this.#options = options;
    this.#conversion = conversion;
    this.#reader = frameReader(conversion.framing, options.eventLimitBytes);
    this.#decoder = conversion.upstream.decodeStream(this.#unread);
    this.#encoder = conversion.caller.encodeStream(conversion.options);
    this.#reshape = conversion.reshaper();
    this.#shape = { format: conversion.request.format, isStream: true };
  }

  attach(host: Host): void {
    this.#host = host;
  }

  data(bytes: Uint8Array): void {
    try {
      this.#frames(this.#reader.push(bytes));
    } catch (error) {
      this.#broken(error);
    }
  }

  /** Half an object, a checksum that is wrong, a line without end: what follows cannot be trusted. */
  #broken(error: unknown): void {
    this.#options.onFault(error);
    this.#host.finish('broken', error instanceof Error ? error.message : '');
  }

  end(): void {
    const host = this.#host;
    try {
      this.#frames(this.#reader.end());
      if (!host.isOver) this.#events(this.#decoder.end());
    } catch (error) {
      this.#broken(error);
    }
    if (host.isOver) return;
    host.finish(this.#finishes.length > 0 || this.#usage !== undefined ? 'complete' : 'broken');
  }

  /** Where every frame tells the usage so far, the last one counts for a caller who left before the end. */
  lastUsage(): CanonicalUsage | undefined {
    if (this.#usage !== undefined || this.#lastData === '') return undefined;
    return geminiDialect.facts(JSON.parse(this.#lastData)).usage;
  }

  namedModel(): string | undefined {
    return this.#named;
  }

  async closing(ending: StreamEnding, { problem, estimated, comment }: Conclusion): Promise<string> {
    if (problem !== undefined) {
      const shown = problemIn(this.#said, problem);
      const { code, options } = shown;
      const message = this.#options.sentence(shown);
      // Anthropic has a status for it that no other API has.
      const isAnthropic = shown.code === 'channels_busy' && this.#conversion.from === 'anthropic-messages';
      const status = isAnthropic ? 529 : shown.status;
      const event: CanonicalEvent = { type: 'error', message, code: options.publicCode ?? code, status };
      return comment + this.#encoder.push(event);
    }
    if (ending !== 'complete') return comment;
    let text = '';
    if (this.#finishes.length === 0)
      this.#finishes.push({ type: 'finish', choice: 0, reason: 'stop', raw: 'stop' });
    for (const event of this.#finishes) text += this.#encoder.push(event);
    const usage = this.#usage ?? (estimated === undefined ? undefined : asCanonical(estimated));
    if (usage !== undefined) text += this.#encoder.push({ type: 'usage', usage });
    text += this.#encoder.end();
    await this.#options.onClosing?.(text);
    return comment + text;
  }

  #frames(frames: readonly Frame[]): void {
    const host = this.#host;
    for (const { event, data } of frames) {
      // Some dialects end with a word that is not JSON.
      const isEnd = this.#conversion.isClosing(event, data);
      if (event === 'message_start') this.#keepPrompt(data);
      else if (this.#conversion.to === 'gemini-generate') this.#lastData = data;
      if (data !== '[DONE]') this.#events(this.#decoder.push(event, data));
      if (host.isOver) return;
      if (isEnd) {
        this.#events(this.#decoder.end());
        if (!host.isOver) host.finish('complete');
        return;
      }
    }
  }

  /** Anthropic reports the prompt at the start: a caller who leaves early still pays for the real prompt. */
  #keepPrompt(data: string): void {
    if (this.#conversion.to !== 'anthropic-messages') return;
    const { usage } = anthropicDialect.facts(JSON.parse(data));
    if (usage === undefined) return;
    this.#host.keepUsage(usage);
    // The report includes no output yet, even where the caller's format has no event for it.
    this.#host.count(0);
  }

  #events(events: readonly CanonicalEvent[]): void {
    const host = this.#host;
    if (this.#unread.size > this.#notedUnread) {
      this.#notedUnread = this.#unread.size;
      if (noteUnread(this.#unread, this.#conversion.answerNotes)) this.#options.onLoss();
    }
    let text = '';
    let tokens = 0;
    for (const given of events) {
      if (given.type === 'error') {
        if (text !== '') host.emit(text, tokens);
        this.#said = { ...given };
        if (host.hasBegun) host.finish('error', given.message);
        else host.refuse({ message: given.message, code: given.code, status: given.status });
        return;
      }
      if (given.type === 'start') this.#named = given.model;
      // Usage alone is no answer.
      if (!host.hasBegun && given.type !== 'usage') host.begin();
      for (const event of this.#reshape(given)) {
        if (noteAnswerLoss(this.#shape, event, this.#conversion.answerNotes)) this.#options.onLoss();
        if (event.type === 'usage') {
          this.#usage = event.usage;
          host.keepUsage(event.usage);
        } else if (event.type === 'finish') this.#finishes.push(event);
        else {
          text += this.#encoder.push(event);
          tokens += tokensOfEvent(event);
        }
      }
    }
    if (text !== '') host.emit(text, tokens);
    else if (tokens > 0) host.count(tokens);
  }
}

/** Our own count in the shape of a report. */
export function asCanonical(usage: Usage): CanonicalUsage {
  const { pieces: _pieces, surcharges: _surcharges, ...classes } = usage;
  return { ...classes, raw: null };
}
