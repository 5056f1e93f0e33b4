import { describe, expect, test } from 'bun:test';
import { createAttempts } from './attempts.ts';

function scene() {
  const clock = { now: 1_000_000 };
  const attempts = createAttempts(() => clock.now);
  return { clock, attempts };
}

describe('guessing passwords', () => {
  test('one address on one account: five tries, then waits that double up to a quarter of an hour', () => {
    const { clock, attempts } = scene();
    const waits: number[] = [];
    for (let index = 0; index < 16; index += 1) {
      const wait = attempts.begin('root', '203.0.113.1');
      waits.push(wait);
      clock.now += wait;
      if (wait > 0) expect(attempts.begin('root', '203.0.113.1')).toBe(0);
    }
    expect(waits).toEqual([0, 0, 0, 0, 0, 1, 2, 4, 8, 16, 32, 64, 128, 256, 512, 900]);
  });

  test('a thousand tries from fifty addresses hold an account up for 30 seconds at most', () => {
    const { clock, attempts } = scene();
    let longest = 0;
    for (let index = 0; index < 1000; index += 1) {
      const address = `203.0.113.${index % 50}`;
      const wait = attempts.begin('root', address);
      clock.now += wait;
      if (wait > 0) expect(attempts.begin('root', address)).toBe(0);
      // Somebody who never tried before: only the account's own wait, which is short.
      longest = Math.max(longest, attempts.begin('root', `newcomer-${index}`));
    }
    expect(longest).toBeGreaterThan(0);
    expect(longest).toBeLessThanOrEqual(30);
  });

  test('the owner, at an address that signed in before, is not held up by strangers', () => {
    const { attempts } = scene();
    expect(attempts.begin('root', '198.51.100.7')).toBe(0);
    attempts.succeed('root', '198.51.100.7');
    for (let index = 0; index < 200; index += 1) attempts.begin('ROOT', `203.0.113.${index}`);
    expect(attempts.begin('root', '192.0.2.1')).toBeGreaterThan(0);
    expect(attempts.begin('root', '198.51.100.7')).toBe(0);
  });

  test('one address on many accounts is slowed down too', () => {
    const { attempts } = scene();
    const waits = Array.from({ length: 60 }, (_, index) => attempts.begin(`user${index}`, '203.0.113.1'));
    expect(waits.slice(0, 50).every((wait) => wait === 0)).toBe(true);
    expect(waits.at(-1)).toBeGreaterThan(0);
  });

  test('parallel guesses count one by one, before their answers are known', () => {
    const { attempts } = scene();
    const admitted = Array.from({ length: 100 }, () => attempts.begin('root', '203.0.113.1')).filter(
      (wait) => wait === 0,
    );
    expect(admitted).toHaveLength(5);
  });

  test('an hour of quiet forgets', () => {
    const { clock, attempts } = scene();
    for (let index = 0; index < 20; index += 1) attempts.begin('root', '203.0.113.1');
    clock.now += 3601;
    expect(attempts.begin('root', '203.0.113.1')).toBe(0);
  });
});
