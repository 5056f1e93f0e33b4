import { describe, expect, test } from 'bun:test';
import type { OptionField } from '#contract/options.ts';
import { changedFields, inSavingOrder, isChanged, problemOf } from './draft.ts';

const field = (part: Partial<OptionField> & Pick<OptionField, 'key' | 'kind'>): OptionField => ({
  group: 'general',
  label: { zh: part.key, en: part.key },
  help: { zh: '', en: '' },
  fallback: '',
  needs: [],
  ...part,
});

const secret = field({ key: 'SMTPToken', kind: 'secret' });
const json = field({ key: 'GroupRatio', kind: 'json' });
const minutes = field({ key: 'DataExportInterval', kind: 'integer', min: 1, max: 1440 });

describe('changes', () => {
  test('ACC-4.39 a secret is sent only when something was typed', () => {
    expect(isChanged(secret, '', undefined)).toBe(false);
    expect(isChanged(secret, '', '')).toBe(false);
    expect(isChanged(secret, '', 'new')).toBe(true);
  });

  test('formatting is not a change', () => {
    expect(isChanged(json, '{"a":1}', '{\n  "a": 1\n}')).toBe(false);
    expect(isChanged(json, '{"a":1}', '{"a":2}')).toBe(true);
    expect(isChanged(json, '{"a":1}', '{')).toBe(true);
    expect(isChanged(minutes, '5', '5.0')).toBe(false);
    expect(isChanged(field({ key: 'W', kind: 'lines' }), 'a\nb', 'a\n\n b \n')).toBe(false);
    expect(isChanged(field({ key: 'L', kind: 'list' }), 'a,b', 'a, b')).toBe(false);
    expect(isChanged(field({ key: 'A', kind: 'address' }), 'https://a.example', 'https://a.example//')).toBe(
      false,
    );
  });

  test('untouched options are not saved', () => {
    expect(
      changedFields(
        [json, minutes],
        { GroupRatio: '{}', DataExportInterval: '5' },
        { DataExportInterval: '6' },
      ),
    ).toEqual([minutes]);
  });
});

test('a switch is saved after what it needs, the server address before everything', () => {
  const fields = [
    field({ key: 'GitHubOAuthEnabled', kind: 'toggle' }),
    field({ key: 'GitHubClientId', kind: 'text' }),
    field({ key: 'ServerAddress', kind: 'address' }),
  ];
  expect(inSavingOrder(fields).map(({ key }) => key)).toEqual([
    'ServerAddress',
    'GitHubClientId',
    'GitHubOAuthEnabled',
  ]);
});

describe('problems before a save', () => {
  const problem = (of: OptionField, text: string) => problemOf(of, text, 'https://gate.example');

  test.each([
    ['abc', 'number'],
    ['', 'number'],
    ['1.5', 'number'],
    ['0', 'range'],
    ['1441', 'range'],
    ['1', undefined],
  ] as const)('a whole number from 1 to 1440: %p is %p', (text, expected) => {
    expect(problem(minutes, text)).toBe(expected);
  });

  test('JSON and addresses', () => {
    expect(problem(json, '{')).toBe('json');
    expect(problem(json, '{}')).toBeUndefined();
    expect(problem(field({ key: 'A', kind: 'address' }), 'javascript:alert(1)')).toBe('address');
    expect(problem(field({ key: 'A', kind: 'address' }), '')).toBeUndefined();
  });

  test('ACC-5.25 payment options need the server address', () => {
    const payment = field({ key: 'EpayId', kind: 'text', group: 'payment' });
    expect(problemOf(payment, '1', '')).toBe('server-address');
    expect(problemOf(payment, '1', 'https://gate.example')).toBeUndefined();
  });
});
