// What a whole `npm test` leaves to CI, so that it ends within ten minutes on two processors. CI runs all of it, `npm test -- path`
// what it names, `npm test -- --changed` what a change reaches.
import { slowProofs } from './slow-proofs.mjs';
import { slowUnitTests } from './steps.mjs';

/** The browser tests that `npm test` runs: money, access, the first run, and the main story of the console's other areas. */
export const mainStories = new Set(
  [
    ['account', 'account-factors', 'first-run', 'users', 'shell', 'sanitise'],
    ['plans', 'redemptions', 'statement', 'top-up', 'wallet', 'price-book', 'organizations', 'agents'],
    ['channels', 'logs', 'overview', 'playground', 'pricing', 'settings', 'tasks', 'tokens'],
  ].flat(),
);

/** Processes killed under load, and the developers' guides, which are followed on copies of the project. */
const LEFT = /^tests\/(chaos\/|conformance\/guides\.)/;

export function isLeftToCi(file) {
  const [, story] = /^tests\/e2e\/(.+)\.test\.ts$/.exec(file) ?? [];
  if (story !== undefined) return !mainStories.has(story);
  return LEFT.test(file) || slowProofs.test(file) || slowUnitTests.includes(file);
}
