// The jobs of money: audit, holds, orders, subscriptions, prices, corrections, fees.
import { alertNegativeMargins, bookPlanFees } from '#server/admin/margins/index.ts';
import type { MakeJob } from './parts.ts';

/** Idempotent: what a run has summed of the ledger is recorded with how far the sums reach. */
export const moneyAudit: MakeJob = ({ moneyAudit: audit }) => ({
  name: 'money-audit',
  title: { zh: '账目核对', en: 'Money audit' },
  description: {
    zh: '核对余额、预扣、流水与日志是否一致，不符时告警；余额经逐笔重算确认有误的用户会被暂停消费。',
    en: 'Checks balances, holds, ledger and logs against each other and alerts. Only a user whose balance is proven wrong is suspended.',
  },
  everySeconds: 300,
  lease: 'cluster',
  atStart: true,
  async run(signal) {
    const breaches = await audit.check(signal);
    const broken = [...new Set(breaches.map(({ invariant }) => invariant))];
    if (broken.length > 0) throw new Error(`broken: ${broken.join('; ')}`);
  },
});

/** Every node does this for itself: the spool of a process that ended lies on the disk of one machine. */
export const holdRecovery: MakeJob = ({ ledger }) => ({
  name: 'hold-recovery',
  title: { zh: '预扣恢复', en: 'Hold recovery' },
  description: {
    zh: '结算或退回已停止的进程留下的预扣额度，并补记其暂存的结算。',
    en: 'Settles or releases the holds of processes that ended, and books what they left in their spool.',
  },
  everySeconds: 10,
  lease: 'node',
  async run() {
    await ledger.recover();
  },
});

/** A node claims an order by moving the time of its next question; the order's status allows one credit. */
export const orderReconciliation: MakeJob = (parts) => ({
  name: 'order-reconciliation',
  title: { zh: '核对充值订单', en: 'Order reconciliation' },
  description: {
    zh: '向支付平台查询未完成的订单，补记丢失的回调，并关闭过期订单。',
    en: 'Asks the payment providers about unfinished orders, credits payments whose callback was lost, and closes expired orders.',
  },
  everySeconds: 15,
  lease: 'cluster',
  run: (signal) => parts.reconcileOrders(signal),
});

/** Every step checks the subscription's own row, so a run that lost its lease does nothing twice. */
export const subscriptions: MakeJob = (parts) => ({
  name: 'subscriptions',
  title: { zh: '订阅周期与续订', en: 'Subscription periods and renewals' },
  description: {
    zh: '结束已到期的周期并发放新额度，从余额续订，并在订阅即将结束和结束时通知用户。',
    en: 'Ends periods and grants new ones, renews from the balance, and notifies users whose subscription ends.',
  },
  everySeconds: 30,
  lease: 'cluster',
  run: (signal) => parts.advanceSubscriptions(signal),
});

/** Exactly once: the draft is claimed by a conditional update in the transaction that publishes it. */
export const pricePublication: MakeJob = (parts) => ({
  name: 'price-publication',
  title: { zh: '定时发布价格', en: 'Scheduled prices' },
  description: {
    zh: '到时间时发布已定时的价格草稿；服务器停机期间到期的在启动后几秒内发布。',
    en: 'Publishes price drafts when their time comes; those that came due while no server was running are published seconds after the next start.',
  },
  everySeconds: 5,
  lease: 'cluster',
  run: (signal) => parts.publishDuePrices(signal),
});

/** Idempotent: a price that was proposed or refused is not proposed again with the same numbers. */
export const priceLists: MakeJob = (parts) => ({
  name: 'price-lists',
  title: { zh: '读取外部价格表', en: 'Third-party price lists' },
  description: {
    zh: '读取选项 PriceListUrls 中的价格表，与本站不同的价格进入审核队列；不会改动任何价格。',
    en: 'Reads the price lists of the option PriceListUrls and queues prices that differ from ours for review; it changes no price.',
  },
  everySeconds: 86_400,
  lease: 'cluster',
  run: (signal) => parts.readPriceLists(signal),
});

export const RERATING_JOB = 'rerating';

/**
 * Exactly once: each part of a run is claimed by its row, in the transaction that books it. A run that was cut
 * continues.
 */
export const rerating: MakeJob = (parts) => ({
  name: RERATING_JOB,
  title: { zh: '重新计价', en: 'Re-rating' },
  description: {
    zh: '试算和入账：按另一个价格版本更正过去的调用。',
    en: 'Calculates and books corrections of past calls at another price version.',
  },
  // A request to rate or book waits for the next turn; without an open run a turn is one short query.
  everySeconds: 5,
  lease: 'cluster',
  run: (signal) => parts.continueReratings(signal),
});

/**
 * Idempotent: a fee is booked once for each channel and day, a notice is raised once a day for each channel and
 * model.
 */
export const margins: MakeJob = ({ store, settings }) => ({
  name: 'margins',
  title: { zh: '渠道月费与亏本提醒', en: 'Fees and margins' },
  description: {
    zh: '把渠道的月费记到每一天，并提醒亏本销售的模型。',
    en: 'Books the monthly fees of channels by day, and reports models that are sold below cost.',
  },
  everySeconds: 600,
  // A margin without the fees of its day looks better than it is.
  atStart: true,
  lease: 'cluster',
  async run() {
    await bookPlanFees({ store, settings });
    await alertNegativeMargins({ store, settings });
  },
});
