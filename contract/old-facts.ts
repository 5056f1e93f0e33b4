/**
 * Facts in other forms than that of facts.ts: the short codes of failed calls (`status 429 rate_limit_exceeded`), and rows of
 * earlier versions, which hold both languages (`每日签到奖励 / daily check-in`).
 */

export interface Fact {
  code: string;
  values: Readonly<Record<string, unknown>>;
}

/** Undefined for any other text. */
export function oldFact(text: string): Fact | undefined {
  if (text === RECOVERED) return { code: 'recovered', values: {} };
  return shortCode(text) ?? bilingualNote(text) ?? balanceBreach(text);
}

const RECOVERED = 'The call was interrupted; charged by its last checkpoint.';
const WORDS = new Set(['network', 'timeout', 'client_left', 'upstream_failed']);
const STREAM = /^stream (broken|timeout|error|client_left|quota|revoked|unavailable)$/;

function shortCode(text: string): Fact | undefined {
  if (WORDS.has(text)) return { code: text, values: {} };
  const [, ending] = STREAM.exec(text) ?? [];
  if (ending !== undefined) return { code: `stream_${ending}`, values: {} };
  const [, code] = /^refused (\w+)$/.exec(text) ?? [];
  if (code !== undefined) return { code: 'refused', values: { code } };
  const [, status, name = ''] = /^status (\d{3})(?: (\S.*))?$/s.exec(text) ?? [];
  return status === undefined ? undefined : { code: 'status', values: { status, name } };
}

/** The text of a suspension: the invariant, then both sums in units. */
function balanceBreach(text: string): Fact | undefined {
  const sums = /^a balance is the sum of its transfers: balance (-?\d+), transfers (-?\d+)$/.exec(text);
  if (sums === null) return undefined;
  return {
    code: 'balanceWrong',
    values: { balance_quota: Number(sums[1]), transfers_quota: Number(sums[2]) },
  };
}

/** By the Chinese and English beginning of a row. */
const HEADS = {
  topUp: '在线充值 / online top-up',
  refund: '订单退款，扣回额度 / order refunded, quota taken back',
  refundRefused: '退款未成功，退回额度 / refund refused, quota returned',
  disputed: '付款争议，冻结额度 / payment disputed, quota frozen',
  disputeEnded: '付款争议结束，退回额度 / dispute ended, quota returned',
  code: '通过兑换码充值 / redeemed a code',
  planOrder: '购买套餐 / plan bought',
  planFromBalance: '余额购买套餐 / plan bought from the balance',
  planGranted: '管理员赠送套餐 / plan granted by an administrator',
  inviteEarnings: '邀请额度划转到余额 / invite earnings moved to the balance',
  inviteReward: '邀请用户赠送额度 / reward for an invitation',
  signUp: '新用户注册赠送额度 / sign-up quota',
  invited: '使用邀请码赠送额度 / invited by a code',
  checkIn: '每日签到奖励 / daily check-in',
  dividends: '分红划转到余额 / dividends moved to the balance',
  withdrawal: '申请提现，预留分红 / withdrawal requested, dividends reserved',
  withdrawalRefused: '提现被拒绝，退回分红 / withdrawal refused, dividends returned',
  quotaAdded: '管理员增加额度 / quota added by an administrator',
  quotaTaken: '管理员减少额度 / quota taken by an administrator',
} as const;

/** What followed the head and a colon. */
const DETAILS: Partial<Record<keyof typeof HEADS, RegExp>> = {
  topUp: /^(?<price>[^,]+), (?<order>.+)$/,
  refund: /^(?<order>.+)$/,
  refundRefused: /^(?<order>.+)$/,
  disputed: /^(?<order>.+)$/,
  disputeEnded: /^(?<order>.+)$/,
  code: /^#(?<id>\d+) (?<name>.*)$/s,
  planOrder: /^(?<plan>.+), (?<price>[^,]+), (?<order>[^,]+)$/s,
  planFromBalance: /^(?<plan>.+), (?<quota>\d+)$/s,
  planGranted: /^(?<plan>.+)$/s,
  inviteEarnings: /^(?<quota>\d+)$/,
  inviteReward: /^(?<quota>\d+)$/,
  signUp: /^$/,
  invited: /^$/,
  checkIn: /^$/,
  dividends: /^(?<quota>\d+)$/,
  withdrawal: /^(?<quota>\d+)$/,
  withdrawalRefused: /^(?<quota>\d+)$/,
  quotaAdded: /^(?<quota>\d+)(?: \((?<reason>.*)\))?$/s,
  quotaTaken: /^(?<quota>\d+)(?: \((?<reason>.*)\))?$/s,
};

/** A row whose details do not have the known form keeps them: one language of its head, then the details unchanged. */
function bilingualNote(text: string): Fact | undefined {
  if (!text.includes(' / ')) return undefined;
  const code = (Object.keys(HEADS) as (keyof typeof HEADS)[]).find((each) =>
    // One head may begin with another one: the details are behind a colon or a bracket.
    [': ', ' ('].some((end) => `${text}: `.startsWith(HEADS[each] + end)),
  );
  if (code === undefined) return undefined;
  const rest = text.slice(HEADS[code].length);
  const found = DETAILS[code]?.exec(rest.replace(/^: /, ''));
  if (!found) {
    const [zh = '', en = ''] = HEADS[code].split(' / ');
    const words = {
      zh: zh + rest.replace(': ', '：'),
      en: en.charAt(0).toUpperCase() + en.slice(1) + rest,
    };
    return { code: 'oldNote', values: words };
  }
  const { quota, ...values } = found.groups ?? {};
  return { code, values: { ...values, ...(quota === undefined ? {} : { quota: Number(quota) }) } };
}
