// Mails about organizations, in both languages, because the reader's is not known.
import { INVITATION_PATH } from '#contract/admin/organization-invitations.ts';
import type { OrganizationRole } from '#contract/admin/organization-rights.ts';
import { ROLE_WORDS } from '#contract/admin/organization-role-words.ts';
import type { Settings } from '#contract/settings.ts';
import type { Schema } from '#server/platform/store/schema.ts';
import type { Kysely } from 'kysely';
import type { OrganizationDependencies } from './dependencies.ts';

export interface LetterParts {
  letters: OrganizationDependencies['letters'];
  settings: { readonly current: Pick<Settings, 'ServerAddress' | 'SystemName'> };
}

interface Names {
  organization: string;
  inviter: string;
}

interface Invited extends Names {
  role: OrganizationRole;
  recipient: string;
  /** Undefined: the account of the reader is invited, and no link is needed. */
  token: string | undefined;
  expiresAt: number;
}

const emphasised = (text: string) => `    ${text}`;

export async function putInvitationLetter(
  { letters, settings }: LetterParts,
  db: Kysely<Schema>,
  { organization, inviter, role, recipient, token, expiresAt }: Invited,
): Promise<void> {
  const { SystemName: site } = settings.current;
  const link = linkOf(settings, token);
  const { zh, en } = ROLE_WORDS[role];
  await letters.put(db, {
    recipient,
    secret: true,
    expiresAt,
    subject: `${site}：加入组织 ${organization} 的邀请 / Invitation to ${organization}`,
    text: [
      `您好，${inviter} 邀请您以“${zh}”的角色加入 ${site} 的组织 ${organization}。请打开以下链接接受或拒绝：`,
      '',
      emphasised(link),
      '',
      '如果您不认识邀请人，请忽略本邮件。',
      '',
      `Hello, ${inviter} invites you to join the organization ${organization} at ${site} as ${en}. Open the link above to accept or decline.`,
      'If you do not know who invited you, you can ignore this email.',
    ].join('\n'),
  });
}

/** To the address of the member's account; an account without one reads the offer in the console. */
export async function putOfferLetter(
  { letters, settings }: LetterParts,
  db: Kysely<Schema>,
  userId: number,
  { organization, inviter }: Names,
): Promise<void> {
  if (!letters.configured) return;
  const receiver = await db.selectFrom('users').select('email').where('id', '=', userId).executeTakeFirst();
  if (!receiver?.email) return;
  const { SystemName: site } = settings.current;
  await letters.put(db, {
    recipient: receiver.email,
    subject: `${site}：组织 ${organization} 的所有权移交 / Ownership of ${organization}`,
    text: [
      `您好，${inviter} 希望把 ${site} 的组织 ${organization} 的所有权移交给您。请打开以下链接接受或拒绝：`,
      '',
      emphasised(linkOf(settings, undefined)),
      '',
      `Hello, ${inviter} wants to transfer the ownership of the organization ${organization} at ${site}. Open the link above to accept or decline.`,
    ].join('\n'),
  });
}

/** To every owner with an address. */
export async function putSuspensionLetters(
  { letters, settings }: LetterParts,
  db: Kysely<Schema>,
  organizationId: number,
  { organization, reason }: { organization: string; reason: string },
): Promise<void> {
  if (!letters.configured) return;
  const { SystemName: site } = settings.current;
  const why = reason === '' ? { zh: '', en: '' } : { zh: `原因：${reason}。`, en: ` Reason: ${reason}.` };
  for (const recipient of await ownersOf(db, organizationId))
    await letters.put(db, {
      recipient,
      subject: `${site}：组织 ${organization} 已停用 / ${organization} was suspended`,
      text: [
        `您好，管理员已停用 ${site} 的组织 ${organization}：其令牌不能再调用，组织只能查看，不能修改。${why.zh}如有疑问，请联系管理员。`,
        '',
        `Hello, an administrator suspended the organization ${organization} at ${site}: its API keys are refused and it can only be viewed.${why.en} Contact the administrator if you have questions.`,
      ].join('\n'),
    });
}

/** To every owner with an address: the TXT record is gone, or has been for too long (`endsAt` 0). */
export async function putDomainLetters(
  { letters, settings }: LetterParts,
  db: Kysely<Schema>,
  organizationId: number,
  facts: { organization: string; domain: string; record: string; value: string; endsAt: number },
): Promise<void> {
  if (!letters.configured) return;
  const { organization, domain, record, value, endsAt } = facts;
  const { SystemName: site } = settings.current;
  const until = new Date(endsAt * 1000).toISOString().slice(0, 16).replace('T', ' ');
  const [subject, zh, en] =
    endsAt > 0
      ? [
          `${site}：${domain} 的 TXT 记录不见了 / The TXT record of ${domain} is gone`,
          `您好，组织 ${organization} 的邮箱域名 ${domain} 的 TXT 记录已找不到。请在 ${until} UTC 前恢复以下记录；否则使用此域名邮箱的人将不能再通过单点登录进入组织。`,
          `Hello, the TXT record of ${domain}, a mail domain of the organization ${organization}, is missing. Put the record above back before ${until} UTC; after that nobody can sign in to the organization with this domain.`,
        ]
      : [
          `${site}：${domain} 不再用于单点登录 / ${domain} is no longer used for sign-on to ${organization}`,
          `您好，组织 ${organization} 的邮箱域名 ${domain} 的 TXT 记录一直找不到，使用此域名邮箱的人不能再通过单点登录进入组织；成员和令牌不变。恢复以下记录后，请在“单点登录”页面重新验证。`,
          `Hello, the TXT record of ${domain} is still missing, so nobody can sign in to the organization ${organization} with this domain any more; members and API keys are kept. Put the record above back, then verify the domain again on the sign-on page.`,
        ];
  for (const recipient of await ownersOf(db, organizationId))
    await letters.put(db, {
      recipient,
      subject,
      text: [
        zh,
        '',
        emphasised(`${record}  TXT  ${value}`),
        emphasised(pageOf(settings, organizationId)),
        '',
        en,
      ].join('\n'),
    });
}

const pageOf = ({ current }: LetterParts['settings'], organizationId: number): string =>
  `${current.ServerAddress}/organization-sign-on?org=${organizationId}`;

async function ownersOf(db: Kysely<Schema>, organizationId: number): Promise<string[]> {
  const owners = await db
    .selectFrom('organization_members')
    .innerJoin('users', 'users.id', 'organization_members.user_id')
    .select('users.email')
    .where('organization_members.organization_id', '=', organizationId)
    .where('organization_members.role', '=', 'owner')
    .where('organization_members.left_at', '=', 0)
    .where('users.email', '<>', '')
    .orderBy('organization_members.id')
    .execute();
  return owners.map(({ email }) => email);
}

function linkOf(settings: LetterParts['settings'], token: string | undefined): string {
  const query = token === undefined ? '' : `?${new URLSearchParams({ token }).toString()}`;
  return `${settings.current.ServerAddress}${INVITATION_PATH}${query}`;
}
