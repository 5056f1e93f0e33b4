// The worker thread of re-rating: it reads calls from the database, computes their charges and answers requests in order.
import { openReader } from '#server/platform/store/store.ts';
import type { RatingMessage } from './rating-in-thread.ts';
import { ratingOn, type Rating } from './rating.ts';

let isClosing = false;

/** Leaves the processor to calls: rests as long as a slice took. */
async function withRest<T>(work: () => Promise<T>): Promise<T> {
  if (isClosing) throw new Error('the rating was stopped');
  const started = performance.now();
  const result = await work();
  await Bun.sleep(Math.min(performance.now() - started, 1000));
  return result;
}

const port = globalThis as unknown as Worker;
let rating: Rating | undefined;
let turn = Promise.resolve();

async function answer(message: RatingMessage): Promise<unknown> {
  if ('place' in message) {
    rating = ratingOn(await openReader(message.place), withRest);
    return null;
  }
  if ('close' in message) {
    await rating?.close();
    return null;
  }
  if (rating === undefined) throw new Error('the database is not open');
  const { run, span, userId } = message;
  return userId === undefined ? await rating.rateDay(run, span) : await rating.rateUser(run, span, userId);
}

async function reply(message: RatingMessage): Promise<void> {
  let result: unknown;
  try {
    result = { value: await answer(message) };
  } catch (error) {
    result = { error: error instanceof Error ? error.message : String(error) };
  }
  // oxlint-disable-next-line unicorn/require-post-message-target-origin -- a worker has no origin.
  port.postMessage(JSON.stringify(result));
}

port.addEventListener('message', (event: MessageEvent<string>) => {
  const message = JSON.parse(event.data) as RatingMessage;
  // Not in its turn: a question that takes long ends with its next slice.
  if ('close' in message) isClosing = true;
  turn = turn.then(() => reply(message));
});
