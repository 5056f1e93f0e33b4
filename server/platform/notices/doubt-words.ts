// What an upstream reported and what was believed of it, in words.
import type { Text } from '#contract/language.ts';
import type { DoubtedCount, UsageDoubt } from '#contract/money/usage-doubt.ts';

/** As the upstream reported it → as it was charged. */
export function doubtWords(doubts: readonly UsageDoubt[], language: keyof Text): string {
  return doubts
    .map(({ count, reported, charged }) => {
      const name = DOUBTED[count][language];
      return reported === undefined ? name : `${name} ${reported} → ${charged ?? 0}`;
    })
    .join(language === 'zh' ? '、' : ', ');
}

const DOUBTED: Record<DoubtedCount, Text> = {
  input: { zh: '输入 token', en: 'input tokens' },
  output: { zh: '输出 token', en: 'output tokens' },
  total: { zh: 'token 总数', en: 'total tokens' },
  searches: { zh: '搜索次数', en: 'searches' },
  units: { zh: '重排序计费单位', en: 'rerank units' },
  seconds: { zh: '秒数', en: 'seconds' },
  answers: { zh: '回答数', en: 'answers' },
  report: {
    zh: '整个用量报告（改按本地计数）',
    en: "the whole report (the gateway's own count was used instead)",
  },
};
