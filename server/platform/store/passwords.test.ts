// Passwords: what is stored, what is accepted, and that a flood of logins ends in refusals, not in a dead server.
import { expect, test } from 'bun:test';
import { readdirSync, readFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import { useRealPasswordCost } from '#tests/support/cheap-passwords.ts';
import { failure } from '#tests/support/failure.ts';
import {
  hashPassword,
  isAffordableHash,
  needsRehash,
  PasswordsBusyError,
  verifyPassword,
} from './passwords.ts';

useRealPasswordCost();

test('a password is stored as argon2id with the agreed cost, salted each time', async () => {
  const [first, second] = await Promise.all([hashPassword('correct horse'), hashPassword('correct horse')]);
  expect(first).toStartWith('$argon2id$v=19$m=19456,t=2,p=1$');
  expect(first).not.toBe(second);
  expect(await verifyPassword('correct horse', first)).toBe(true);
  expect(await verifyPassword('Correct horse', first)).toBe(false);
  expect(needsRehash(first)).toBe(false);
});

test('no part of the server changes the cost of a hash (R22)', () => {
  const server = fileURLToPath(new URL('../../', import.meta.url));
  const naming = readdirSync(server, { recursive: true })
    .map(String)
    .filter((name) => name.endsWith('.ts') && !name.endsWith('.test.ts'))
    .filter((name) => readFileSync(`${server}${name}`, 'utf8').includes('passwordCost'));
  expect(naming).toEqual(['platform/store/passwords.ts']);
});

test('an imported bcrypt hash is accepted and marked for rehashing', async () => {
  const hash = await Bun.password.hash('old password', { algorithm: 'bcrypt', cost: 4 });
  expect(await verifyPassword('old password', hash)).toBe(true);
  expect(await verifyPassword('other password', hash)).toBe(false);
  expect(needsRehash(hash)).toBe(true);
});

test('a weaker argon2id hash still opens and is marked for rehashing', async () => {
  const hash = await Bun.password.hash('pass word', { algorithm: 'argon2id', memoryCost: 1024, timeCost: 1 });
  expect(await verifyPassword('pass word', hash)).toBe(true);
  expect(needsRehash(hash)).toBe(true);
});

test('no hash, an empty or a damaged one, and an overlong password match nothing', async () => {
  expect(await verifyPassword('', undefined)).toBe(false);
  expect(await verifyPassword('', '')).toBe(false);
  expect(await verifyPassword('x', 'not a hash')).toBe(false);
  expect(await verifyPassword('x'.repeat(129), await hashPassword('x'))).toBe(false);
  expect((await failure(hashPassword('x'.repeat(129)))).message).toContain('128 bytes');
});

test('an unknown user costs as much time as a wrong password', async () => {
  const hash = await hashPassword('right');
  await verifyPassword('x', undefined);
  const fastest = async (stored: string | undefined) => {
    const times: number[] = [];
    for (let round = 0; round < 5; round++) {
      const started = performance.now();
      await verifyPassword('wrong', stored);
      times.push(performance.now() - started);
    }
    return Math.min(...times);
  };
  const known = await fastest(hash);
  const unknown = await fastest(undefined);
  expect(unknown).toBeGreaterThan(known / 3);
  expect(unknown).toBeLessThan(known * 3);
});

test('two run, 32 wait, the next is refused at once; afterwards all is as before', async () => {
  const hash = await Bun.password.hash('p', { algorithm: 'argon2id', memoryCost: 8, timeCost: 1 });
  const checks = Array.from({ length: 34 }, () => verifyPassword('p', hash));
  expect(await failure(verifyPassword('p', hash))).toBeInstanceOf(PasswordsBusyError);
  expect(await Promise.all(checks)).toEqual(Array.from({ length: 34 }, () => true));
  expect(await verifyPassword('p', hash)).toBe(true);
});

test('a hash that would take minutes or years is never computed (S34)', async () => {
  const tail = 'a'.repeat(53);
  for (const hash of [
    `$2b$31$${tail}`,
    `$2a$15$${tail}`,
    '$argon2id$v=19$m=4194304,t=2,p=1$c2FsdHNhbHQ$aGFzaA',
    '$argon2id$v=19$m=65536,t=1000000,p=1$c2FsdHNhbHQ$aGFzaA',
    '$argon2id$v=19$m=65536,t=2,p=255$c2FsdHNhbHQ$aGFzaA',
    'md5:abc',
    '',
  ])
    expect([hash, isAffordableHash(hash)]).toEqual([hash, false]);
  for (const hash of [`$2a$10$${tail}`, `$2y$14$${tail}`, await hashPassword('a-good-password')])
    expect([hash, isAffordableHash(hash)]).toEqual([hash, true]);
  // Two of them held both places of everybody's sign-in.
  const slow = [1, 2, 3].map(() => verifyPassword('a-good-password', `$2b$31$${tail}`));
  expect(await verifyPassword('a-good-password', await hashPassword('a-good-password'))).toBe(true);
  expect(await Promise.all(slow)).toEqual([false, false, false]);
});
