import { expect, test } from 'bun:test';
import { adviceFor } from './advice.ts';

const plain = { host: 'smtp.example', port: 465, secure: false };
const english = (code: string, message: string) => adviceFor({ code, message }, plain)?.en;

test('a port that expects SSL is recognised by its silence (O60)', () => {
  expect(english('ETIMEDOUT', 'Greeting never received')).toContain('it may expect SSL from the start');
});

test('an unknown name and an untrusted certificate are named (O60)', () => {
  expect(english('ENOTFOUND', 'getaddrinfo ENOTFOUND smtp.example')).toContain('does not exist');
  expect(english('DEPTH_ZERO_SELF_SIGNED_CERT', 'self signed certificate')).toContain('is not trusted');
});

test('a refusal of the server keeps its own words (O60)', () => {
  expect(english('EAUTH', 'Invalid login: 535 Error')).toBeUndefined();
});
