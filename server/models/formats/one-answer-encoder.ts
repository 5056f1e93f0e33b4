// Stream encoder for formats with one choice: opens on the first event, and closes unless it failed.
import type { CanonicalEvent, CanonicalUsage } from './canonical.ts';
import type { StreamEncoder } from './codec.ts';

export type EventOf<Type> = Extract<CanonicalEvent, { type: Type }>;
export type ContentEvent = Exclude<CanonicalEvent, { type: 'start' | 'usage' | 'error' }>;

export abstract class OneAnswerEncoder implements StreamEncoder {
  /** The last usage. */
  protected usage: CanonicalUsage | undefined;
  #isOpen = false;
  #hasFailed = false;

  push(event: CanonicalEvent): string {
    switch (event.type) {
      case 'start':
        return this.opening(event);
      case 'usage':
        this.usage = event.usage;
        return '';
      case 'error':
        this.#hasFailed = true;
        return this.fail(event);
      default:
        if (event.choice !== 0) return '';
        return this.#isOpen ? this.content(event) : this.opening() + this.content(event);
    }
  }

  end(): string {
    return this.#hasFailed ? '' : this.opening() + this.close();
  }

  /** Empty if the stream is open already. */
  protected opening(event?: EventOf<'start'>): string {
    if (this.#isOpen) return '';
    this.#isOpen = true;
    return this.open(event);
  }

  protected abstract open(event: EventOf<'start'> | undefined): string;
  protected abstract content(event: ContentEvent): string;
  protected abstract fail(event: EventOf<'error'>): string;
  protected abstract close(): string;
}
