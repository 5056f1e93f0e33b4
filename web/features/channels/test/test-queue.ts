/** Runs a few tests at a time until all are done or the signal aborts. */

import { errorMessage, privateAddressesOf } from '#web/api/errors.ts';

export interface TestItem {
  key: string;
  channelId: number;
  name: string;
  /** Undefined: the channel's own test model. */
  model?: string;
}

export type TestState =
  | { kind: 'waiting' }
  | { kind: 'running' }
  | { kind: 'passed'; milliseconds: number; firstMilliseconds: number }
  | { kind: 'failed'; error: string; privateAddresses?: readonly string[] };

export interface QueueOptions {
  items: readonly TestItem[];
  atOnce: number;
  signal: AbortSignal;
  /** Resolves to the milliseconds in total and until the first chunk; rejects when the test fails. */
  test: (item: TestItem, signal: AbortSignal) => Promise<{ milliseconds: number; firstMilliseconds: number }>;
  onState: (key: string, state: TestState) => void;
}

function refusedAddresses(error: unknown): { privateAddresses?: readonly string[] } {
  const privateAddresses = privateAddressesOf(error);
  return privateAddresses.length > 0 ? { privateAddresses } : {};
}

/** Aborted tests return to waiting. */
export async function runTests({ items, atOnce, signal, test, onState }: QueueOptions): Promise<void> {
  const queue = [...items];
  const worker = async () => {
    for (let item = queue.shift(); item && !signal.aborted; item = queue.shift()) {
      onState(item.key, { kind: 'running' });
      try {
        onState(item.key, { kind: 'passed', ...(await test(item, signal)) });
      } catch (error) {
        onState(
          item.key,
          signal.aborted
            ? { kind: 'waiting' }
            : { kind: 'failed', error: errorMessage(error), ...refusedAddresses(error) },
        );
      }
    }
  };
  await Promise.all(Array.from({ length: Math.max(1, atOnce) }, worker));
}
