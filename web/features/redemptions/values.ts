/** The values of the form, their problems, and the request body; without React, for unit tests. */
import {
  REDEMPTION_BATCH_MAX,
  REDEMPTION_DEFAULT_QUOTA,
  REDEMPTION_NAME_MAX,
  REDEMPTION_NEVER_EXPIRES,
  redemptionNameLength,
  type RedemptionView,
} from '#contract/money/redemptions.ts';
import { absoluteTime, parseTime } from '#web/ui/format/time.ts';

/** The expiry is the text of the field, empty for never; the count is only for new codes. */
export interface CodeFormValues {
  name: string;
  quota: number;
  count: number;
  expiry: string;
}

export type Problem = 'nameTooLong' | 'quota' | 'count' | 'expiryFormat' | 'expiryPast';
export type Problems = Partial<Record<keyof CodeFormValues, Problem>>;

export function formValues(code?: RedemptionView): CodeFormValues {
  const end = code?.expired_time ?? REDEMPTION_NEVER_EXPIRES;
  return {
    name: code?.name ?? '',
    quota: code?.quota ?? REDEMPTION_DEFAULT_QUOTA,
    count: 1,
    expiry: end === REDEMPTION_NEVER_EXPIRES ? '' : absoluteTime(end),
  };
}

/** Undefined when the text is not a time. */
function expiryTime(text: string): number | undefined {
  return text.trim() === '' ? REDEMPTION_NEVER_EXPIRES : parseTime(text);
}

/** An unchanged expiry may be in the past; a new one may not. */
export function problemsOf(values: CodeFormValues, initial: CodeFormValues, now: number): Problems {
  const problems: Problems = {};
  if (redemptionNameLength(values.name.trim()) > REDEMPTION_NAME_MAX) problems.name = 'nameTooLong';
  if (!Number.isSafeInteger(values.quota) || values.quota < 1) problems.quota = 'quota';
  if (!Number.isInteger(values.count) || values.count < 1 || values.count > REDEMPTION_BATCH_MAX)
    problems.count = 'count';
  const end = expiryTime(values.expiry);
  if (end === undefined) problems.expiry = 'expiryFormat';
  else if (end !== REDEMPTION_NEVER_EXPIRES && end <= now && values.expiry !== initial.expiry)
    problems.expiry = 'expiryPast';
  return problems;
}

/** The body for the API; call it only when there are no problems. */
export function bodyOf({ name, quota, expiry }: CodeFormValues) {
  return { name: name.trim(), quota, expired_time: expiryTime(expiry) ?? REDEMPTION_NEVER_EXPIRES };
}
