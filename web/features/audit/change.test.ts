import { expect, test } from 'bun:test';
import type { Language } from '#contract/language.ts';
import { wordsIn } from '#web/i18n/rows.ts';
import { changeWords, fieldChanges } from './change.ts';
import messages from './messages.ts';
import { codeKey, timeWord } from '#web/ui/audit/words.ts';

const english = { pair: (field: string, value: string) => `${field}: ${value}`, comma: ', ' };
const stored = { ...english, field: (name: string) => name, value: timeWord };

const wordOf = (row: readonly string[], language: Language) => row[language === 'en' ? 0 : 1] ?? '';

test('A15: moments are shown as times, names and ways in by their words', () => {
  const words = { ...english, field: (name: string) => ({ how: 'by' })[name] ?? name, value: timeWord };
  expect(changeWords({ target: 'user:1', before: '', after: '{"how":"password"}' }, words)).toBe(
    'by: password',
  );
  const row = { target: 'user:1', before: '', after: '{"target_timestamp":1794000000,"quota":1794000000}' };
  expect(changeWords(row, words)).toMatch(/^target_timestamp: 2026-\d\d-\d\d [\d:]+, quota: 1794000000$/);
});

test('a change reads as one line; what stayed is left out', () => {
  const row = { target: 'user:1', before: '{"role":1,"status":1}', after: '{"role":10,"status":1}' };
  expect(changeWords(row, stored)).toBe('role: 1 → 10');
  expect(fieldChanges(row).map(({ name }) => name)).toEqual(['role', 'status']);
});

test('added and removed fields are listed; a row without values has no summary', () => {
  expect(
    changeWords({ target: 'user:1', before: '', after: '{"username":"ana","groups":["a"]}' }, stored),
  ).toBe('username: ana, groups: a');
  expect(changeWords({ target: 'user:1', before: '{"name":"k"}', after: '' }, stored)).toBe('name: k →');
  expect(changeWords({ target: 'user:1', before: '', after: '' }, stored)).toBe('');
  expect(changeWords({ target: 'user:1', before: 'not json', after: '' }, stored)).toBe('');
});

test('the prices that a draft changed are read one by one, without JSON', () => {
  const changes = [
    { key: 'ModelRatio', name: 'gpt-5.4', before: 1.25, after: 2.5 },
    { key: 'ResolutionPrice', name: 'veo-3', after: { '1080p': 0.2, '2160p': 0.4 } },
  ];
  const row = {
    target: 'price_draft:3',
    before: '{"reason":"dearer"}',
    after: JSON.stringify({ reason: 'dearer', changes }),
  };
  const words = {
    ...english,
    field: (name: string) => ({ ModelRatio: 'Model ratio' })[name] ?? name,
    value: (_name: string, value: string) => value,
  };
  expect(changeWords(row, words)).toBe(
    'gpt-5.4 · Model ratio: 1.25 → 2.5, veo-3 · ResolutionPrice: 1080p 0.2, 2160p 0.4',
  );
});

test('roles and statuses read as words, by the kind of the target (O46)', () => {
  const inWords = (language: Language) => ({
    pair: (field: string, value: string) =>
      wordOf(messages.pair, language).replace('{{field}}', field).replace('{{value}}', value),
    comma: wordOf(messages.comma, language),
    field: (name: string) => name,
    value(name: string, value: string, target: string) {
      const path = codeKey(name, value, target)?.split('.') ?? [];
      let found: unknown = wordsIn(language, messages);
      for (const part of path) found = (found as Record<string, unknown> | undefined)?.[part];
      return typeof found === 'string' ? found : value;
    },
  });
  const user = { target: 'user:3', before: '{"role":1,"status":1}', after: '{"role":10,"status":2}' };
  expect(changeWords(user, inWords('zh'))).toBe('role：普通用户 → 管理员，status：已激活 → 已封禁');
  const channel = { target: 'channel:1,2', before: '{"status":1}', after: '{"status":3}' };
  expect(changeWords(channel, inWords('en'))).toBe('status: Enabled → Auto-disabled');
  const order = { target: 'order:1', before: '', after: '{"status":"paid","quota":3}' };
  expect(changeWords(order, inWords('en'))).toBe('status: paid, quota: 3');
});
