// Notices of what needs a person: the words of the overview, in both languages, with a link to the page that has the cure.
import { ATTENTION_WORDS, attentionText } from '#contract/admin/attention-words.ts';
import {
  ATTENTION_NOTICE_EVENTS,
  type AttentionNoticeEvent,
  type NoticeValues,
} from '#contract/admin/notice-events.ts';
import { siteTime } from '#contract/site-day.ts';
import type { NoticeText, TextFacts } from './text-types.ts';

const textOf =
  (event: AttentionNoticeEvent) =>
  (
    { values, address }: NoticeValues[AttentionNoticeEvent],
    { page, QuotaPerUnit, SiteTimeZone }: TextFacts,
  ): NoticeText => {
    const { title, detail } = ATTENTION_WORDS[event];
    const reader = {
      quotaPerUnit: QuotaPerUnit,
      displayInCurrency: true,
      timeText: (seconds: number) => `${siteTime(SiteTimeZone, seconds)} (${SiteTimeZone})`,
    };
    const [titles, details] = [title, detail].map((words) => ({
      zh: attentionText(words, values, { ...reader, language: 'zh' }),
      en: attentionText(words, values, { ...reader, language: 'en' }),
    }));
    const withLink = (text = '') => [text, page(address)].filter(Boolean).join('\n');
    return {
      title: titles ?? { zh: event, en: event },
      text: { zh: withLink(details?.zh), en: withLink(details?.en) },
    };
  };

export const attentionTexts = Object.fromEntries(
  ATTENTION_NOTICE_EVENTS.map((event) => [event, textOf(event)]),
) as Record<AttentionNoticeEvent, ReturnType<typeof textOf>>;
