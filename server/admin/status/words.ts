// The words of what a job found. They name models only, which the reader may see, and no channel.
import type { Text } from '#contract/language.ts';

/** `part`: some groups have no channel left, others are served. */
export const LINE_CODES = ['begun', 'begun_part', 'again', 'ended'] as const;
export type LineCode = (typeof LINE_CODES)[number];

export const LINE_WORDS: Record<LineCode, Text> = {
  begun: {
    zh: '上游全部不可用。此后的请求立即返回 503，不扣费。',
    en: 'No upstream is left. Calls are refused with 503 at once and are not charged.',
  },
  begun_part: {
    zh: '部分分组没有可用的上游，这些分组的请求立即返回 503，不扣费；其余分组正常。',
    en: 'No upstream is left for some groups. Their calls are refused with 503 at once and are not charged; others are served.',
  },
  again: { zh: '上游再次全部不可用。', en: 'Once again, no upstream is left.' },
  ended: { zh: '已恢复。', en: 'Service is restored.' },
};
