// The random numbers of the tests. A file that imports this is a random test: it prints its seed, TEST_SEED repeats it, and the
// runner never runs it again in the hope that it passes.
import { diceOf } from '#tests/chaos/seeded.ts';

export const seed = Number(process.env['TEST_SEED'] ?? Date.now() % 1_000_000);
// The runner recognises random tests by this line.
process.stderr.write(`random test: TEST_SEED=${seed}\n`);

/** In place of `Math.random`. */
export const dice = diceOf(seed);
