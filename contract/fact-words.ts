/**
 * The sentences of stored facts, Chinese and English. `{name}` is a value of the fact; a part in square brackets is left out
 * where its value is empty. A value whose name ends in `quota` is units and shown as the installation shows amounts; a value
 * named `failure` is a fact itself.
 */

/** What a log row says about money that did not come from a call. */
const MONEY = {
  topUp: ['在线充值：{price}，订单 {order}', 'Online top-up: {price}, order {order}'],
  refund: ['订单退款，扣回额度：{order}', 'Order refunded, quota taken back: {order}'],
  refundRefused: ['退款未成功，退回额度：{order}', 'Refund refused, quota returned: {order}'],
  disputed: ['付款争议，冻结额度：{order}', 'Payment disputed, quota frozen: {order}'],
  disputeEnded: ['付款争议结束，退回额度：{order}', 'Dispute ended, quota returned: {order}'],
  code: ['通过兑换码充值：#{id} {name}', 'Redeemed a code: #{id} {name}'],
  planOrder: ['购买套餐：{plan}，{price}，订单 {order}', 'Plan bought: {plan}, {price}, order {order}'],
  planFromBalance: ['余额购买套餐：{plan}，{quota}', 'Plan bought from the balance: {plan}, {quota}'],
  planGranted: ['管理员赠送套餐：{plan}', 'Plan granted by an administrator: {plan}'],
  inviteEarnings: ['邀请额度划转到余额：{quota}', 'Invite earnings moved to the balance: {quota}'],
  inviteReward: ['邀请用户赠送额度：{quota}', 'Reward for an invitation: {quota}'],
  signUp: ['新用户注册赠送额度', 'Sign-up quota'],
  invited: ['使用邀请码赠送额度', 'Reward for using an invite code'],
  checkIn: ['每日签到奖励', 'Daily check-in'],
  dividends: ['分红划转到余额：{quota}', 'Dividends moved to the balance: {quota}'],
  withdrawal: ['申请提现，冻结分红：{quota}', 'Withdrawal requested, dividends frozen: {quota}'],
  withdrawalRefused: ['提现被拒绝，退回分红：{quota}', 'Withdrawal refused, dividends returned: {quota}'],
  quotaAdded: [
    '管理员增加额度：{quota}[（{reason}）]',
    'Quota added by an administrator: {quota}[ ({reason})]',
  ],
  quotaTaken: [
    '管理员减少额度：{quota}[（{reason}）]',
    'Quota taken by an administrator: {quota}[ ({reason})]',
  ],
  recovered: [
    '调用中断，按最后记录的进度扣费',
    'The call was interrupted; charged up to its last checkpoint',
  ],
  /** A row of an earlier version whose details have no known form. */
  oldNote: ['{zh}', '{en}'],
  balanceWrong: [
    '余额 {balance_quota} 与账目之和 {transfers_quota} 不符',
    'The balance is {balance_quota}, but its transfers sum to {transfers_quota}',
  ],
} as const;

/** Why a call failed: the content of its log row, and the error of an attempt. */
const CALLS = {
  status: ['上游返回状态码 {status}[（{name}）]', 'The upstream answered with status {status}[ ({name})]'],
  network: ['与上游的连接失败', 'The connection to the upstream failed'],
  timeout: ['上游没有及时响应', 'The upstream did not answer in time'],
  client_left: ['客户端在响应前断开', 'The client disconnected before the answer'],
  upstream_failed: ['上游服务异常', 'The upstream failed'],
  refused: ['调用被拒绝（{code}）', 'The call was refused ({code})'],
  stream_broken: ['上游中断了流式响应', 'The upstream broke off the stream'],
  stream_timeout: ['流式响应超时', 'The stream timed out'],
  stream_error: ['流式响应中出现错误', 'An error occurred in the stream'],
  stream_client_left: ['客户端在流式响应中断开', 'The client disconnected during the stream'],
  stream_quota: ['流式响应期间额度用尽', 'The quota ran out during the stream'],
  stream_unavailable: ['流式响应期间数据库不可用', 'The database was unavailable during the stream'],
  stream_revoked: ['流式响应期间令牌已禁用', 'The API key was revoked during the stream'],
} as const;

