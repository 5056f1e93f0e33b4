// Checks what was entered for a destination. Secrets are write-only: a blank one keeps the stored value, unless the address changed, so
// that a stored secret is never sent to a new address.
import { z } from 'zod';
import { AppError } from '#contract/errors.ts';
import {
  SHORTEST_WEBHOOK_SECRET,
  type NoticeDestinationKind,
  type DestinationField,
} from '#contract/admin/notices.ts';
import type { Language } from '#contract/language.ts';
import { addressesOf, egressClassFor, type DestinationConfig } from '#server/platform/notices/index.ts';
import type { NoticeDependencies } from './dependencies.ts';
import { kindsOf, shownValue } from './list.ts';

interface EnteredConfig {
  kind: NoticeDestinationKind;
  config: Record<string, string>;
}

/** The fields of the destination with what was entered; throws when one is missing or its address may not be called. */
export async function checkConfig(
  dependencies: NoticeDependencies,
  userId: number,
  { kind, config: entered }: EnteredConfig,
  { stored, language }: { stored: DestinationConfig; language: Language },
): Promise<DestinationConfig> {
  const fields = kindsOf(userId).find((each) => each.kind === kind)?.fields ?? [];
  const config = mergeSecrets(fields, entered, stored);
  for (const field of fields) {
    const value = config[field.name] ?? '';
    if (value === '' && field.is_required) throw refusedField('notice_field_required', field, language);
    if (value !== '' && field.kind === 'address' && !(await isReachable(dependencies, userId, value)))
      throw refusedField('notice_address_refused', field, language);
  }
  if (kind === 'webhook') refuseShortSecret(config['secret'] ?? '');
  if (kind === 'mail') refuseBadMail(config['addresses'] ?? '');
  return config;
}

function mergeSecrets(
  fields: readonly DestinationField[],
  entered: DestinationConfig,
  stored: DestinationConfig,
): Record<string, string> {
  /** What a list shows of a secret may come back with a change; it is no new value. */
  const givenOf = (field: DestinationField) => {
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
    config[field.name] = given === '' && field.is_secret && !isMoved ? (stored[field.name] ?? '') : given;
  }
  return config;
}

async function isReachable(
  { egress, settings }: NoticeDependencies,
  userId: number,
  address: string,
): Promise<boolean> {
  return await egress.check(egressClassFor(settings.current, userId), address).then(
    () => true,
    () => false,
  );
}

function refuseShortSecret(secret: string): void {
  if (secret.length < SHORTEST_WEBHOOK_SECRET)
    throw new AppError('notice_secret_short', { length: SHORTEST_WEBHOOK_SECRET }, { field: 'secret' });
}

function refuseBadMail(addresses: string): void {
  if (!addressesOf(addresses).every((text) => z.email().max(254).safeParse(text).success))
    throw new AppError('email_not_accepted', {}, { field: 'addresses' });
}

/** The one sentence for a refused address: the difference would show which names the operator's network has. */
function refusedField(
  code: 'notice_field_required' | 'notice_address_refused',
  { name, label }: DestinationField,
  language: Language,
): AppError {
  return new AppError(code, { name: label[language] }, { field: name });
}
