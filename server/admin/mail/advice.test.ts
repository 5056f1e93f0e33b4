import { expect, test } from 'bun:test';
import { wordsIn } from '#contract/facts.ts';
import { SETTINGS } from '#contract/settings.ts';
import { adviceFor } from './advice.ts';

const plain = { host: 'smtp.example', port: 465, secure: false };
const english = (code: string, message: string) => {
  const advice = adviceFor({ code, message }, plain);
  return advice && wordsIn('en', advice);
};

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

test('an advice is stored as a fact and read in either language, with the label of the setting (O46)', () => {
  const advice =
    adviceFor({ code: 'ERR_SSL_WRONG_VERSION_NUMBER', message: '' }, { ...plain, secure: true }) ?? '';
  expect(advice).toBe('{"fact":"mailPlainPort","port":465,"ssl_port":465}');
  const { zh, en } = SETTINGS.SMTPSSLEnabled.label;
  expect(wordsIn('zh', advice)).toContain(`“${zh}”`);
  expect(wordsIn('en', advice)).toContain(`“${en}”`);
});
