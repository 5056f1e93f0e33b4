import { expect, test } from 'bun:test';
import { z } from 'zod';
import { problemSentence, problemWords } from './problem-words.ts';
import { SETTINGS } from './settings.ts';

function words(schema: z.ZodType, value: unknown) {
  const [issue] = schema.safeParse(value, { reportInput: true }).error?.issues ?? [];
  return issue ? [problemWords(issue, 'zh'), problemWords(issue, 'en')] : [];
}

test.each([
  [z.number(), undefined, '必须填写', 'is required'],
  [z.string(), undefined, '必须填写', 'is required'],
  [z.number(), 'x', '必须是数字', 'must be a number'],
  [z.number(), Number.NaN, '必须是数字', 'must be a number'],
  [z.number().int(), 1.5, '必须是整数', 'must be a whole number'],
  [z.number().min(0), -1, '不能小于 0', 'must be at least 0'],
  [z.number().gt(0), 0, '必须大于 0', 'must be more than 0'],
  [z.number().max(9), 10, '不能大于 9', 'must be at most 9'],
  [z.string().min(1), '', '不能为空', 'must not be empty'],
  [z.string().max(3), 'four', '最多 3 个字符', 'must have at most 3 characters'],
  [z.array(z.string()).max(1), ['a', 'b'], '最多 1 项', 'must have at most 1 entries'],
  [z.enum(['a', 'b']), 'c', '只能是 a、b 之一', 'must be one of a, b'],
  [z.email(), 'x', '必须是有效的邮箱地址', 'must be an email address'],
  [z.strictObject({}), { a: 1 }, '有未知的字段：a', 'has unknown fields: a'],
  [z.string().regex(/^x$/), 'y', '格式不正确', 'is not in the expected form'],
  [SETTINGS.ServerAddress.schema, 'ftp://x', '必须是有效的网址', 'must be a web address'],
  [
    SETTINGS.CheckInTimeZone.schema,
    'Mars',
    '必须是存在的时区，例如 Asia/Shanghai',
    'must be a time zone that exists, for example Asia/Shanghai',
  ],
])('O10: a refused value is explained in words: %p %p', (schema, value, zh, en) => {
  expect(words(schema as z.ZodType, value)).toEqual([zh, en]);
});

test('O10: beside its field the words are a sentence', () => {
  const [issue] = z.number().safeParse('x', { reportInput: true }).error?.issues ?? [];
  expect(issue && problemSentence(issue, 'en')).toBe('Must be a number');
});

test('O10: no validator speaks of "expected", "received" or "invalid input"', () => {
  const schemas: [z.ZodType, unknown][] = [
    [z.boolean(), 'x'],
    [z.array(z.string()), 'x'],
    [z.record(z.string(), z.number()), []],
    [z.literal(3), 4],
    [z.union([z.string(), z.number()]), true],
    [z.number().multipleOf(5), 3],
    [z.coerce.number().int(), 'x'],
    [z.iso.date(), 'x'],
    [z.record(z.string().min(3), z.number()), { a: 1 }],
  ];
  for (const [schema, value] of schemas)
    for (const sentence of words(schema, value))
      expect(sentence).not.toMatch(/expected (?!form)|received|[Ii]nvalid|期望|实际/);
});
