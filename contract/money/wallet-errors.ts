// Refusals about money that comes in: top-ups, refunds, check-in, resellers, plans. Part of `ERRORS`.
import { entry } from '#contract/error-entry.ts';

export const WALLET_ERRORS = {
  // online top-up
  top_up_disabled: entry(200, '管理员未开启在线充值！', 'The administrator has not enabled online top-up', 'no payment provider is configured'),
  top_up_too_small: entry(200, '充值数量不能小于{minimum}', 'The top-up amount cannot be less than {minimum}', 'amount below MinTopUp'),
  top_up_too_large: entry(200, '充值数量不能大于{maximum}', 'The top-up amount cannot be more than {maximum}', 'amount over the largest order'),
  top_up_price_too_low: entry(200, '充值金额过低，请增加充值数量', 'The price for this amount is too low to be paid. Enter a larger amount.', 'price rounds to nothing'),
  top_up_code_unknown: entry(200, '优惠码无效或已过期，请检查或留空', 'The promotion code is not valid or has expired. Check it, or leave it out.', 'promotion unknown or over'),
  top_up_method_unknown: entry(200, '该支付方式不可用，请选择其他方式', 'This payment method is not available. Choose another one.', 'method not offered'),
  top_up_too_many_open: entry(200, '未支付的订单过多，请先支付或等待其过期', 'You have too many unpaid orders. Pay one or wait until they expire.', 'open order limit'),
  payment_provider_failed: entry(200, '支付服务暂不可用，请稍后再试', 'The payment service is not available. Try again later.', 'provider refused or unreachable'),
  order_not_payable: entry(409, '订单状态已变化，请刷新后重试', 'The order has changed. Refresh and try again.', 'order is not pending or expired'),
  refund_too_large: entry(200, '可退金额不足，最多可退 {amount}', 'At most {amount} of this order can be refunded', 'refund over what is left of the order'),
  refund_quota_short: entry(200, '用户余额不足：需扣回 {quota} 额度，可用 {available}。请减少退款金额', 'The balance is too low: {quota} quota must be taken back, but {available} is available. Refund a smaller amount.', 'balance below the quota of the refund'),
  refund_failed: entry(200, '支付服务拒绝退款：{detail}', 'The payment service refused the refund: {detail}', 'provider refused the refund'),
  refund_not_endable: entry(409, '该退款已结束或仍在处理中，请刷新后重试', 'This refund has ended or is still being processed. Refresh and try again.', 'refund not pending, too young, or repeated by a job'),
  statement_not_ready: entry(503, '账单正在生成，请几分钟后再试', 'Your statement is being prepared. Try again in a few minutes.', 'too many ledger rows are not summed yet, or sums and balance differ'),
  check_in_disabled: entry(200, '管理员未开启每日签到', 'The daily check-in is not enabled', 'CheckInEnabled is off'),
  check_in_done: entry(200, '今天已经签到过了', 'You have already checked in today', 'check-in of the day is booked'),
  check_in_email_required: entry(200, '请先绑定邮箱再签到', 'Link an email address before you check in', 'account without a verified email'),

  // resellers
  not_an_agent: entry(200, '你不是代理商。如需开通，请联系管理员', 'You are not a reseller. Ask an administrator to become one.', 'no row in agents'),
  withdrawal_method_unknown: entry(200, '不支持该提现方式，请选择其他方式', 'This payout method is not available. Choose another one.', 'method not in WithdrawalMethods'),
  withdrawal_too_small: entry(200, '最低提现 {amount}', 'The minimum withdrawal is {amount}', 'withdrawal below the minimum'),
  dividend_quota_insufficient: entry(200, '分红余额不足，请减少金额', 'Your dividend balance is too low for this amount. Enter a smaller one.', 'dividend balance below the amount'),
  withdrawal_decided: entry(409, '该提现申请已被处理，请刷新后重试', 'This withdrawal has already been decided. Refresh and try again.', 'withdrawal is not in the expected state'),

  // plans
  plan_unavailable: entry(409, '该套餐已下架或已变更，请刷新后重试', 'This plan is no longer on sale or has changed. Refresh and try again.', 'plan gone, off sale, or not sold this way'),
  plan_limit_reached: entry(200, '每位用户最多购买 {limit} 次该套餐', 'You have reached the limit for this plan (purchases per user: {limit})', 'limit_per_user reached'),
  plan_quota_short: entry(200, '余额不足：需要 {price}，可用 {available}。请先充值', 'Your balance is too low: {price} is needed and {available} is available. Top up first.', 'balance below the price of the plan'),
  plan_no_price: entry(200, '请至少设置一种价格后再上架', 'Set at least one price before the plan goes on sale', 'plan on sale without a price'),
  plan_currency_unknown: entry(200, '该货币没有可用的支付方式，请换一种货币或先设置支付', 'No payment method is set up for this currency. Choose another currency, or set one up first.', 'currency of no configured method'),
  plan_periods_uneven: entry(200, '套餐时长必须是重置周期的整数倍', 'The duration must be a whole number of reset periods', 'duration does not divide into periods'),
  subscription_already_ended: entry(200, '该订阅已经结束', 'This subscription has already ended', 'end of an ended subscription'),
  subscription_not_renewable: entry(200, '该订阅不能续订', 'This subscription cannot be renewed', 'ended, renewed already, or plan gone'),

  // re-rating
  rerate_range_open: entry(200, '时间段必须在当前小时开始之前结束', 'The range must end before the current hour', 'range includes the running hour'),
  rerate_range_invalid: entry(200, '时间段不能为空，且最长为 {days} 天', 'The range must not be empty or longer than {days} days', 'range empty or too long'),
  rerate_version_missing: entry(200, '该价格版本不存在，请选择其他版本', 'This price version does not exist. Choose another one.', 'unknown price version'),
  rerate_not_ready: entry(200, '该试算尚未完成、已入账或已放弃', 'This dry run is not finished, or was already booked or discarded', 'run not in state ready'),
  rerate_not_applied: entry(200, '只有已入账的重新计价可以撤销', 'Only a booked re-rating can be undone', 'run not in state applied'),
  rerate_stale: entry(409, '试算之后数据已变化，请重新试算', 'The data has changed since the dry run. Run it again.', 'fingerprint or confirmed figures differ'),
  rerate_busy: entry(409, '重新计价 #{run} 正在入账，请等待其完成', 'Re-rating #{run} is being booked. Wait until it ends.', 'another run is applying'),
  rerate_later_run: entry(200, '之后的重新计价 #{run} 又更正了其中的部分调用，请先撤销它', 'Re-rating #{run} later corrected some of these calls. Undo that one first.', 'a later run touched the same calls'),
};
