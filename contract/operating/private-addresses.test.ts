import { expect, test } from 'bun:test';
import { settingOf } from '#contract/settings.ts';
import { factText, wordsIn } from '#contract/facts.ts';
import { allowableIn, entryFor, isPrivateEntry } from './private-addresses.ts';

const setting = settingOf('AllowedPrivateAddresses');

test('the setting takes addresses, blocks, and addresses with a port (N28)', () => {
  const text = '127.0.0.1:11434, 10.0.0.0/8\n[fd00::5]:8080 fd00::6，100.64.0.7 ::1/128';
  expect(setting.parse(text)).toEqual([
    '127.0.0.1:11434',
    '10.0.0.0/8',
    '[fd00::5]:8080',
    'fd00::6',
    '100.64.0.7',
    '::1/128',
  ]);
});

test.each([
  'nonsense',
  'localhost:11434',
  '10.0.0.5:0',
  '10.0.0.5:65536',
  '10.0.0.5:080',
  '10.0.0.0/8:80',
  '10.0.0.0/33',
  '[10.0.0.5]:80',
  'fd00::5:80:', // no address
  '0x7f000001',
  '2130706433',
  '010.0.0.1',
  '8.8.8.8',
  '0.0.0.0/0',
  '::/0',
  '169.254.169.254',
  '169.254.169.254:80',
  '169.254.0.0/16',
  '::ffff:169.254.169.254',
  '[::ffff:a9fe:a9fe]:80',
  'fe80::1',
  'fd00:ec2::254',
  '100.100.100.200',
  '168.63.129.16',
  '192.0.0.192',
  '64:ff9b::a9fe:a9fe',
  '224.0.0.1',
  '255.255.255.255',
])('the setting refuses %s (N28)', (entry) => {
  expect(() => setting.atSave?.parse(setting.parse(entry))).toThrow();
});

test('the variable takes the same spellings (N28)', () => {
  expect(['10.0.0.5:11434', '[fd00::5]:80', '10.0.0.0/8'].map(isPrivateEntry)).toEqual([true, true, true]);
  expect(['10.0.0.5:99999', 'localhost', 'fd00::5]:80'].map(isPrivateEntry)).toEqual([false, false, false]);
});

test('the narrowest entry of a mapped address is its v4 form (N28)', () => {
  expect(entryFor('::ffff:10.0.0.5', 80)).toBe('10.0.0.5:80');
  expect(entryFor('fd00:0:0::5', 80)).toBe('[fd00::5]:80');
  expect(entryFor('::ffff:169.254.169.254', 80)).toBeUndefined();
});

test('a stored refusal names the entries that would end it (N28)', () => {
  const refusal = (name: string) => factText('egress_private_address', { name });
  const stored = refusal('localhost (127.0.0.1:11434, [::1]:11434)');
  expect(allowableIn(stored)).toEqual(['127.0.0.1:11434', '[::1]:11434']);
  expect(allowableIn(`test ${stored}`)).toEqual(['127.0.0.1:11434', '[::1]:11434']);
  expect(allowableIn(refusal('10.0.0.5:80'))).toEqual(['10.0.0.5:80']);
  for (const said of ['401 no', 'private_address: 10.0.0.5', '']) expect(allowableIn(said)).toEqual([]);
});

test('a stored refusal is one sentence in one language, with the name once (N28)', () => {
  const stored = factText('egress_private_address', { name: 'localhost (127.0.0.1:11434)' });
  expect(wordsIn('en', stored)).toBe(
    'localhost (127.0.0.1:11434) is in a private network and not allowed by default; the super admin can allow it',
  );
  expect(wordsIn('zh', stored)).toBe(
    'localhost (127.0.0.1:11434) 在内网中，默认不允许访问；超级管理员可以放行',
  );
  expect(wordsIn('en', factText('egress_unresolved', { name: '$& {name}' }))).toBe(
    'the host $& {name} cannot be found',
  );
});
