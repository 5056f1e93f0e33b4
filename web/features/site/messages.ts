/** Words of the public pages. */
import type { Messages } from '#web/i18n/rows.ts';

export default {
  home: {
    title: ['Home', '首页'],
    headline: ['One address for every model.', '一个地址，接入各家模型。'],
    lead: ['OpenAI compatible. Prepaid balance, billed by use, and every call can be accounted for.', '兼容 OpenAI 接口。预付额度，按量扣费，每次调用都有账可查。'],
    baseUrl: ['Base URL', 'Base URL'],
    copyBaseUrl: ['Copy the base URL', '复制 Base URL'],
    getKey: ['Get an API key', '获取令牌'],
    openConsole: ['Open the console', '进入控制台'],
    signIn: ['Sign in', '登录'],
    example: ['Example call', '调用示例'],
    copyExample: ['Copy the example', '复制示例'],
    stepsTitle: ['Three steps', '三步开始'],
    steps: {
      account: {
        title: ['Sign in or register', '登录或注册'],
        text: ['The console shows your balance and every call.', '用账户进入控制台，余额与用量都在那里。'],
      },
      token: {
        title: ['Create an API key', '创建令牌'],
        text: ['One per application, limited by quota, model and address if you like.', '为每个应用建一个令牌，可限额度、模型与来源地址。'],
      },
      point: {
        title: ['Change one line', '改一行配置'],
        text: ['Set the base URL of your client to the address above and paste your API key.', '把客户端的 Base URL 换成上面的地址，密钥换成令牌。'],
      },
    },
    facts: {
      title: ['This installation', '本站配置'],
      version: ['Version', '版本'],
      unit: ['Unit', '计费单位'],
      unitValue: ['$1 = {{quota}} quota', '$1 = {{quota}} 额度'],
      price: ['Top-up price', '充值价格'],
      priceValue: ['{{price}} per $1, from ${{minimum}}', '{{price}} / $1，最低 ${{minimum}}'],
      registration: ['Registration', '注册'],
      open: ['Open', '开放'],
      closed: ['Closed', '关闭'],
      verified: ['Open, with a verified email', '开放，需验证邮箱'],
      login: ['Sign in by', '登录方式'],
      password: ['Password', '密码'],
      separator: [', ', '、'],
    },
    notice: ['Notice', '公告'],
  },
  about: {
    title: ['About', '关于'],
    empty: ['{{name}} is a gateway for model APIs: one address for every model, prepaid and billed by use.', '{{name}} 是大模型 API 网关：一个地址接入各家模型，预付额度，按量扣费。'],
    version: ['Version', '版本'],
    api: ['API reference', '接口文档'],
    operator: ['The administrator can fill this page in the settings.', '管理员可以在设置中填写本页内容。'],
  },
} satisfies Messages;
