// The sentences of what needs somebody of an organization, written as attention-words.ts says.
import type { ORGANIZATION_KINDS } from './attention-organization-kinds.ts';

type Words = readonly [zh: string, en: string];

export const ORGANIZATION_WORDS: Readonly<
  Record<keyof typeof ORGANIZATION_KINDS, { title: Words; detail: Words }>
> = {
  organization_suspended: {
    title: ['组织已被停用', 'The organization is suspended'],
    detail: [
      '[原因：{reason}。]令牌的调用会被拒绝，内容只能查看，余额保留；由本站管理员恢复。',
      '[Reason: {reason}. ]Its API keys are refused and it can only be viewed; the balance stays. An administrator of this site can lift it.',
    ],
  },
  wallet_empty: {
    title: ['没有余额', 'There is no balance'],
    detail: ['充值之前调用会被拒绝。', 'Calls are refused until it is topped up.'],
  },
  keys_exhausted: {
    title: [
      '{count} 个令牌的额度已用完',
      '{count} API {count|key has used up its quota|keys have used up their quota}',
    ],
    detail: ['{name} [等 {count_more} 个]的调用会被拒绝。', '{name}[ and {others} more]: calls are refused.'],
  },
  keys_expired: {
    title: ['{count} 个令牌已过期', '{count} API {count|key has|keys have} expired'],
    detail: ['{name} [等 {count_more} 个]的调用会被拒绝。', '{name}[ and {others} more]: calls are refused.'],
  },
  budget_over: {
    title: ['预算 {name}[ 的 {value}] 已用完', 'The budget {name}[ ({value})] is used up'],
    detail: [
      '已用 {spent_quota}，上限 {limit_quota}[；{hard||}{resets_at} 前请求会被拒绝][；{soft||}请求不会被拒绝]。',
      '{spent_quota} used of {limit_quota}[; {hard||}calls are refused until {resets_at}][; {soft||}calls are not refused].',
    ],
  },
  budget_forecast: {
    title: ['预算 {name} 预计不够用', 'The budget {name} will not last'],
    detail: [
      '已用 {spent_quota}，上限 {limit_quota}；按目前的速度，到 {resets_at} 会用 {forecast_quota}。',
      '{spent_quota} used of {limit_quota}; at this rate {forecast_quota} will be used by {resets_at}.',
    ],
  },
  budget_requested: {
    title: ['{count} 个预算申请尚未处理', '{count} budget {count|request|requests} to answer'],
    detail: ['{member} 为 {name} 申请 {more_quota}。', '{member} asks to raise {name} by {more_quota}.'],
  },
  invitation_waits: {
    title: ['{count} 个邀请尚未答复', '{count} {count|invitation is|invitations are} not answered yet'],
    detail: [
      '{name}[ 等 {count_more} 个][；其中 {expired} 个已过期，可以重新发送]',
      '{name}[ and {others} more][; {expired} {expired|has|have} expired and can be sent again]',
    ],
  },
  move_waits: {
    title: [
      '{count} 项转出等待你同意',
      '{count} {count|transfer|transfers} out of the organization {count|waits|wait} for you',
    ],
    detail: ['共 {out_quota}。', '{out_quota} in total.'],
  },
  ownership_offered: {
    title: ['{from} 想把所有权移交给你', '{from} wants to transfer ownership to you'],
    detail: ['请在 {ends_at} 前答复。', 'Answer by {ends_at}.'],
  },
  ownership_waits: {
    title: ['所有权移交尚未答复', 'The transfer of ownership has not been accepted yet'],
    detail: [
      '已向 {to} 提出，{ends_at} 前有效，可以撤回。',
      'Offered to {to} until {ends_at}; it can be withdrawn.',
    ],
  },
  sign_on_unreachable: {
    title: ['无法读取身份提供方的配置', "The identity provider's settings cannot be read"],
    detail: [
      '{address} 没有返回可用的响应，因此没有人能通过它登录。请检查提供方和颁发者地址。',
      '{address} gives no usable answer, so nobody can sign in with it. Check the provider and the issuer.',
    ],
  },
  sign_on_secret: {
    title: ['身份提供方拒绝了客户端密钥', 'The identity provider refuses the client secret'],
    detail: [
      '{refusals} 次登录失败。密钥可能已过期：请在提供方新建，并填写到这里。',
      '{refusals} {refusals|sign-in|sign-ins} failed. The secret may have expired: create a new one at the provider and enter it here.',
    ],
  },
  sign_on_clock: {
    title: ['身份提供方的时钟与本站不一致', "The identity provider's clock differs from this site's"],
    detail: [
      '{refusals} 次登录因时间不符被拒绝。请校准提供方的时钟；如果该时钟准确，请联系本站管理员。',
      "{refusals} {refusals|sign-in was|sign-ins were} refused because of the time. Correct the provider's clock; if it is right, ask an administrator of this site.",
    ],
  },
  sign_on_answer: {
    title: ['身份提供方的响应无法核实', "The identity provider's answer cannot be verified"],
    detail: [
      '{refusals} 次登录被拒绝。颁发者、客户端 ID 或签名密钥不一致（{reason}）。',
      '{refusals} {refusals|sign-in was|sign-ins were} refused. The issuer, client ID or signing key does not match ({reason}).',
    ],
  },
  sign_on_claim: {
    title: [
      '{count} 人的邮箱不能登录',
      '{count} {count|person|people} cannot sign in with their email address',
    ],
    detail: [
      '{name}[ 等 {count_more} 人][；{unverified} 人的邮箱未由提供方验证（email_verified）][；{foreign} 人的邮箱不在已验证的域名中]。',
      '{name}[ and {others} more][; {unverified} not verified by the provider (email_verified)][; {foreign} in no verified domain].',
    ],
  },
  domain_unproven: {
    title: ['{name} 的 TXT 记录不见了', 'The TXT record of {name} is gone'],
    detail: [
      '请恢复 {record}；否则从 {ends_at} 起，使用此域名邮箱的人不能再通过单点登录。',
      'Put {record} back, or nobody can sign in with this domain from {ends_at} on.',
    ],
  },
  domain_lost: {
    title: ['{name} 不再用于单点登录', '{name} is no longer used for single sign-on'],
    detail: [
      '它的 TXT 记录自 {gone_at} 起一直找不到。恢复记录并重新验证，或移除该域名。',
      'Its TXT record has been gone since {gone_at}. Put it back and verify again, or remove the domain.',
    ],
  },
  scim_unused: {
    title: [
      'SCIM 密钥 {name} [等 {count_more} 个]没有使用',
      'The SCIM {count|key|keys} {name}[ and {others} more] {count|is|are} not used',
    ],
    detail: [
      '{days} 天没有调用。请检查提供方的同步，或吊销密钥。',
      'No calls for {days} days. Check the provisioning at the provider, or revoke {count|it|them}.',
    ],
  },
  scim_refused: {
    title: [
      'SCIM 密钥 {name} 的 {refusals} 次请求被拒绝',
      '{refusals} {refusals|call|calls} with the SCIM key {name} {refusals|was|were} refused',
    ],
    detail: ['最近一次（{last_at}）：{reason}', 'Last {last_at}: {reason}'],
  },
  scim_revoked: {
    title: ['已吊销的 SCIM 密钥 {name} 仍在使用', 'The revoked SCIM key {name} is still used'],
    detail: [
      '提供方的 {refusals} 次请求被拒绝，成员不再同步。请在提供方填写新的密钥，或关闭同步。',
      '{refusals} {refusals|call|calls} refused: members are no longer synchronized. Enter another key at the provider, or turn its provisioning off.',
    ],
  },
};
