// The Chinese of what must be true of the money. The English is the name of the invariant, as the ledger's checks and
// `tollgate audit` have it; a test compares this table with their list.
import type { Language } from '#contract/language.ts';

export const INVARIANTS_ZH: Readonly<Record<string, string>> = {
  'a balance is the sum of its transfers': '余额等于其账目之和',
  'an invite balance is the sum of its transfers': '邀请余额等于其账目之和',
  'the quota of subscriptions is the sum of its transfers': '订阅额度等于其账目之和',
  'the quota of each subscription is the sum of its account': '每个订阅的额度等于其账户的账目之和',
  'a dividend balance is the sum of its transfers': '分红余额等于其账目之和',
  'the used total is the sum of the charges': '已用额度等于扣费之和',
  'the hourly figures are the sum of the charges': '每小时的用量等于扣费之和',
  'the kept sums are the sums of the ledger': '保存的合计等于账目的合计',
  'every transfer moves an amount between two known accounts': '每笔账目都在两个已知账户之间转移一笔金额',
  'a log row shows what was charged': '日志显示的金额就是扣费的金额',
  'a logged charge has its log row': '应记入日志的扣费都有日志记录',
  'paid orders and top-ups match one to one': '已付款的订单与充值入账一一对应',
  'refunds and their entries match one to one': '退款与其账目一一对应',
  'a user is rewarded for one check-in a day': '每个用户每天只有一次签到奖励',
  'used codes and redemptions match one to one': '已使用的兑换码与兑换入账一一对应',
  'subscriptions and what was paid for them match one to one': '订阅与其付款一一对应',
  'dividend records and their entries match one to one': '分红记录与其账目一一对应',
  'withdrawals and their entries match one to one': '提现与其账目一一对应',
  'disputes and their entries match one to one': '付款争议与其账目一一对应',
  'what a hold did not cover belongs to its call': '预扣不足的部分属于同一次调用',
  'notes of re-rating and their entries match one to one': '重新计价的记录与其账目一一对应',
  'a note of re-rating is the sum of its corrected calls': '重新计价的记录等于其更正的调用之和',
  'a corrected log row shows its last correction': '更正过的日志显示最后一次更正',
  'every key is booked once': '每笔账目只入账一次',
  'what a user has on hold is the sum of its holds': '用户的预扣额度等于其预扣之和',
  'what a user has on hold in subscriptions is the sum of its holds': '用户在订阅中的预扣额度等于其预扣之和',
  'what a subscription has on hold is the sum of its holds': '订阅的预扣额度等于其预扣之和',
  'an ended subscription has only what its last calls hold': '已结束的订阅只剩最后几次调用的预扣',
  'what a token has on hold is the sum of its holds': '令牌的预扣额度等于其预扣之和',
  'what a budget has on hold is the sum of its holds': '预算的预扣额度等于其预扣之和',
  'what is spent of a budget is the sum of its calls': '预算已用的额度等于其调用的扣费之和',
  'the figures of members, service accounts and projects are the sums of the log':
    '成员、服务账号和项目的统计等于其日志之和',
  'the usage reports of members, service accounts and projects are the sums of the log':
    '成员、服务账号和项目的用量报表等于其日志之和',
  'what moves out of a balance moves into another': '从一个余额转出的额度转入了另一个余额',
  'holds stay between zero and the balance': '预扣额度不小于零，也不大于余额',
  'no hold outlives its time': '预扣不会超过其时限',
  'what an agent owes is the sum of its records': '代理商所欠的金额等于其记录之和',
};

/** An invariant of a newer version has its English name. */
export const invariantWords = (language: Language, invariant: string): string =>
  language === 'zh' ? (INVARIANTS_ZH[invariant] ?? invariant) : invariant;
