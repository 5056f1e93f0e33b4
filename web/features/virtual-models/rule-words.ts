/** The rules of a target in words: its conditions, and the failures after which the next one is tried. */
import { useTranslation } from 'react-i18next';
import type { TargetConditions } from '#contract/relay/virtual-models.ts';
import {
  FALLBACK_KINDS,
  type ConditionName,
  type FallbackKind,
  type SkipReason,
} from '#contract/relay/virtual-reasons.ts';
import { formatMoney, groupDigits } from '#web/ui/format/number.ts';
import { namesJoined } from '#web/ui/format/joined.ts';

/** A number that is being typed may be missing. */
export type WhenDraft = { [Name in ConditionName]?: TargetConditions[Name] | null };

/** 1 January 2024 was a Monday. */
const dayName = (day: number, language: string): string =>
  new Intl.DateTimeFormat(language, { weekday: 'short', timeZone: 'UTC' }).format(
    new Date(Date.UTC(2024, 0, day)),
  );

export function useRuleWords() {
  const { t, i18n } = useTranslation('virtual-models');
  const { t: logs } = useTranslation('logs');
  const { language } = i18n;
  const joined = (values: readonly string[]) => namesJoined(values, language);
  const amount = (dollars: number | null | undefined) => formatMoney(dollars ?? 0, decimalsOf(dollars ?? 0));
  const tokens = (count: number | null | undefined) => ({ tokens: groupDigits(count ?? 0) });
  const named = (words: string, values: readonly string[] | undefined) =>
    values === undefined || values.length === 0 ? words : `${words}: ${joined(values)}`;
  const trait = (name: 'pictures' | 'files' | 'tools' | 'structured_output') => (has: unknown) =>
    has === true ? t(`rule.has.${name}`) : t(`rule.hasNone.${name}`);
  const sentences: { [Name in ConditionName]: (value: WhenDraft[Name]) => string } = {
    prompt_at_least: (value) => t('rule.prompt_at_least', tokens(value)),
    prompt_at_most: (value) => t('rule.prompt_at_most', tokens(value)),
    fits_context: () => t('rule.fits_context'),
    pictures: trait('pictures'),
    files: trait('files'),
    tools: trait('tools'),
    structured_output: trait('structured_output'),
    reasoning_efforts: (value) => t('rule.reasoning_efforts', { values: joined(value ?? []) }),
    header: (value) => named(t('rule.header', { name: value?.name ?? '' }), value?.values),
    tag: (value) => named(t('rule.tag', { name: value?.key ?? '' }), value?.values),
    groups: (value) => t('rule.groups', { values: joined(value ?? []) }),
    hours: (value) => {
      const days = (value?.days ?? []).map((day) => dayName(day, language));
      const span = `${value?.from ?? ''}–${value?.to ?? ''}`;
      return days.length === 0 ? span : `${joined(days)} ${span}`;
    },
    share_percent: (value) => t('rule.share_percent', { share: value ?? 0 }),
    budget_below: (value) => t('rule.budget_below', { amount: amount(value) }),
    max_cost: (value) => t('rule.max_cost', { amount: amount(value) }),
  };
  const sentenceOf = <Name extends ConditionName>(name: Name, when: WhenDraft): string =>
    sentences[name](when[name]);
  const namesIn = (when: WhenDraft) =>
    (Object.keys(when) as ConditionName[]).filter((name) => when[name] !== undefined);
  return {
    joined,
    dayName: (day: number) => dayName(day, language),
    /** Empty: every call. */
    conditions: (when: WhenDraft): string[] => namesIn(when).map((name) => sentenceOf(name, when)),
    reason: (why: SkipReason | FallbackKind): string => logs(`route.${why}`),
    /** The failures after which the next target is tried. */
    fallbacks: (kinds: readonly FallbackKind[]): string => {
      if (kinds.length === 0) return t('rule.fallback.none');
      const left = FALLBACK_KINDS.filter((kind) => !kinds.includes(kind));
      if (left.length === 0) return t('rule.fallback.all');
      return left.length === 1 && left[0] === 'content_filter'
        ? t('rule.fallback.usual')
        : joined(kinds.map((kind) => logs(`route.${kind}`)));
    },
  };
}

/** Two digits, and as many of six as an amount below a cent has. */
function decimalsOf(dollars: number): number {
  const digits = dollars.toFixed(6).replace(/0+$/, '').split('.')[1]?.length ?? 0;
  return Math.max(2, digits);
}
