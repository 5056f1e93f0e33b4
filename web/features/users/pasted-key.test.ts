import { expect, test } from 'bun:test';
import { keyIn } from './pasted-key.ts';
import { userSearch } from './search.ts';

const BARE = 'aB3'.repeat(16);

test('a whole key is recognised, alone, bare or within other words (O39)', () => {
  expect(keyIn(`sk-${BARE}`)).toBe(`sk-${BARE}`);
  expect(keyIn(` ${BARE}\n`)).toBe(BARE);
  expect(keyIn(`Authorization: Bearer sk-${BARE}`)).toBe(`sk-${BARE}`);
  expect(keyIn(`careless sk-${BARE}-12`)).toBe(`sk-${BARE}-12`);
});

test('names, masked keys and addresses are searched for as before (O39)', () => {
  for (const text of [
    '',
    'sk-',
    'sk-johnson',
    'sk-abcd…wxyz',
    'sk-abcd****wxyz',
    'somebody@mail.example',
    '12',
  ])
    expect(keyIn(text)).toBeUndefined();
});

test('an address with a key in it is not searched for (O39)', () => {
  expect(userSearch.parse({ q: `sk-${BARE}`, page: 2 })).toEqual({ page: 2 });
  expect(userSearch.parse({ q: 'careless', find_key: true })).toEqual({ q: 'careless', find_key: true });
});
