// The text of the low-balance mail, in both languages: the queue is filled inside the charge's transaction, where no
// setting can be read, so the text is prepared when the settings change.
import type { LowBalanceMail } from './engine/rows.ts';

/** The options of the same names. */
export interface LowBalanceSettings {
  QuotaRemindThreshold: number;
  QuotaPerUnit: number;
  SystemName: string;
  ServerAddress: string;
}

export function lowBalanceMailOf(settings: LowBalanceSettings): LowBalanceMail {
  const link = `${settings.ServerAddress.replace(/\/+$/, '')}/topup`;
  return {
    threshold: settings.QuotaRemindThreshold,
    quotaPerUnit: settings.QuotaPerUnit,
    subject: `${settings.SystemName}：您的额度即将用尽 / Your balance is running low`,
    body: [
      '{username}，您好！您的剩余额度为 {balance}，为了不影响您的使用，请及时充值。',
      `充值链接：${link}`,
      '',
      'Hello {username}, your remaining balance is {balance}. Please top up in time so that your calls keep working.',
      `Top up: ${link}`,
    ].join('\n'),
  };
}

/** No mail is sent until the settings are known. */
export const noLowBalanceMail: LowBalanceMail = { threshold: 0, subject: '', body: '', quotaPerUnit: 1 };
