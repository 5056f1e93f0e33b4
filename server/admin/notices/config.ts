// Checks what was entered for a way. Secrets are write-only: a blank one keeps the stored value, unless the address changed, so
// that a stored secret is never sent to a new address.
import { z } from 'zod';
import { AppError } from '#contract/errors.ts';
import { SHORTEST_WEBHOOK_SECRET, type NoticeWayKind, type WayField } from '#contract/admin/notices.ts';
import type { Language } from '#contract/language.ts';
import { addressesOf, egressClassFor, type WayConfig } from '#server/platform/notices/index.ts';
import type { NoticeDependencies } from './dependencies.ts';
import { kindsOf, shownValue } from './list.ts';

interface EnteredConfig {
  kind: NoticeWayKind;
  config: Record<string, string>;
}

/** The fields of the way with what was entered; throws when one is missing or its address may not be called. */
export async function checkedConfig(
  { egress, settings }: NoticeDependencies,
  userId: number,
  { kind, config: entered }: EnteredConfig,
  { stored, language }: { stored: WayConfig; language: Language },
): Promise<WayConfig> {
  const fields = kindsOf(userId).find((each) => each.kind === kind)?.fields ?? [];
  /** What a list shows of a secret may come back with a change; it is no new value. */
  const givenOf = (field: WayField) => {
    const given = entered[field.name] ?? '';
    return field.is_secret && given === shownValue(field, stored[field.name] ?? '') ? '' : given;
  };
  const isMoved = fields.some(
    (field) =>
      field.kind === 'address' && givenOf(field) !== (field.is_secret ? '' : (stored[field.name] ?? '')),
  );
  const config: Record<string, string> = {};
  for (const field of fields) {
    const given = givenOf(field);
    const value = given === '' && field.is_secret && !isMoved ? (stored[field.name] ?? '') : given;
    if (value === '' && field.is_required) throw refusedField('notice_field_required', field, language);
    config[field.name] = value;
    if (field.kind === 'address' && value !== '')
      await egress.check(egressClassFor(settings.current, userId), value).catch(() => {
        throw refusedField('notice_address_refused', field, language);
      });
  }
  if (kind === 'webhook' && (config['secret'] ?? '').length < SHORTEST_WEBHOOK_SECRET)
    throw new AppError('notice_secret_short', { length: SHORTEST_WEBHOOK_SECRET }, { field: 'secret' });
  const isBadMail = kind === 'mail' && !addressesOf(config['addresses'] ?? '').every(isMailAddress);
  if (isBadMail) throw new AppError('email_not_accepted', {}, { field: 'addresses' });
  return config;
}

const isMailAddress = (text: string) => z.email().max(254).safeParse(text).success;

/** The one sentence for a refused address: the difference would show which names the operator's network has. */
function refusedField(
  code: 'notice_field_required' | 'notice_address_refused',
  { name, label }: WayField,
  language: Language,
): AppError {
  return new AppError(code, { name: label[language] }, { field: name });
}
