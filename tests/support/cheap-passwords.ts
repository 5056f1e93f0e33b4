// Loaded before every test file (bunfig.toml): a hash takes a tenth of a second of CPU by design, and most tests start an
// application or sign in. Tests of the cost call `useRealPasswordCost`; processes that a test starts have the real cost.
import { afterAll, beforeAll } from 'bun:test';
import { passwordCost } from '#server/platform/store/passwords.ts';

const real = { ...passwordCost };
const cheap = { memoryKiB: 8, passes: 1 };

Object.assign(passwordCost, cheap);

/** For the tests of the file or of the `describe` that calls it. */
export function useRealPasswordCost(): void {
  beforeAll(() => void Object.assign(passwordCost, real));
  afterAll(() => void Object.assign(passwordCost, cheap));
}
