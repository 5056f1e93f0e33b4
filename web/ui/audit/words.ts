/** The words of the trail: actions, fields and their values. What has no words is shown as stored. */
import { useTranslation } from 'react-i18next';
import { referenceOf } from '#contract/admin/audit-references.ts';
import { useDisplay, type Display } from '#web/ui/format/display.ts';
import { useFacts } from '#web/ui/facts/use-facts.ts';
import { renderQuota } from '#web/ui/format/number.ts';
import { absoluteTime } from '#web/ui/format/time.ts';

/** How the names and values of fields are shown. */
export interface ChangeWords {
  field: (name: string) => string;
  /** `target` as stored: `user:12`. A number of a status means another thing for each kind of target. */
  value: (name: string, value: string, target: string, currency?: string) => string;
  /** A field and its value. */
  pair: (field: string, value: string) => string;
  /** Between two changes. */
  comma: string;
}

export interface AuditWords extends ChangeWords {
  /** `session.start` → "Signed in". */
  action: (action: string) => string;
  /** `session` → "sign-in". */
  kind: (kind: string) => string;
}

/** `names`: of users, channels, keys, plans and orders, by target (`user:12`). */
export function useAuditWords(names: Readonly<Record<string, string>> = {}): AuditWords {
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
    pair: (field, value) => t('pair', { field, value }),
    comma: t('comma'),
    value(name, value, target, currency) {
      if (name === 'how') return how(value);
      if (/(^|_)role$/.test(name)) return known(`member_role.${value}`, known(`role.${value}`, value));
      const named = names[referenceOf(name, value) ?? ''];
      if (named !== undefined) return named;
      const key = codeKey(name, value, target) ?? plainKey(name, value);
      if (key !== undefined) return known(key, value);
      // In hundredths of a percent.
      if (name === 'rate' && /^\d{1,5}$/.test(value)) return `${Number(value) / 100}%`;
      const paid = minorWord(name, value, currency, i18n.language);
      return (
        paid ??
        facts.words(amountWord(isBudget(name, target) ? 'quota' : name, timeWord(name, value), display))
      );
    },
  };
}

/** What was asked for of a budget is quota; other amounts may be of a currency. */
const isBudget = (name: string, target: string): boolean => name === 'amount' && target.startsWith('budget:');

/** The words of a role or status, which are stored as numbers: `status.channel.3`. Undefined for other values. */
export function codeKey(name: string, value: string, target: string): string | undefined {
  if (!/^\d{1,3}$/.test(value)) return undefined;
  if (name === 'role') return `role.${value}`;
  return name === 'status' ? `status.${target.split(':')[0]}.${value}` : undefined;
}

/** Fields in which 0 means that there is none. */
const NONE_IF_ZERO = new Set([
  'day_budget',
  'inviter_id',
  'limit_per_user',
  'month_budget',
  'order_id',
  'plan',
  'plan_id',
  'price_minor',
  'price_quota',
  'renew_price',
  'renews',
]);

/** Times of an end, which there need not be. */
const NEVER = new Set(['ended_at', 'ends_at', 'expired_time', 'expires_at']);

/** The words of yes, no, none and never. */
export function plainKey(name: string, value: string): string | undefined {
  if (NEVER.has(name) && (value === '0' || value === '-1')) return 'never';
  // Stored as a number.
  if (name === 'active' && (value === '0' || value === '1')) return value === '1' ? 'yes' : 'no';
  if (value === 'true') return 'yes';
  if (value === 'false') return 'no';
  return value === '0' && NONE_IF_ZERO.has(name) ? 'none' : undefined;
}

/** An amount in the smallest unit of a currency that the same row names. */
export function minorWord(
  name: string,
  value: string,
  currency: string | undefined,
  language: string,
): string | undefined {
  if (!name.endsWith('_minor') || !/^-?\d{1,15}$/.test(value) || !/^[A-Z]{3}$/.test(currency ?? ''))
    return undefined;
  const format = new Intl.NumberFormat(language, { style: 'currency', currency: currency ?? 'USD' });
  const digits = format.resolvedOptions().maximumFractionDigits ?? 2;
  return format.format(Number(value) / 10 ** digits);
}

/** Fields that hold units of quota, beside those whose name says so. */
const AMOUNTS = new Set([
  'difference',
  'held',
  'credit',
  'debit',
  'renew_price',
  'day_budget',
  'month_budget',
]);

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
