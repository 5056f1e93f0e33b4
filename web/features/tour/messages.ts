import type { Messages } from '#web/i18n/rows.ts';

export default {
  label: ['Tour of the demo', '演示导览'],
  offer: {
    title: ['Have a look around?', '要四处看看吗？'],
    text: ['A one-minute tour of the main pages. All data here is made up. Change what you like; a restart resets it.', '一分钟看完主要页面。这里的数据都是虚构的，随便改，重新启动后恢复原样。'],
  },
  start: ['Start', '开始'],
  skip: ['No, thanks', '不用了'],
  next: ['Next', '下一步'],
  back: ['Back', '上一步'],
  end: ['End the tour', '结束导览'],
  count: ['Step {{at}} of {{total}}', '第 {{at}} 步，共 {{total}} 步'],
  dashboard: {
    title: ['Dashboard', '数据看板'],
    text: ['Thirty days of traffic: spend by model, response times, failure causes and top users. Click a chart to see its log rows.', '三十天的流量：按模型的花费、响应时间、失败原因和用量最多的用户。点击图表可以跳到对应的日志。'],
  },
  channel: {
    title: ['Channels', '渠道'],
    text: ['A channel is a key at an upstream. If one fails, the call goes to the next. The one with a wrong key was disabled automatically.', '每个渠道是一个上游的密钥。一个渠道出错时，调用会换到下一个。密钥错误的渠道已经被自动禁用。'],
  },
  log: {
    title: ['Logs', '日志'],
    text: ['Open any row: its charge is written out as an equation, and administrators see every attempt. New calls keep arriving while you read.', '打开任意一行：费用写成一道算式，管理员还能看到每次尝试。演示中的调用仍在继续，新的行会出现。'],
  },
  wallet: {
    title: ['Wallet', '钱包'],
    text: ["Users top up, redeem codes and read statements here. The demo's payment page is a mock: clicking Pay credits the order.", '用户在这里充值、兑换、查看账单。演示的支付页是模拟的：点“支付”就到账。'],
  },
  playground: {
    title: ['Playground', '操练场'],
    text: ['Ask something. The mock upstream streams an answer, and the call appears in the log.', '问点什么。模拟的上游会流式回答，随后日志里就有这次调用。'],
  },
  token: {
    title: ['API keys', '令牌'],
    text: ['Programs call the API with an API key. The Connect wizard writes the configuration for each client.', '令牌就是调用接口的密钥。“接入”向导会生成各客户端的配置。'],
  },
} satisfies Messages;
