// What a whole `npm test` leaves to CI of the browser tests (TEST_LOOKS): the same page once more in another language, theme or
// width. A file that is run by its name has all of it.
import { test } from 'bun:test';

const isWhole = process.env['TEST_LOOKS'] !== 'none';

/** A test of looks alone: what the page does is proved by another test. */
export const testLooks = isWhole ? test : test.skip;

/** For what is proved in each of several looks: without CI the first is enough. */
export const eachLook = <Look>(looks: readonly Look[]): readonly Look[] =>
  isWhole ? looks : looks.slice(0, 1);