/** Tests of channels, and why they failed. `words` are the upstream's own. */
const CHANNELS = {
  channelTest: ['渠道测试 #{id} {name}：{milliseconds} 毫秒', 'Channel test #{id} {name}: {milliseconds} ms'],
  channelTestFailed: ['渠道测试 #{id} {name}：{failure}', 'Channel test #{id} {name}: {failure}'],
  supplierProbe: [
    '供应商检测 #{id} {name}：{milliseconds} 毫秒',
    'Supplier probe #{id} {name}: {milliseconds} ms',
  ],
  supplierProbeFailed: ['供应商检测 #{id} {name}：{failure}', 'Supplier probe #{id} {name}: {failure}'],
  upstreamSaid: ['上游返回 {status}[：{words}]', 'The upstream answered {status}[: {words}]'],
  noAnswer: ['上游返回了 {status}，但没有回答内容', 'The upstream answered {status}, but without content'],
  missingField: [
    '上游返回了 {status}，但缺少 {field}',
    'The upstream answered {status}, but without {field}',
  ],
  unreadable: [
    '无法读取上游的响应（{status}）[：{words}]',
    'The answer ({status}) cannot be read[: {words}]',
  ],
  noBalance: ['上游的响应中没有余额', 'There is no balance in the answer'],
  connection_connect: ['无法连接上游', 'The upstream cannot be reached'],
  connection_proxy: [
    '无法通过代理连接上游[（{status}）]',
    'The proxy did not reach the upstream[ ({status})]',
  ],
  connection_certificate: [
    '上游的证书未通过验证[（{words}）]',
    'The certificate could not be verified[ ({words})]',
  ],
  connection_closed: ['上游提前关闭了连接', 'The upstream closed the connection too early'],
  connection_format: ['上游的响应不是有效的 HTTP', "The upstream's answer is not valid HTTP"],
  connection_timeout: ['上游没有及时响应', 'The upstream did not answer in time'],
  connection_too_large: ['上游的响应过大', "The upstream's answer is too large"],
  connection_aborted: ['测试已停止', 'The test was stopped'],
  egress_bad_url: [
    '必须是不含用户名和密码的 http 或 https 地址',
    'it must be http or https, without a user name and password',
  ],
  egress_bad_proxy: ['代理地址不正确', 'the address of the proxy is not valid'],
  egress_private_address: [
    '{name} 在内网中，默认不允许访问；超级管理员可以放行',
    '{name} is in a private network and not allowed by default; the super admin can allow it',
  ],
  egress_forbidden_address: [
    '{name} 指向永远不允许访问的地址',
    '{name} resolves to an address that is never allowed',
  ],
  egress_forbidden_host: [
    '{name} 不在环境变量 EGRESS_ALLOW 允许访问的主机之中',
    '{name} is not among the hosts that the environment variable EGRESS_ALLOW allows',
  ],
  egress_forbidden_port: ['{name}：只能使用 80 和 443 端口', '{name}: only the ports 80 and 443 are allowed'],
  egress_forbidden_header: ['不允许设置请求头 {name}', 'the header {name} may not be set'],
  egress_unresolved: ['找不到主机 {name}', 'the host {name} cannot be found'],
  egress_unpinned_origin: [
    '{name} 不在设置里的服务地址之中',
    '{name} is not one of the services in the settings',
  ],
} as const;

