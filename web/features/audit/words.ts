/** The words of the trail: actions, fields and their values. What has no words is shown as stored. */
import { useTranslation } from 'react-i18next';
import { useDisplay, type Display } from '#web/ui/format/display.ts';
import { useFacts } from '#web/ui/facts/use-facts.ts';
import { renderQuota } from '#web/ui/format/number.ts';
import { absoluteTime } from '#web/ui/format/time.ts';
import type { ChangeWords } from './change.ts';

export interface AuditWords extends ChangeWords {
  /** `session.start` → "Signed in". */
  action: (action: string) => string;
  /** `session` → "sign-in". */
  kind: (kind: string) => string;
}

export function useAuditWords(): AuditWords {
  const { t, i18n } = useTranslation('audit');
  const facts = useFacts();
  const display = useDisplay();
  const known = (key: string, fallback: string) =>
    i18n.exists(key, { ns: 'audit' }) ? t(key as 'title') : fallback;
  const kind = (name: string) => known(`kind.${name}`, name);
  const how = (value: string) =>
    value
      .split('+')
      .map((part) => known(`how.${part}`, part))
      .join(' + ');
  return {
    kind,
    action: (action) => known(`action.${action}`, action),
    field: (name) => known(`field.${name}`, name),
    value(name, value, target) {
      if (name === 'how') return how(value);
      const key = codeKey(name, value, target);
      if (key !== undefined) return known(key, value);
      return facts.words(amountWord(name, timeWord(name, value), display));
    },
  };
}

/** The words of a role or status, which are stored as numbers: `status.channel.3`. Undefined for other values. */
export function codeKey(name: string, value: string, target: string): string | undefined {
  if (!/^\d{1,3}$/.test(value)) return undefined;
  if (name === 'role') return `role.${value}`;
  return name === 'status' ? `status.${target.split(':')[0]}.${value}` : undefined;
}

/** Fields that hold units of quota, beside those whose name says so. */
const AMOUNTS = new Set(['difference', 'held', 'credit', 'debit', 'renew_price']);

/** Quota as the console shows amounts everywhere else. */
export function amountWord(name: string, value: string, display: Display): string {
  const isAmount = AMOUNTS.has(name) || /(?:^|_)quota$/.test(name);
  return isAmount && /^-?\d{1,15}$/.test(value) ? renderQuota(Number(value), display) : value;
}

/** Unix seconds of this century. */
const IS_TIME = /^1\d{9}$|^[2-9]\d{9}$/;

export function timeWord(name: string, value: string): string {
  return /(?:_at|_time|_timestamp|until)$/.test(name) && IS_TIME.test(value)
    ? absoluteTime(Number(value))
    : value;
}
