// The texts of account mails, in the caller's language and with the site's name.
import type { Language } from '#contract/language.ts';

interface Words {
  subject: string;
  text: string;
}

type LetterOf<Values> = (language: Language, site: string, values: Values) => Words;

/** The mail's HTML emphasises a line that starts with four spaces. */
const emphasised = (text: string) => `    ${text}`;

export const codeLetter: LetterOf<{ code: string; minutes: number }> = (language, site, { code, minutes }) =>
  language === 'zh'
    ? {
        subject: `${site} 邮箱验证码`,
        text: `您好，您正在验证 ${site} 的邮箱地址。您的验证码是：\n\n${emphasised(code)}\n\n验证码 ${minutes} 分钟内有效。如果不是您本人操作，请忽略本邮件。`,
      }
    : {
        subject: `${site}: your verification code`,
        text: `Your ${site} verification code is:\n\n${emphasised(code)}\n\nIt expires in ${minutes} minutes. If you did not request it, you can ignore this email.`,
      };

/** Sent instead of a code to an address that has an account; the caller cannot see the difference. */
export const takenLetter: LetterOf<{ link: string }> = (language, site, { link }) =>
  language === 'zh'
    ? {
        subject: `${site}：此邮箱已注册`,
        text: `您好，有人尝试用此邮箱注册 ${site}，但它已属于一个账户。如果是您本人，请直接登录，或在此重置密码：\n\n${link}\n\n如果不是您本人操作，请忽略本邮件。`,
      }
    : {
        subject: `${site}: this address already has an account`,
        text: `Hello, someone tried to register at ${site} with this address, which already belongs to an account. If it was you, sign in, or reset your password here:\n\n${link}\n\nIf it was not you, you can ignore this email.`,
      };

export const resetLetter: LetterOf<{ link: string; minutes: number }> = (language, site, { link, minutes }) =>
  language === 'zh'
    ? {
        subject: `${site} 密码重置`,
        text: `您好，您正在重置 ${site} 的密码。请打开以下链接完成重置：\n\n${link}\n\n链接 ${minutes} 分钟内有效，只能使用一次。如果不是您本人操作，请忽略本邮件。`,
      }
    : {
        subject: `${site}: reset your password`,
        text: `Hello, we received a request to reset your password at ${site}. Open this link to do so:\n\n${link}\n\nIt is valid for ${minutes} minutes and works once. If you did not request it, you can ignore this email.`,
      };

export const movedLetter: LetterOf<{ username: string }> = (language, site, { username }) =>
  language === 'zh'
    ? {
        subject: `${site}：邮箱地址已更换`,
        text: `您好，${site} 账户 ${username} 已改为绑定其他邮箱。如果不是您本人操作，请立即修改密码并联系管理员。`,
      }
    : {
        subject: `${site}: your email address was changed`,
        text: `Hello, the account ${username} at ${site} is now linked to another email address. If it was not you, change your password at once and contact the administrator.`,
      };