/** Why a task failed, where the upstream said nothing itself. */
const TASKS = {
  taskInterrupted: ['提交被中断', 'The submission was interrupted'],
  taskUnconfirmed: ['上游没有确认提交', 'The upstream did not confirm the submission'],
  taskChannelGone: ['渠道已不存在', 'The channel no longer exists'],
  drawingFailed: ['上游未能完成绘图', 'The upstream could not finish the drawing'],
  drawingLate: ['绘图未在时限内完成', 'The drawing was not finished in time'],
  musicFailed: ['上游未能生成音乐', 'The upstream could not finish the music'],
  musicLate: ['音乐未在时限内完成', 'The music was not finished in time'],
  videoFailed: ['上游未能生成视频', 'The upstream could not generate the video'],
  videoLate: ['视频未在时限内完成', 'The video was not finished in time'],
  videoLost: ['上游丢失了该视频', 'The upstream has lost the video'],
  videoCancelled: ['视频已取消', 'The video was cancelled'],
  batchExpired: ['批处理在全部请求完成前已过期', 'The batch expired before every request was answered'],
  batchCancelled: ['批处理已取消', 'The batch was cancelled'],
  batchRefused: ['批处理被拒绝', 'The batch was refused'],
  batchLate: ['批处理未在时限内完成', 'The batch was not finished in time'],
} as const;

/** Payments that need a person. */
const PAYMENTS = {
  paymentWithoutOrder: ['没有这个订单', 'Order not found'],
  paymentMismatch: ['未入账：{failure}', 'Not credited: {failure}'],
  otherProvider: ['订单属于 {expected}，而不是 {found}', 'the order belongs to {expected}, not to {found}'],
  otherCurrency: ['币种应为 {expected}，实际为 {found}', '{found} instead of {expected}'],
  otherAmount: ['金额应为 {expected}，实际为 {found}', '{found} instead of {expected}'],
  otherPayment: ['另一笔付款：{reference}', 'another payment: {reference}'],
  nothingPaid: ['没有付款', 'nothing was paid'],
  noPaymentPage: ['支付平台没有给出付款页面', 'the provider returned no payment page'],
  paymentProviderRefused: ['{provider} 没有接受订单', '{provider} did not accept the order'],
  refundUnknown: ['退款 {id} 的结果未知', 'The outcome of refund {id} is not known'],
  refundFailedOutside: [
    '在 {provider} 发起的退款 {reference}（{amount}）失败[：{words}]',
    'The refund {reference} of {amount} made at {provider} failed[: {words}]',
  ],
  refundedOutside: [
    '已在 {provider} 退款 {amount}；请在订单页面登记',
    'Refunded at {provider}: {amount}; record it on the orders page',
  ],
  disputeWithoutOrder: [
    '争议 {reference} 的付款没有对应的订单：{payment}',
    'The dispute {reference} concerns a payment without an order: {payment}',
  ],
} as const;

/** Why a mail could not be handed over, with what to change. The label of the setting is that of contract/settings.ts. */
const MAILS = {
  mailPlainPort: [
    '端口 {port} 不是从一开始就使用 SSL：请关闭“启用 SMTP SSL”，或把端口改为 {ssl_port}',
    'port {port} does not use SSL from the start: turn “Use SSL for SMTP” off, or use port {ssl_port}',
  ],
  mailSilentPort: [
    '端口 {port} 没有响应，可能从一开始就需要 SSL：请开启“启用 SMTP SSL”，或把端口改为 587',
    'port {port} does not answer; it may expect SSL from the start: turn “Use SSL for SMTP” on, or use port 587',
  ],
  mailNoServer: [
    '{host} 的端口 {port} 没有邮件服务：请检查服务器地址和端口',
    'no mail server listens on port {port} of {host}: check server and port',
  ],
  mailUnknownHost: [
    '找不到邮件服务器 {host}：请检查服务器地址',
    'the mail server {host} does not exist: check its name',
  ],
  mailCertificate: [
    '不信任 {host} 的证书（{code}）：请使用证书上的服务器名称，或信任签发它的机构',
    'the certificate of {host} is not trusted ({code}): use the name on the certificate, or trust its authority',
  ],
  mailLate: ['邮件服务器没有及时完成接收', 'the mail server took too long'],
} as const;

/** Why a job failed: an error of the interface, in both languages. */
const JOBS = { appError: ['{zh}', '{en}'] } as const;

export const FACT_WORDS = {
  ...MONEY,
  ...CALLS,
  ...CHANNELS,
  ...TASKS,
  ...PAYMENTS,
  ...MAILS,
  ...JOBS,
} as const;
