import { expect, test } from 'bun:test';
import { matchingStep, newTotpSecret, otpauthUri, stepAt, totpCode } from './totp.ts';

/** "12345678901234567890" of the RFC, in base32. */
const RFC_SECRET = 'GEZDGNBVGY3TQOJQGEZDGNBVGY3TQOJQ';

test.each([
  [59, '287082'],
  [1_111_111_109, '081804'],
  [1_111_111_111, '050471'],
  [1_234_567_890, '005924'],
  [2_000_000_000, '279037'],
  [20_000_000_000, '353130'],
])('the test vectors of RFC 6238: at %d the code is %s', async (seconds, code) => {
  expect(await totpCode(RFC_SECRET, stepAt(seconds))).toBe(code);
});

test('a code is good one step early and one step late, and no further', async () => {
  const now = 1_700_000_010;
  const step = stepAt(now);
  const matches = await Promise.all(
    [-2, -1, 0, 1, 2].map(async (offset) =>
      matchingStep(RFC_SECRET, await totpCode(RFC_SECRET, step + offset), now),
    ),
  );
  expect(matches).toEqual([null, step - 1, step, step + 1, null]);
  expect(await matchingStep(RFC_SECRET, '', now)).toBeNull();
});

test('secrets are 160 random bits, and the address for the QR code says what an app needs', () => {
  const secret = newTotpSecret();
  expect(secret).toMatch(/^[A-Z2-7]{32}$/);
  expect(newTotpSecret()).not.toBe(secret);
  const uri = new URL(otpauthUri('My Gate & Co', 'ann@home', secret));
  expect(uri.protocol).toBe('otpauth:');
  expect(decodeURIComponent(uri.pathname)).toContain('My Gate & Co:ann@home');
  expect(Object.fromEntries(uri.searchParams)).toEqual({
    secret,
    issuer: 'My Gate & Co',
    algorithm: 'SHA1',
    digits: '6',
    period: '30',
  });
});
