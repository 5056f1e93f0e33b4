/**
 * Why a channel was disabled automatically. The stored reason begins with its kind (`status 401`, `slow 6.20 s > 5 s`,
 * `test` and a fact); notices append the upstream's own words behind a colon.
 */
import { wordsIn } from '#contract/facts.ts';
import type { Language } from '#contract/language.ts';

const REASONS = {
  status: ['上游返回 {value}', 'The upstream answered {value}'],
  code: ['上游错误码 {value}', 'Upstream error code {value}'],
  type: ['上游错误类型 {value}', 'Upstream error type {value}'],
  keyword: ['上游返回了禁用关键词：{value}', 'The upstream answered with a disabling keyword: {value}'],
  slow: ['响应时间过长：{value}', 'Too slow: {value}'],
  test: ['测试失败：{value}', 'Test failed: {value}'],
  balance: ['余额不足：{value}', 'No balance left: {value}'],
  account: ['上游拒绝了该账户', 'The upstream refused the account'],
} as const;

/** A reason of no known kind is shown unchanged. */
export function channelReason(language: Language, stored: string): string {
  const kind = (Object.keys(REASONS) as (keyof typeof REASONS)[]).find((each) =>
    stored.startsWith(`${each} `),
  );
  if (kind === undefined) return stored;
  const [zh, en] = REASONS[kind];
  const rest = stored.slice(kind.length + 1);
  // The stored fact of a failed test is JSON, which contains colons.
  const at = kind === 'test' ? -1 : rest.indexOf(': ');
  const value = wordsIn(language, at < 0 ? rest : rest.slice(0, at));
  const words = (language === 'zh' ? zh : en).replace('{value}', () => value);
  return at < 0 ? words : words + (language === 'zh' ? '：' : ': ') + rest.slice(at + 2);
}
