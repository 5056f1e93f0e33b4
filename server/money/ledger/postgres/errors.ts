// What the ledger makes of an error: one operation at fault, a conflict that passes, or a server that is away.
import { isUnavailable } from '#server/platform/store/errors.ts';

/** An operation threw: it alone is at fault, the others can run again. */
export class OperationFault extends Error {
  override name = 'OperationFault';
  readonly index: number;
  constructor(index: number, cause: unknown) {
    super('operation failed', { cause });
    this.index = index;
  }
}

/** The server is away, or the connection to it: the outcome of what was sent is not known. */
export function isAwayError(error: unknown): boolean {
  return !(error instanceof OperationFault) && isUnavailable(error);
}

/** Serialisation failure or deadlock: the server undid everything, the same batch may run again. */
export function isConflict(error: unknown): boolean {
  const code = error instanceof Error && 'code' in error ? error.code : '';
  return code === '40001' || code === '40P01';
}

const RETRIES = 10;

export async function withoutConflict<T>(work: () => Promise<T>): Promise<T> {
  for (let tries = 0; ; tries += 1) {
    try {
      return await work();
    } catch (error) {
      if (!isConflict(error) || tries >= RETRIES) throw error;
      await Bun.sleep(Math.random() * 5 * (tries + 1));
    }
  }
}
