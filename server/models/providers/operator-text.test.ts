import { expect, test } from 'bun:test';
import { operatorText } from './operator-text.ts';

test('O14: the operator reads the upstream’s words without keys', () => {
  const key = 'app-12345678|secret-abcdefgh';
  expect(operatorText('refused app-12345678 and\nsecret-abcdefgh', key)).toBe('refused *** and ***');
  const said =
    'Incorrect API key provided: sk-abcd****wxyz. See https://user:pass@host.example/x?key=AAAA&b=1';
  expect(operatorText(said, '')).toBe(
    'Incorrect API key provided: *** See https://***@host.example/x?key=***&b=1',
  );
  expect(operatorText('Authorization: Bearer abc.def-12345', '')).toBe('Authorization: ***');
  expect(operatorText('Your credit balance is too low to access the API.', '')).toBe(
    'Your credit balance is too low to access the API.',
  );
  expect(operatorText('x'.repeat(1000), '').length).toBe(301);
});
