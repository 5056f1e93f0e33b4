// The ids of a batch's requests, kept as short prints so that a hundred thousand of them fit into a row. A foreign id passes by
// chance once in tens of thousands; the number of answers is bounded as well.
import { createHash } from 'node:crypto';

const PRINT_BYTES = 4;

const printOf = (id: string): number => createHash('sha256').update(id).digest().readUInt32BE(0);

/** As text for the row. */
export class IdPrints {
  readonly #prints: number[] = [];

  add(id: string): void {
    this.#prints.push(printOf(id));
  }

  get text(): string {
    const bytes = Buffer.alloc(this.#prints.length * PRINT_BYTES);
    for (const [index, print] of this.#prints.entries()) bytes.writeUInt32BE(print, index * PRINT_BYTES);
    return bytes.toString('base64');
  }
}

/** Which answers of an output are charged: those to requests of the batch, each once. */
export class AskedIds {
  /** Undefined for a batch from before the prints were kept. */
  readonly #prints: ReadonlySet<number> | undefined;
  readonly #requests: number;
  readonly #answered = new Set<string>();
  #unnamed = 0;

  constructor({ ids, requests }: { readonly ids?: string; readonly requests: number }) {
    this.#requests = requests;
    if (ids === undefined) return;
    const bytes = Buffer.from(ids, 'base64');
    const prints = new Set<number>();
    for (let at = 0; at + PRINT_BYTES <= bytes.length; at += PRINT_BYTES) prints.add(bytes.readUInt32BE(at));
    this.#prints = prints;
  }

  /** False for a foreign answer, a repeated one, and one more than there are requests. */
  take(id: string): boolean {
    if (this.#isFull || this.#answered.has(id)) return false;
    if (this.#prints !== undefined && !this.#prints.has(printOf(id))) return false;
    this.#answered.add(id);
    return true;
  }

  /** An answer whose id cannot be read, because its line is too long. */
  takeUnnamed(): boolean {
    if (this.#isFull) return false;
    this.#unnamed += 1;
    return true;
  }

  get #isFull(): boolean {
    return this.#answered.size + this.#unnamed >= this.#requests;
  }
}
