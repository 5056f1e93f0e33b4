// Mails to the owner of an account whose credentials changed: password, two-factor, recovery codes, passkeys, bound
// accounts. So the owner notices a change made by an intruder. In both languages, because the owner's language is not stored.
import type { AccountChange, OwnerLetters } from '#server/admin/accounts.ts';
import type { Text } from '#contract/language.ts';
import type { Settings } from '#contract/settings.ts';
import type { MailQueue } from './queue.ts';

const CHANGES: Readonly<Record<AccountChange, Text>> = {
  password_changed: { zh: '登录密码已修改', en: 'the password was changed' },
  password_reset: { zh: '登录密码已通过邮件重置', en: 'the password was reset by email' },
  password_set: { zh: '管理员已为您设置新的登录密码', en: 'an administrator set a new password' },
  password_reset_on_server: {
    zh: '运营者已在服务器上重置登录密码，并关闭两步验证',
    en: 'the operator reset the password on the server and turned two-factor authentication off',
  },
  two_factor_on: { zh: '两步验证已启用', en: 'two-factor authentication was turned on' },
  two_factor_off: { zh: '两步验证已停用', en: 'two-factor authentication was turned off' },
  two_factor_reset: {
    zh: '管理员已移除两步验证与全部通行密钥',
    en: 'an administrator removed two-factor authentication and every passkey',
  },
  two_factor_reset_only: {
    zh: '管理员已移除两步验证；通行密钥是您唯一的登录方式，已保留',
    en: 'an administrator removed two-factor authentication; your passkeys are your only way to sign in and were kept',
  },
  recovery_codes_renewed: { zh: '恢复码已重新生成', en: 'the recovery codes were replaced' },
  passkey_added: { zh: '已添加新的通行密钥', en: 'a passkey was added' },
  passkey_removed: { zh: '一个通行密钥已被移除', en: 'a passkey was removed' },
  outside_bound: { zh: '已绑定 {provider} 账户', en: 'a {provider} account was linked to it' },
  outside_unbound: { zh: '已解除 {provider} 账户的绑定', en: 'its {provider} account was unlinked' },
};

export interface OwnerLetterOptions {
  queue: Pick<MailQueue, 'configured' | 'put' | 'wake'>;
  settings: { readonly current: Pick<Settings, 'SystemName'> };
}

export function createOwnerLetters({ queue, settings }: OwnerLetterOptions): OwnerLetters {
  return {
    async put(db, userId, change, address, provider = '') {
      if (!queue.configured) return;
      const owner = await db
        .selectFrom('users')
        .select(['username', 'email'])
        .where('id', '=', userId)
        .executeTakeFirst();
      if (!owner || owner.email === '') return;
      const { zh, en } = CHANGES[change];
      const words = { zh: zh.replace('{provider}', provider), en: en.replace('{provider}', provider) };
      const letter = letterOf(settings.current.SystemName, owner.username, words, address);
      await queue.put(db, { ...letter, recipient: owner.email });
    },
    wake: () => queue.wake(),
  };
}

function letterOf(site: string, username: string, change: Text, address: string | undefined) {
  const time = `${new Date().toISOString().slice(0, 16).replace('T', ' ')} UTC`;
  return {
    subject: `${site}：账户安全提醒 / Your account was changed`,
    text: [
      `您好，${site} 账户 ${username}：${change.zh}。`,
      address === undefined ? `时间：${time}` : `时间：${time}，来自 ${address}`,
      '如果不是您本人或管理员操作，请立即重置密码、退出其他设备，并联系管理员。',
      '',
      `Hello, about the account ${username} at ${site}: ${change.en}.`,
      address === undefined ? `Time: ${time}` : `Time: ${time}, from ${address}`,
      'If it was neither you nor your administrator, reset your password at once, sign out all other devices and contact the administrator.',
    ].join('\n'),
  };
}
