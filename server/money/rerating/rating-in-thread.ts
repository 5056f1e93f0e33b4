// The main thread's side of the rating thread. One for each run of the job: between two runs no thread waits.
import { startThread } from '#server/platform/store/sqlite/thread.ts';
import type { StoreOptions } from '#server/platform/store/store.ts';
import type { Rating, Span } from './rating.ts';
import type { Run } from './run.ts';

export type Place = Pick<StoreOptions, 'dataDir' | 'databaseUrl'>;

export type RatingMessage = { place: Place } | { run: Run; span: Span; userId?: number } | { close: true };

interface Waiting {
  resolve(value: unknown): void;
  reject(error: Error): void;
}

export async function rateInThread(place: Place): Promise<Rating> {
  // Answers come in the order of the questions.
  const waiting: Waiting[] = [];
  let ended: Error | undefined;
  const thread = startThread(new URL('./rating-thread.ts', import.meta.url), 'rating', {
    reply(text) {
      const first = waiting.shift();
      const reply = JSON.parse(text) as { value: unknown } | { error: string };
      if ('error' in reply) first?.reject(new Error(reply.error));
      else first?.resolve(reply.value);
    },
    end(error) {
      ended = error;
      for (const lost of waiting.splice(0)) lost.reject(error);
    },
  });
  const ask = <T>(message: RatingMessage): Promise<T> => {
    if (ended !== undefined) return Promise.reject(ended);
    const { promise, resolve, reject } = Promise.withResolvers<T>();
    waiting.push({ resolve: (value) => resolve(value as T), reject });
    thread.send(JSON.stringify(message));
    return promise;
  };
  try {
    await ask({ place });
  } catch (error) {
    thread.terminate();
    throw error;
  }
  return {
    rateDay: (run, span) => ask({ run, span }),
    rateUser: (run, span, userId) => ask({ run, span, userId }),
    /** The thread closes its connection first, because the connection may run in another thread. */
    async close() {
      await ask({ close: true }).catch(() => {});
      thread.terminate();
    },
  };
}
