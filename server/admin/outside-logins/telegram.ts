// Telegram's login widget: fields signed with the bot's token, valid once and for five minutes. The signature covers the
// widget's own fields only; other parameters of the address are ignored.
import { createHash, createHmac, timingSafeEqual } from 'node:crypto';
import { AppError } from '#contract/errors.ts';
import { TELEGRAM_FIELDS, type TelegramFields } from '#contract/admin/outside-logins.ts';
import type { Settings } from '#contract/settings.ts';
import { unixSeconds } from '#contract/time.ts';
import type { Store } from '#server/platform/store/store.ts';
import type { OutsideIdentity } from './dependencies.ts';
import { spendProof } from './used-proofs.ts';

export const TELEGRAM_SECONDS = 300;
/** Tolerated difference of the clocks. */
const AHEAD_SECONDS = 60;

type Name = (typeof TELEGRAM_FIELDS)[number];

/** The text that the widget signs: its fields without the signature, sorted by name, one per line. */
export function telegramCheckString(fields: TelegramFields, without: readonly Name[] = ['hash']): string {
  return TELEGRAM_FIELDS.filter((name) => fields[name] !== undefined && !without.includes(name))
    .sort()
    .map((name) => `${name}=${fields[name]}`)
    .join('\n');
}

export function telegramHash(botToken: string, checkString: string): string {
  const key = createHash('sha256').update(botToken).digest();
  return createHmac('sha256', key).update(checkString).digest('hex');
}

function isSigned(botToken: string, fields: TelegramFields): boolean {
  const given = Buffer.from(fields.hash ?? '');
  // Some clients add the language of the page, which the widget does not sign.
  return [telegramCheckString(fields), telegramCheckString(fields, ['hash', 'lang'])].some((text) => {
    const expected = Buffer.from(telegramHash(botToken, text));
    return given.length === expected.length && timingSafeEqual(given, expected);
  });
}

export async function telegramIdentity(
  store: Store,
  { TelegramBotToken }: Settings,
  fields: TelegramFields,
): Promise<OutsideIdentity> {
  const refused = new AppError('outside_refused', { provider: 'Telegram' });
  if (!/^\d{1,20}$/.test(fields.id ?? '') || !/^\d{1,12}$/.test(fields.auth_date ?? '')) throw refused;
  if (!isSigned(TelegramBotToken, fields)) throw refused;
  const age = unixSeconds() - Number(fields.auth_date);
  if (age > TELEGRAM_SECONDS || age < -AHEAD_SECONDS) throw refused;
  if (!(await spendProof(store, 'telegram', fields.hash ?? '', TELEGRAM_SECONDS + AHEAD_SECONDS)))
    throw refused;
  const { username = '' } = fields;
  const name = [fields.first_name, fields.last_name].filter(Boolean).join(' ') || username;
  return { provider: 'telegram', id: fields.id ?? '', name, knownAs: username || name, email: '' };
}
