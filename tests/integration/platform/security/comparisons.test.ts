// Secrets are compared in a time that does not depend on how much of a guess is right, and looked up by their keyed digest.
import { randomBytes } from 'node:crypto';
import { readdirSync, readFileSync } from 'node:fs';
import path from 'node:path';
import { expect, test } from 'bun:test';
import { isProof } from '#server/relay/media/addresses.ts';
import { createVault } from '#server/platform/store/vault.ts';
import { faultSeen } from '#tests/support/fault-report.ts';

const manyRounds = 250;
const samplesPerRound = 200;

/** The fastest of alternating rounds: other work on the machine makes rounds slower, and never faster. */
function timesOf(one: () => unknown, other: () => unknown, rounds = manyRounds): [number, number] {
  const measured: [number[], number[]] = [[], []];
  for (let round = 0; round < rounds; round += 1)
    for (const index of round % 2 === 0 ? [0, 1] : [1, 0]) {
      const work = index === 0 ? one : other;
      const begun = performance.now();
      for (let sample = 0; sample < samplesPerRound; sample += 1) work();
      measured[index]?.push(performance.now() - begun);
    }
  return [Math.min(...measured[0]), Math.min(...measured[1])];
}

/** How much longer the slower one takes. */
const ratioOf = ([one, other]: [number, number]) => Math.max(one, other) / Math.min(one, other);

test('a nearly right guess takes as long as a wrong one (plan S19)', () => {
  // Long, so that a comparison that stops at the first difference would show.
  const secret = randomBytes(1024).toString('hex');
  const near = `${secret.slice(0, -1)}!`;
  const far = `!${secret.slice(1)}`;
  const proof = ratioOf(
    timesOf(
      () => isProof(secret, near),
      () => isProof(secret, far),
    ),
  );
  expect(proof).toBeLessThan(1.5);
  const vault = createVault(randomBytes(32));
  const key = ratioOf(
    timesOf(
      () => vault.digest('token', near),
      () => vault.digest('token', far),
    ),
  );
  expect(key).toBeLessThan(1.5);
  // The measurement is fine enough: plain code that stops at the first difference is seen by it.
  const isSame = (guess: string) => {
    for (let at = 0; at < secret.length; at += 1) if (guess[at] !== secret[at]) return false;
    return true;
  };
  const plain = timesOf(
    () => isSame(near),
    () => isSame(far),
    20,
  );
  expect(ratioOf(plain)).toBeGreaterThan(3);
  const samples = 2 * manyRounds * samplesPerRound;
  faultSeen(
    'S19',
    `${samples} guesses: nearly right and wrong differ by ${((proof - 1) * 100).toFixed(0)} % (proofs), ${((key - 1) * 100).toFixed(0)} % (keys)`,
  );
});

test('the stored digest of a nearly right key has nothing in common with the right one (plan S19)', () => {
  const vault = createVault(randomBytes(32));
  let longest = 0;
  for (let pair = 0; pair < 1000; pair += 1) {
    const key = randomBytes(24).toString('hex');
    const [right, near] = [vault.digest('token', `${key}a`), vault.digest('token', `${key}b`)];
    let same = 0;
    while (right[same] === near[same]) same += 1;
    longest = Math.max(longest, same);
  }
  // An index compares digests from their beginning; six equal hex digits among a thousand pairs are chance.
  expect(longest).toBeLessThan(8);
  faultSeen(
    'S19',
    `1,000 pairs of keys that differ in the last character: digests share at most ${longest} of 64 digits`,
  );
});

/** Comparisons of digests that both sides computed: the audit's chain, and the session of the request itself. */
const OWN_DIGESTS = [
  'server/admin/http/audit.ts',
  'server/admin/http/audit-check.ts',
  'server/admin/security/sessions.ts',
];

test('no code compares a signature or a digest with === (plan S19)', () => {
  const root = path.join(import.meta.dir, '../../../..');
  const compared =
    /(?:signature|digest|hash|hmac|proof|mac)\b\)?\s*[!=]==\s*(?!undefined|null|''|typeof)[a-z]/i;
  const files = readdirSync(path.join(root, 'server'), { recursive: true, encoding: 'utf8' })
    .filter((name) => name.endsWith('.ts') && !name.endsWith('.test.ts'))
    .map((name) => `server/${name}`)
    .filter((name) => compared.test(readFileSync(path.join(root, name), 'utf8')));
  expect(files.toSorted()).toEqual(OWN_DIGESTS.toSorted());
});
