// How the checks of suppliers see answers. The relay knows only this interface; server/suppliers implements it.
import type { CanonicalUsage } from '#server/models/formats/canonical.ts';

export interface ObservedRequest {
  readonly fields: Readonly<Record<string, unknown>>;
  readonly estimate: { readonly promptTokens: number };
}

export interface ObservedAnswer {
  readonly requestId: string;
  readonly userId: number;
  readonly channelId: number;
  /** The model's name as the channel was asked for it. */
  readonly model: string;
  /** As the answer names it; undefined when it does not. */
  readonly namedModel: string | undefined;
  readonly request: ObservedRequest;
  /** No call of this site had a prompt with this beginning before; undefined for a prompt that is not remembered. */
  readonly isNewPrompt: boolean | undefined;
  readonly reported: CanonicalUsage | undefined;
  /** `complete`, or why a stream ended early. */
  readonly ending: string;
  /** Undefined for answers that are not streams. */
  readonly stream: { readonly firstTokenMilliseconds: number; readonly milliseconds: number } | undefined;
  /** The content that was sent to the caller; read later, once. Undefined: too long to be kept. */
  readonly texts: (() => readonly string[]) | undefined;
}

export interface AnswerObserver {
  /** A call begins. True: no prompt of this site began like this one before. Undefined: too short to be remembered. */
  began(request: ObservedRequest): boolean | undefined;
  /** Whether the answer that begins now is to be observed; answers are sampled. */
  samples(channelId: number, model: string): boolean;
  answered(answer: ObservedAnswer): void;
}

/** Longer content is not recounted. */
const LONGEST_CONTENT = 256 * 1024;

/** The events of a stream that is sampled, or copied to another model. */
export class KeptEvents {
  readonly isSampled: boolean;
  #events: string[] = [];
  #length = 0;

  constructor(isSampled = true) {
    this.isSampled = isSampled;
  }

  add(events: string): void {
    this.#length += events.length;
    if (this.#length <= LONGEST_CONTENT) this.#events.push(events);
    else this.#events = [];
  }

  /** Undefined when they were too long. */
  get text(): string | undefined {
    return this.#length <= LONGEST_CONTENT ? this.#events.join('') : undefined;
  }
}
