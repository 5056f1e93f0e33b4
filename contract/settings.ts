// The settings registry: one line per option drives validation, typed access, visibility and the form.
// Adding a setting is adding a line (docs/guides/add-a-setting.md).
import { address, chatLinks, choice, decimal, descriptions, integer, json, lines, list, multiline, ratios, secret, text, timeZone, toggle, type Setting } from './setting-kinds.ts';
import { topUpPresets, topUpPromotions } from './top-up-settings.ts';

export const SETTINGS = {
  // Login and registration switches
  PasswordLoginEnabled: toggle(true, 'login', ['允许通过密码进行登录', 'Allow login by password']),
  PasswordRegisterEnabled: toggle(true, 'login', ['允许通过密码进行注册', 'Allow registration by password']),
  EmailVerificationEnabled: toggle(false, 'login', ['通过密码注册时需要进行邮箱验证', 'Verify the email when registering by password'], 'public'),
  GitHubOAuthEnabled: toggle(false, 'login', ['允许通过 GitHub 账户登录与注册', 'Allow login and registration by GitHub'], 'public'),
  LinuxDOOAuthEnabled: toggle(false, 'login', ['允许通过 LinuxDO 账户登录与注册', 'Allow login and registration by LinuxDO'], 'public'),
  WeChatAuthEnabled: toggle(false, 'login', ['允许通过微信登录与注册', 'Allow login and registration by WeChat'], 'public'),
  TelegramOAuthEnabled: toggle(false, 'login', ['允许通过 Telegram 进行登录', 'Allow login by Telegram'], 'public'),
  OIDCEnabled: toggle(false, 'login', ['允许通过 OIDC 登录与注册', 'Allow login and registration by OIDC'], 'public'),
  TurnstileCheckEnabled: toggle(false, 'login', ['启用 Turnstile 用户校验', 'Enable the Turnstile human check'], 'public'),
  RegisterEnabled: toggle(true, 'login', ['允许新用户注册', 'Allow new users to register'], 'public'),
  AdminTwoFactorRequired: toggle(false, 'login', ['管理员必须启用两步验证或通行密钥', 'Administrators must use two-factor or a passkey']),
  EmailDomainRestrictionEnabled: toggle(false, 'email', ['启用邮箱域名白名单', 'Restrict registration to listed email domains']),
  EmailAliasRestrictionEnabled: toggle(false, 'email', ['启用邮箱别名限制', 'Refuse email aliases (+ and . in the name)']),
  EmailDomainWhitelist: list(['gmail.com', '163.com', '126.com', 'qq.com', 'outlook.com', 'hotmail.com', 'icloud.com', 'yahoo.com', 'foxmail.com'], 'email', ['允许的邮箱域名', 'Allowed email domains']),
  EmailCodeMinutes: integer(10, 'email', ['邮箱验证码有效期（分钟）', 'Validity of an email code (minutes)'], { min: 1, max: 1440 }),
  ResetLinkMinutes: integer(15, 'email', ['密码重置链接有效期（分钟）', 'Validity of a reset link (minutes)'], { min: 1, max: 1440 }),

  // Addresses and payment
  ServerAddress: address('http://localhost:3000', 'address', ['服务器地址', 'Server address'], 'public'),
  WorkerUrl: address('', 'worker', ['代理 Worker 地址', 'Proxy worker address']),
  WorkerValidKey: secret('worker', ['代理 Worker 密钥', 'Proxy worker key']),
  PayAddress: address('', 'payment', ['支付地址', 'Payment address']),
  EpayId: text('', 'payment', ['易支付商户 ID', 'Epay merchant id']),
  EpayKey: secret('payment', ['易支付商户密钥', 'Epay merchant key']),
  CustomCallbackAddress: address('', 'payment', ['回调地址', 'Callback address']),
  Price: decimal(7.3, 'payment', ['充值价格（每美元）', 'Top-up price per dollar'], { min: 0 }, 'public'),
  MinTopUp: integer(1, 'payment', ['最低充值美元数量', 'Smallest top-up in dollars'], { min: 1 }, 'public'),
  EpayMethods: list(['zfb', 'wx'], 'payment', ['易支付方式（zfb 支付宝，wx 微信）', 'Epay methods (zfb: Alipay, wx: WeChat)']),
  StripeAddress: address('https://api.stripe.com', 'payment', ['Stripe 接口地址', 'Stripe API address']),
  StripeApiSecret: secret('payment', ['Stripe 密钥', 'Stripe secret key']),
  StripeWebhookSecret: secret('payment', ['Stripe Webhook 签名密钥', 'Stripe webhook signing secret']),
  StripeCurrency: choice(['usd', 'eur', 'gbp', 'cny', 'hkd', 'jpy', 'sgd', 'aud', 'cad'], 'usd', 'payment', ['Stripe 收款货币', 'Currency of Stripe payments']),
  StripePrice: decimal(1, 'payment', ['Stripe 充值价格（每美元）', 'Stripe price per dollar'], { min: 0 }),
  TopUpPresets: json(topUpPresets, [{ amount: 5 }, { amount: 10 }, { amount: 50 }, { amount: 100 }], 'payment', ['充值金额选项（可带折扣）', 'Top-up amounts to choose from (with optional discount)']),
  TopUpPromotions: json(topUpPromotions, {}, 'payment', ['充值优惠码', 'Top-up promotion codes']),
  OrderMinutes: integer(60, 'payment', ['订单有效期（分钟）', 'Minutes until an unpaid order expires'], { min: 30, max: 1440 }),
  TopupGroupRatio: json(ratios, { default: 1, vip: 1, svip: 1 }, 'payment', ['充值分组倍率', 'Top-up group ratios']),
  SellerName: text('', 'payment', ['收据上的销售方名称（空则为系统名称）', 'Seller on receipts (the system name when empty)']),
  SellerAddress: multiline('payment', ['收据上的销售方地址', 'Address of the seller on receipts']),
  SellerTaxNumber: text('', 'payment', ['收据上的税号', 'Tax number on receipts']),

  // Resellers
  DividendBasis: choice(['payment', 'spend'], 'payment', 'agents', ['分红依据（被邀请用户的充值或消费）', 'Dividends are a share of what invited users pay or spend']),
  DividendSecondLevelPercent: decimal(0, 'agents', ['二级分红比例（%，0 为关闭）', 'Second-level dividend for the inviter of the inviter (%, 0 = off)'], { min: 0, max: 100 }),
  WithdrawalMethods: list(['alipay', 'wechat', 'bank', 'usdt'], 'agents', ['提现方式（留空则关闭提现）', 'Ways to withdraw dividends (empty: no withdrawals)']),
  WithdrawalMinimum: decimal(10, 'agents', ['最低提现美元数量', 'Smallest withdrawal in dollars'], { min: 0, max: 1_000_000 }),
  WithdrawalFeePercent: decimal(0, 'agents', ['提现手续费（%）', 'Withdrawal fee (%)'], { min: 0, max: 99 }),

  // Mail
  SMTPServer: text('', 'smtp', ['SMTP 服务器地址', 'SMTP server']),
  SMTPPort: integer(587, 'smtp', ['SMTP 端口', 'SMTP port'], { min: 1, max: 65_535 }),
  SMTPAccount: text('', 'smtp', ['SMTP 账户', 'SMTP account']),
  SMTPFrom: text('', 'smtp', ['SMTP 发送者邮箱', 'SMTP sender address']),
  SMTPToken: secret('smtp', ['SMTP 访问凭证', 'SMTP password']),
  SMTPSSLEnabled: toggle(false, 'smtp', ['启用 SMTP SSL', 'Use SSL for SMTP']),

  // Outside logins
  GitHubClientId: text('', 'github', ['GitHub Client ID', 'GitHub client id'], 'public'),
  GitHubClientSecret: secret('github', ['GitHub Client Secret', 'GitHub client secret']),
  GitHubAddress: address('https://github.com', 'github', ['GitHub 地址（企业版填写自己的地址）', 'GitHub address (your own for GitHub Enterprise)']),
  LinuxDOClientId: text('', 'linuxdo', ['LinuxDO Client ID', 'LinuxDO client id'], 'public'),
  LinuxDOClientSecret: secret('linuxdo', ['LinuxDO Client Secret', 'LinuxDO client secret']),
  LinuxDOAddress: address('https://connect.linux.do', 'linuxdo', ['LinuxDO Connect 地址', 'LinuxDO Connect address']),
  LinuxDOMinimumTrustLevel: integer(0, 'linuxdo', ['LinuxDO 最低信任等级', 'Lowest LinuxDO trust level'], { min: 0, max: 4 }),
  WeChatServerAddress: address('', 'wechat', ['WeChat Server 服务器地址', 'WeChat server address']),
  WeChatServerToken: secret('wechat', ['WeChat Server 访问凭证', 'WeChat server token']),
  WeChatAccountQRCodeImageURL: text('', 'wechat', ['微信公众号二维码图片链接', 'WeChat account QR code image'], 'public'),
  TelegramBotToken: secret('telegram', ['Telegram Bot Token', 'Telegram bot token']),
  TelegramBotName: text('', 'telegram', ['Telegram Bot 名称', 'Telegram bot name'], 'public'),
  OIDCName: text('OIDC', 'oidc', ['OIDC 显示名称', 'Name shown for OIDC'], 'public'),
  OIDCIssuer: address('', 'oidc', ['OIDC Issuer 地址', 'OIDC issuer']),
  OIDCClientId: text('', 'oidc', ['OIDC Client ID', 'OIDC client id']),
  OIDCClientSecret: secret('oidc', ['OIDC Client Secret', 'OIDC client secret']),
  OIDCScopes: text('openid profile email', 'oidc', ['OIDC Scopes', 'OIDC scopes']),
  TurnstileSiteKey: text('', 'turnstile', ['Turnstile Site Key', 'Turnstile site key'], 'public'),
  TurnstileSecretKey: secret('turnstile', ['Turnstile Secret Key', 'Turnstile secret key']),
  TurnstileServerAddress: address('https://challenges.cloudflare.com', 'turnstile', ['Turnstile 校验服务器地址', 'Turnstile verification server']),

  // Content
  Notice: multiline('content', ['公告', 'Notice'], 'public'),
  SystemName: text('Tollgate', 'content', ['系统名称', 'System name'], 'public'),
  Logo: text('/logo.png', 'content', ['Logo 图片地址', 'Logo address'], 'public'),
  HomePageContent: multiline('content', ['首页内容', 'Home page content'], 'public'),
  About: multiline('content', ['关于', 'About'], 'public'),
  Footer: multiline('content', ['页脚', 'Footer'], 'public'),
  TopUpLink: text('', 'general', ['充值链接', 'Top-up link'], 'public'),
  ChatLink: text('', 'general', ['默认聊天页面链接', 'Default chat link'], 'public'),
  ChatLink2: text('', 'general', ['聊天页面 2 链接', 'Second chat link'], 'public'),

  // Quota and display
  QuotaPerUnit: decimal(500_000, 'general', ['单位美元额度', 'Quota per dollar'], { min: 1, max: 1e12 }, 'public'),
  StrictConversionEnabled: toggle(false, 'general', ['严格转换（格式转换会丢失内容时拒绝调用）', 'Strict conversion (refuse calls that would lose something between two formats)']),
  RetryTimes: integer(2, 'general', ['失败重试次数', 'Retries after a failure'], { min: 0, max: 20 }),
  DisplayInCurrencyEnabled: toggle(true, 'general', ['以货币形式显示额度', 'Show quota as currency'], 'public'),
  DisplayTokenStatEnabled: toggle(true, 'general', ['Billing 相关 API 显示令牌额度而非用户额度', 'Billing calls show the token, not the account']),
  DefaultCollapseSidebar: toggle(false, 'general', ['默认折叠侧边栏', 'Collapse the side menu by default'], 'public'),
  DemoSiteEnabled: toggle(false, 'general', ['演示站点模式', 'Demo site'], 'public'),
  SelfUseModeEnabled: toggle(false, 'general', ['自用模式（未设置价格的模型也可调用）', 'Self-use mode (models without a price may be called)']),
  TaskEnabled: toggle(true, 'general', ['启用异步任务功能', 'Enable async tasks'], 'public'),

  // Drawing
  DrawingEnabled: toggle(true, 'drawing', ['启用绘图功能', 'Enable drawing'], 'public'),
  MjNotifyEnabled: toggle(false, 'drawing', ['允许回调（会泄露服务器 IP 地址）', 'Allow callbacks (reveals the server address)'], 'public'),
  MjAccountFilterEnabled: toggle(false, 'drawing', ['允许 AccountFilter 参数', 'Allow the AccountFilter parameter']),
  MjForwardUrlEnabled: toggle(true, 'drawing', ['开启之后将上游地址替换为服务器地址', 'Replace upstream image addresses with our own']),
  MjModeClearEnabled: toggle(false, 'drawing', ['清除提示词中的 --fast、--relax、--turbo 参数', 'Strip --fast, --relax and --turbo from prompts']),
  MjActionCheckSuccessEnabled: toggle(true, 'drawing', ['检测必须等待绘图成功才能进行放大等操作', 'Follow-up actions need a finished drawing']),

  // Sensitive words
  CheckSensitiveEnabled: toggle(true, 'sensitive', ['启用屏蔽词过滤功能', 'Filter sensitive words']),
  CheckSensitiveOnPromptEnabled: toggle(true, 'sensitive', ['启用 Prompt 检查', 'Check prompts']),
  SensitiveWords: lines([], 'sensitive', ['屏蔽词列表，一行一个', 'Sensitive words, one per line']),

  // Logs and dashboard
  LogConsumeEnabled: toggle(true, 'logs', ['启用额度消费日志记录', 'Keep consumption logs']),
  LogRetentionDays: integer(0, 'logs', ['日志保留天数（0 为永久保留）', 'Days to keep logs (0: for ever)'], { min: 0, max: 36_500 }),
  DataExportEnabled: toggle(true, 'dashboard', ['启用数据看板', 'Enable the dashboard'], 'public'),
  DataExportInterval: integer(5, 'dashboard', ['数据看板更新间隔（分钟）', 'Dashboard refresh interval (minutes)'], { min: 1, max: 1440 }),
  DataExportDefaultTime: choice(['hour', 'day', 'week'], 'hour', 'dashboard', ['数据看板默认时间粒度', 'Default dashboard granularity'], 'public'),

  // Monitoring
  ChannelDisableThreshold: decimal(30, 'monitoring', ['测试所有渠道的最长响应时间（秒）', 'Longest response time when testing channels (seconds)'], { min: 0 }),
  QuotaRemindThreshold: integer(1000, 'monitoring', ['额度提醒阈值', 'Low-balance reminder threshold']),
  AutomaticDisableChannelEnabled: toggle(true, 'monitoring', ['失败时自动禁用通道', 'Disable a channel automatically when it fails']),
  AutomaticEnableChannelEnabled: toggle(true, 'monitoring', ['成功时自动启用通道', 'Enable a channel automatically when it succeeds']),
  AutomaticDisableKeywords: lines(['Your credit balance is too low', 'This organization has been disabled.', 'You exceeded your current quota', 'Permission denied', 'The security token included in the request is invalid', 'Operation not allowed', 'Your account is not authorized'], 'monitoring', [
    '自动禁用关键词，一行一个，不区分大小写',
    'Keywords that disable a channel, one per line, any case',
  ]),

  // Notices
  TokenExpiryNoticeDays: integer(3, 'notices', ['令牌到期前多少天提醒（0 为不提醒）', 'Days before a token expires that its owner is notified (0: never)'], { min: 0, max: 90 }),
  UpstreamBalanceThreshold: decimal(0, 'notices', ['上游余额低于多少美元时提醒运维（0 为不提醒）', 'Balance of an upstream in dollars below which the operators are notified (0: never)'], { min: 0, max: 1e9 }),
  UserNoticePrivateAddressEnabled: toggle(false, 'notices', ['用户的通知可发往 ALLOWED_PRIVATE_ADDRESSES 中的内网地址', 'Notices of users may go to the private networks of ALLOWED_PRIVATE_ADDRESSES']),

  // Quota grants
  HoldRecoveryPolicy: choice(['checkpoint', 'full', 'review'], 'checkpoint', 'quota', ['崩溃后未结清调用的处理', 'What becomes of a call that was running at a crash']),
  QuotaForNewUser: integer(0, 'quota', ['新用户初始额度', 'Quota for a new user']),
  PreConsumedQuota: integer(500, 'quota', ['请求预扣费额度', 'Smallest hold of a call']),
  QuotaForInviter: integer(0, 'quota', ['邀请新用户奖励额度', 'Reward for the inviter']),
  InviteRewardAfterTopUp: toggle(false, 'quota', ['邀请奖励在被邀请人首次付费充值后才发放', 'Pay the inviter only after the first paid top-up of the invited user']),
  QuotaForInvitee: integer(0, 'quota', ['新用户使用邀请码奖励额度', 'Reward for the invited user']),
  CheckInEnabled: toggle(false, 'quota', ['启用每日签到', 'Enable the daily check-in'], 'public'),
  CheckInMinQuota: integer(1000, 'quota', ['签到最少奖励额度', 'Smallest reward of a check-in'], { min: 1, max: 1e12 }),
  CheckInMaxQuota: integer(1000, 'quota', ['签到最多奖励额度', 'Largest reward of a check-in'], { min: 1, max: 1e12 }),
  CheckInTimeZone: timeZone('UTC', 'quota', ['签到日期的时区（如 Asia/Shanghai）', 'Time zone of the check-in day (such as Asia/Shanghai)']),

  // Limits of a call
  MaxRequestsPerAddress: integer(0, 'limits', ['单个地址同时进行的请求数上限（0 为不限）', 'Most requests of one address at once (0 = no limit)'], { min: 0, max: 1_000_000 }),
  RelayFirstByteSeconds: integer(600, 'limits', ['等待上游首个字节的最长时间（秒）', 'Longest wait for the first byte of an upstream (seconds)'], { min: 1, max: 86_400 }),
  RelayIdleSeconds: integer(300, 'limits', ['上游输出停顿的最长时间（秒）', 'Longest pause in an upstream’s answer (seconds)'], { min: 1, max: 86_400 }),
  RelayTotalSeconds: integer(3600, 'limits', ['单次调用的最长时间（秒）', 'Longest time of one call (seconds)'], { min: 1, max: 86_400 }),

  // Chat and pricing
  Chats: json(
    chatLinks,
    [
      { 'ChatGPT Next Web': 'https://app.nextchat.dev/#/?settings={"key":"{key}","url":"{address}"}' },
      {
        'Lobe Chat': 'https://chat-preview.lobehub.com/?settings={"keyVaults":{"openai":{"apiKey":"{key}","baseURL":"{address}/v1"}}}',
      },
      {
        'AI as Workspace': 'https://aiaw.app/set-provider?provider={"type":"openai","settings":{"apiKey":"{key}","baseURL":"{address}/v1","compatibility":"strict"}}',
      },
      { 'AMA 问天': 'ama://set-api-key?server={address}&key={key}' },
      { OpenCat: 'opencat://team/join?domain={address}&token={key}' },
    ],
    'chat',
    ['聊天链接', 'Chat links'],
    'public',
  ),
  GroupRatio: json(ratios, { default: 1, vip: 1, svip: 1 }, 'groups', ['分组倍率', 'Group ratios'], 'user'),
  UserUsableGroups: json(descriptions, { default: '默认分组', vip: 'vip 分组' }, 'groups', ['用户可选分组', 'Groups users may choose'], 'user'),
  ModelPrice: json(ratios, {}, 'pricing', ['模型固定价格', 'Fixed model prices']),
  ModelRatio: json(ratios, {}, 'pricing', ['模型倍率', 'Model ratios']),
  CompletionRatio: json(ratios, {}, 'pricing', ['模型补全倍率', 'Completion ratios']),
  CacheRatio: json(ratios, {}, 'pricing', ['缓存读取倍率', 'Cache read ratios']),
  CreateCacheRatio: json(ratios, {}, 'pricing', ['缓存写入倍率（5 分钟）', 'Cache write ratios (5 minutes)']),
  CreateCache1hRatio: json(ratios, {}, 'pricing', ['缓存写入倍率（1 小时）', 'Cache write ratios (1 hour)']),
  ImageRatio: json(ratios, {}, 'pricing', ['图片输入倍率', 'Image input ratios']),
  AudioRatio: json(ratios, {}, 'pricing', ['音频输入倍率', 'Audio input ratios']),
  AudioCompletionRatio: json(ratios, {}, 'pricing', ['音频输出倍率', 'Audio output ratios']),
  ReasoningRatio: json(ratios, {}, 'pricing', ['推理输出倍率', 'Reasoning output ratios']),
} as const satisfies Record<string, Setting<never> | Setting>;

export type SettingKey = keyof typeof SETTINGS;
export type SettingValue<Key extends SettingKey> = ReturnType<(typeof SETTINGS)[Key]['parse']>;
/** Every setting, typed. */
export type Settings = { readonly [Key in SettingKey]: SettingValue<Key> };

export const SETTING_KEYS = Object.keys(SETTINGS) as SettingKey[];

export function isSettingKey(key: string): key is SettingKey {
  return Object.hasOwn(SETTINGS, key);
}

/** The registry without the type of each value, for code that treats all settings alike. */
export function settingOf(key: SettingKey): Setting {
  return SETTINGS[key];
}
