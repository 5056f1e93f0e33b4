import { describe, expect, test } from 'bun:test';
import { TOKEN_NAME_MAX } from '#contract/admin/token-names.ts';
import type { Vault } from '#server/platform/store/vault.ts';
import { batchNames } from './create.ts';
import { keyHint, keySearch, maskedKey, newKey, randomAlphanumeric } from './key.ts';

// keySearch needs no more of the vault than a digest that can be told apart.
const vault: Vault = {
  seal: (plaintext) => plaintext,
  open: (sealed) => sealed,
  digest: (purpose, value) => `${purpose}(${value})`,
};

describe('keys', () => {
  test('a key is 48 letters and digits', () => {
    expect(newKey()).toMatch(/^[A-Za-z0-9]{48}$/);
  });

  test('no two of ten thousand keys are the same', () => {
    expect(new Set(Array.from({ length: 10_000 }, newKey)).size).toBe(10_000);
  });

  test('every character is equally likely: chi-squared over 62 classes stays below the 1-in-10,000,000 bound', () => {
    const draws = 620_000;
    const counts = new Map<string, number>();
    for (const character of randomAlphanumeric(draws)) {
      counts.set(character, (counts.get(character) ?? 0) + 1);
    }
    expect(counts.size).toBe(62);
    const expected = draws / 62;
    const chiSquared = [...counts.values()].reduce(
      (sum, count) => sum + (count - expected) ** 2 / expected,
      0,
    );
    // 61 degrees of freedom. A plain `byte % 62` favours eight letters by a quarter and lands above 4,000.
    expect(chiSquared).toBeLessThan(135);
  });

  test('the hint and the mask show the first and the last four characters', () => {
    expect(keyHint('abcdefghijklmnop')).toBe('abcdmnop');
    expect(maskedKey('abcdmnop')).toBe('abcd…mnop');
  });
});

describe('what a search text means as a key', () => {
  const key = 'k'.repeat(48);
  test('a whole key, with or without its prefix, is looked up by digest', () => {
    expect(keySearch(vault, key)).toEqual({ digest: `token(${key})` });
    expect(keySearch(vault, `sk-${key}`)).toEqual({ digest: `token(${key})` });
  });

  test('O6: what the table shows of a key is found: either side, both, or its beginning', () => {
    expect(keySearch(vault, 't7Xc')).toEqual({ side: 't7Xc' });
    expect(keySearch(vault, 'sk-Qm4v…t7Xc')).toEqual({ first: 'Qm4v', last: 't7Xc' });
    expect(keySearch(vault, 'Qm4v...t7Xc')).toEqual({ first: 'Qm4v', last: 't7Xc' });
    expect(keySearch(vault, 'sk-Qm4v')).toEqual({ first: 'Qm4v' });
    expect(keySearch(vault, 'sk-Qm4vZZ')).toEqual({ first: 'Qm4v' });
    expect(keySearch(vault, 'sk-Qm4v…')).toEqual({ first: 'Qm4v' });
    expect(keySearch(vault, '***t7Xc')).toEqual({ last: 't7Xc' });
  });

  test.each(['', 'abc', 'abcde', `${key}x`, '%%%%', "' or", 'sk-', '令牌令牌'])('%p is no key', (text) => {
    expect(keySearch(vault, text)).toBeNull();
  });
});

describe('names of a batch', () => {
  test('REL-5.32 from the second token on the name gets six random letters or digits', () => {
    const names = batchNames('nightly', 100);
    expect(names).toHaveLength(100);
    expect(names[0]).toBe('nightly');
    for (const name of names.slice(1)) expect(name).toMatch(/^nightly-[A-Za-z0-9]{6}$/);
    expect(new Set(names).size).toBe(100);
  });

  test('a single token keeps its name', () => {
    expect(batchNames('nightly', 1)).toEqual(['nightly']);
  });

  test('a long name is cut so that the suffix fits, by characters and not by bytes', () => {
    const [first = '', second = ''] = batchNames('令'.repeat(TOKEN_NAME_MAX), 2);
    expect(Array.from(first)).toHaveLength(TOKEN_NAME_MAX);
    expect(Array.from(second)).toHaveLength(TOKEN_NAME_MAX);
    expect(second).toMatch(/^令{23}-[A-Za-z0-9]{6}$/);
  });
});
