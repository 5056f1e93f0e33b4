// The settings registry: one line per option drives validation, typed access, visibility and the form.
// Adding a setting is adding a line (docs/guides/add-a-setting.md).
import { choice, decimal, integer, json, multiline, secret, text, toggle, type Setting } from './setting-kinds.ts';
import { address, lines, link, list, timeZone } from './setting-texts.ts';
import { privateEntry } from './operating/private-addresses.ts';
import { chatLinks, descriptions, mailDomain, ratios, tidyMailDomain } from './setting-shapes.ts';
import { BUILT_IN_GROUPS } from './admin/group-descriptions.ts';
import { BACKUP_SETTINGS } from './operating/backup-settings.ts';
import { HEDGE_SETTINGS } from './relay/hedge-settings.ts';
import { ANSWER_CACHE_SETTINGS } from './relay/answer-cache-settings.ts';
import { SHADOW_SETTINGS } from './relay/shadow-settings.ts';
import { HOLD_SETTINGS } from './money/hold-settings.ts';
import { LIMIT_SETTINGS } from './operating/limit-settings.ts';
import { LOG_EXPORT_SETTINGS } from './operating/log-export-settings.ts';
import { MARGIN_SETTINGS } from './money/margin-settings.ts';
import { MEDIA_SETTINGS } from './relay/media-settings.ts';
import { PRICE_SETTINGS } from './money/price-settings.ts';
import { SUPPLIER_SETTINGS } from './suppliers/supplier-settings.ts';
import { ORGANIZATION_SETTINGS } from './admin/organization-settings.ts';
import { OUTSIDE_LOGIN_SETTINGS } from './admin/outside-login-settings.ts';
import { PUBLIC_SETTINGS } from './admin/public-settings.ts';
import { topUpPresets, topUpPromotions } from './money/top-up-settings.ts';

export const SETTINGS = {
  // Login and registration switches
  PasswordLoginEnabled: toggle(true, 'login', ['允许通过密码进行登录', 'Allow sign-in with a password', '关闭后只能用通行密钥或已绑定的第三方账户登录，没有这些的用户（包括你）无法登录。', 'Off: users sign in only with a passkey or a linked account; anyone without either, including you, is locked out.']),
  PasswordRegisterEnabled: toggle(true, 'login', ['允许通过密码进行注册', 'Allow registration with a password', '关闭后新用户只能通过第三方账户注册。', 'Off: new users can register only through a third-party account.']),
  EmailVerificationEnabled: toggle(false, 'login', ['通过密码注册时需要进行邮箱验证', 'Verify the email address at registration', '开启后注册时必须填写邮箱和发到邮箱的验证码，需要先配置 SMTP。', 'On: registration asks for an email address and the code sent to it; SMTP must be set up first.'], 'public'),
  GitHubOAuthEnabled: toggle(false, 'login', ['允许通过 GitHub 账户登录与注册', 'Allow sign-in and registration with GitHub', '开启后登录页出现 GitHub 按钮，首次登录会自动创建账户。', 'On: the sign-in page has a GitHub button; a first sign-in creates an account.'], 'public'),
  LinuxDOOAuthEnabled: toggle(false, 'login', ['允许通过 LinuxDO 账户登录与注册', 'Allow sign-in and registration with LinuxDO', '开启后登录页出现 LinuxDO 按钮，首次登录会自动创建账户。', 'On: the sign-in page has a LinuxDO button; a first sign-in creates an account.'], 'public'),
  WeChatAuthEnabled: toggle(false, 'login', ['允许通过微信登录与注册', 'Allow sign-in and registration with WeChat', '开启后可以用公众号回复的验证码登录，首次登录会自动创建账户。', 'On: users can sign in with a code that your WeChat account sends them; a first sign-in creates an account.'], 'public'),
  TelegramOAuthEnabled: toggle(false, 'login', ['允许通过 Telegram 进行登录', 'Allow sign-in with Telegram', '开启后已在个人设置中绑定 Telegram 的用户可以用它登录，不会创建新账户。', 'On: users who linked Telegram in their personal settings can sign in with it; it creates no accounts.'], 'public'),
  OIDCEnabled: toggle(false, 'login', ['允许通过 OIDC 登录与注册', 'Allow sign-in and registration with OIDC', '开启后登录页出现你的身份提供方的按钮，首次登录会自动创建账户。', 'On: the sign-in page has a button for your identity provider; a first sign-in creates an account.'], 'public'),
  TurnstileCheckEnabled: toggle(false, 'login', ['启用 Turnstile 用户校验', 'Enable the Turnstile human check', '开启后登录、注册、验证码与重置密码之前都要通过人机验证；密钥填错会让所有人无法登录。', 'On: sign-in, sign-up, codes and resets need the human check; with wrong keys nobody can sign in.'], 'public'),
  RegisterEnabled: toggle(true, 'login', ['允许新用户注册', 'Allow new users to register', '关闭后任何人都不能自行注册，只有管理员能添加用户。', 'Off: nobody can register; only administrators add users.'], 'public'),
  AdminTwoFactorRequired: toggle(false, 'login', ['管理员必须启用两步验证或通行密钥', 'Administrators must use two-factor or a passkey', '开启后没有两步验证或通行密钥的管理员只能打开自己的个人设置。', 'On: administrators without two-factor authentication or a passkey can open only their personal settings.']),
  EmailDomainRestrictionEnabled: toggle(false, 'email', ['启用邮箱域名白名单', 'Restrict registration to listed email domains', '开启后只接受下面列出的邮箱域名。', 'On: only email addresses at the domains below are accepted.']),
  EmailAliasRestrictionEnabled: toggle(false, 'email', [
    '启用邮箱别名限制',
    'Refuse email aliases (+ and . in the name)',
    '开启后拒绝名字里带 + 或 . 的邮箱，例如 a.b+c@gmail.com，防止一人注册多个账户。',
    'On: addresses with + or . in the name, such as a.b+c@gmail.com, are refused, so one person cannot register several accounts.',
  ]),
  EmailDomainWhitelist: list(
    ['gmail.com', '163.com', '126.com', 'qq.com', 'outlook.com', 'hotmail.com', 'icloud.com', 'yahoo.com', 'foxmail.com'],
    'email',
    ['允许的邮箱域名', 'Allowed email domains', '用逗号分隔，例如 gmail.com,qq.com；只在白名单启用时生效。', 'Comma-separated, for example gmail.com,qq.com; used only while the restriction is on.'],
    { entry: mailDomain, tidy: tidyMailDomain },
  ),
  EmailCodeMinutes: integer(10, 'email', ['邮箱验证码有效期（分钟）', 'Email code lifetime (minutes)', '超过这个时间，邮件里的验证码失效，用户需要重新获取。', 'After this time the code in the email no longer works and the user needs a new one.'], { min: 1, max: 1440 }),
  ResetLinkMinutes: integer(15, 'email', ['密码重置链接有效期（分钟）', 'Reset link lifetime (minutes)', '超过这个时间，重置密码的链接失效；链接只能使用一次。', 'After this time the reset link no longer works; each link works once.'], { min: 1, max: 1440 }),

  // Addresses and payment
  ServerAddress: address(
    'http://localhost:3000',
    'address',
    ['服务器地址', 'Server address', '用户打开本站的地址，例如 https://api.example.com；邮件链接、支付回调和登录回调都以此地址开头。', 'The address users open, for example https://api.example.com; links in emails, payment callbacks and sign-in callbacks begin with it.'],
    'public',
  ),
  WorkerUrl: address('', 'worker', ['代理 Worker 地址', 'Proxy worker address', '填写后，登录验证等系统请求和用户图片的下载经由它发出，对方看不到服务器 IP；留空则直连。', "Sends system requests and downloads of users' images through the worker, which hides the server's IP; leave blank to connect directly."]),
  WorkerValidKey: secret('worker', ['代理 Worker 密钥', 'Proxy worker key', '随每个请求发给 Worker 的密钥，必须与 Worker 上的一致。', 'Sent to the worker with every request; it must match the key set there.']),
  PayAddress: address('', 'payment', ['支付地址', 'Payment address', '易支付网关的地址；地址、商户 ID 和密钥都填好后，钱包才出现在线充值。', 'The address of the Epay gateway; the wallet offers online top-up once address, ID and key are set.']),
  EpayId: text('', 'payment', ['易支付商户 ID', 'Epay merchant ID', '易支付给你的商户编号，随每个订单发送。', 'The merchant number Epay gave you; it is sent with every order.']),
  EpayKey: secret('payment', ['易支付商户密钥', 'Epay merchant key', '用它给订单签名并核对回调；填错则付款不会入账。', 'Signs orders and checks callbacks; with a wrong key no payment is credited.']),
  CustomCallbackAddress: address('', 'payment', ['回调地址', 'Callback address', '易支付把付款通知发到这个地址；留空则使用服务器地址。', 'Epay sends payment notifications to this address; leave blank to use the server address.']),
  Price: decimal(7.3, 'payment', ['充值价格（每美元）', 'Top-up price per dollar', '用户购买一美元额度付多少元；7.3 表示充值 $10 需付 73 元。', 'What one dollar of quota costs in yuan; at 7.3 a top-up of $10 costs 73 yuan.'], { min: 0.001 }, 'public'),
  MinTopUp: integer(1, 'payment', ['最低充值美元数量', 'Minimum top-up (USD)', '低于这个金额的充值会被拒绝，例如 1 表示至少充值 $1。', 'A smaller top-up is refused; 1 means at least $1.'], { min: 1 }, 'public'),
  EpayMethods: list(['zfb', 'wx'], 'payment', ['易支付方式（zfb 支付宝，wx 微信）', 'Epay methods (zfb: Alipay, wx: WeChat)', '钱包里出现的付款方式，用逗号分隔，例如 zfb,wx；留空则不提供易支付。', 'The payment methods shown in the wallet, comma-separated, for example zfb,wx; leave blank to turn Epay off.']),
  StripeAddress: address('https://api.stripe.com', 'payment', ['Stripe 接口地址', 'Stripe API address', '一般不用修改；留空则不提供 Stripe。', 'Rarely changed; leave blank to turn Stripe off.']),
  StripeApiSecret: secret('payment', ['Stripe 密钥', 'Stripe secret key', 'Stripe 控制台中以 sk_ 开头的密钥；与 Webhook 密钥都填好后钱包才提供 Stripe。', 'The key that begins with sk_ in the Stripe dashboard; the wallet offers Stripe once this and the webhook secret are set.']),
  StripeWebhookSecret: secret('payment', ['Stripe Webhook 签名密钥', 'Stripe webhook signing secret', '以 whsec_ 开头，用来核对 Stripe 的付款通知；填错则付款不会入账。', "Begins with whsec_ and checks Stripe's payment notifications; with a wrong secret no payment is credited."]),
  StripeCurrency: choice(['usd', 'eur', 'gbp', 'cny', 'hkd', 'jpy', 'sgd', 'aud', 'cad'], 'usd', 'payment', ['Stripe 收款货币', 'Stripe currency', '通过 Stripe 付款时使用的货币；已有订单不变。', 'The currency users pay in with Stripe; existing orders keep theirs.']),
  StripePrice: decimal(1, 'payment', ['Stripe 充值价格（每美元）', 'Stripe price per dollar', '用户购买一美元额度付多少该货币；1 表示充值 $10 需付 10。', 'What one dollar of quota costs in that currency; at 1 a top-up of $10 costs 10.'], { min: 0.001 }),
  TopUpPresets: json(topUpPresets, [{ amount: 5 }, { amount: 10 }, { amount: 50 }, { amount: 100 }], 'payment', [
    '充值金额选项（可带折扣）',
    'Top-up amounts on offer (with optional discount)',
    '钱包里可选的金额，单位美元；discount 0.9 表示九折。',
    'The amounts the wallet offers, in dollars; a discount of 0.9 takes 10% off.',
  ]),
  TopUpPromotions: json(topUpPromotions, {}, 'payment', ['充值优惠码', 'Top-up promotion codes', '用户充值时输入的优惠码，各自带折扣和截止时间。', 'Codes a user can enter when topping up, each with a discount and an end.']),
  OrderMinutes: integer(60, 'payment', ['订单有效期（分钟）', 'Minutes until an unpaid order expires', '超过这个时间没有付款的订单失效，之后的付款仍会核对入账。', 'An order not paid within this time expires; a later payment is still checked and credited.'], { min: 30, max: 1440 }),
  TopupGroupRatio: json(ratios, { default: 1, vip: 1, svip: 1 }, 'payment', ['充值分组倍率', 'Top-up group ratios', '各分组的充值价格倍率；vip 填 0.8 表示 vip 用户付八折，没有列出的分组按原价。', 'Multiplies the top-up price of each group; 0.8 for vip is 20% off, and a group that is not listed pays the full price.']),
  SellerName: text('', 'payment', ['收据上的销售方名称（空则为系统名称）', 'Seller on receipts (blank: the system name)', '印在之后开出的收据上。', 'Printed on receipts made from now on.']),
  SellerAddress: multiline('payment', ['收据上的销售方地址', "Seller's address on receipts", '印在之后开出的收据上，可以多行。', 'Printed on receipts made from now on; several lines are allowed.']),
  SellerTaxNumber: text('', 'payment', ['收据上的税号', 'Tax number on receipts', '印在之后开出的收据上；留空则不显示。', 'Printed on receipts made from now on; leave blank to leave it out.']),

  // Resellers
  DividendBasis: choice(['payment', 'spend'], 'payment', 'agents', [
    '分红依据（被邀请用户的充值或消费）',
    'Dividends are a share of (what invited users pay or spend)',
    '选择代理商的分红按被邀请用户的充值还是消费计算，只影响之后的充值和消费。',
    'Whether dividends are a share of what invited users pay or of what they spend, from now on.',
  ]),
  DividendSecondLevelPercent: decimal(0, 'agents', ['二级分红比例（%，0 为关闭）', 'Second-level dividend (%, 0 = off)', '代理商由另一位代理商邀请时，邀请者按同一金额再得到的比例；例如 2 表示 2%。', 'The share of the same amount that goes to the reseller who invited this reseller; for example 2 for 2%.'], {
    min: 0,
    max: 100,
  }),
  WithdrawalMethods: list(['alipay', 'wechat', 'bank', 'usdt'], 'agents', [
    '提现方式（留空则关闭提现）',
    'Withdrawal methods (blank: no withdrawals)',
    '代理商提现时可选的方式，用逗号分隔；留空则不能提现，只能划转到余额。',
    'The methods resellers can choose, comma-separated; leave blank so that dividends can only be moved to the balance.',
  ]),
  WithdrawalMinimum: decimal(10, 'agents', ['最低提现美元数量', 'Minimum withdrawal (USD)', '低于这个金额的提现申请会被拒绝。', 'A smaller request is refused.'], { min: 0, max: 1_000_000 }),
  WithdrawalFeePercent: decimal(0, 'agents', ['提现手续费（%）', 'Withdrawal fee (%)', '从提现金额中扣除的比例；5 表示提现 $100 实付 $95。', 'The percentage you keep; with 5, a withdrawal of $100 pays out $95.'], { min: 0, max: 99 }),

  ...ORGANIZATION_SETTINGS,

  // Mail
  SMTPServer: text('', 'smtp', ['SMTP 服务器地址', 'SMTP server', '例如 smtp.example.com；留空则不发送任何邮件。', 'For example smtp.example.com; leave blank to send no email.']),
  SMTPPort: integer(587, 'smtp', ['SMTP 端口', 'SMTP port', '465 从一开始就用 SSL，587 用 STARTTLS。', '465 uses SSL from the start, 587 uses STARTTLS.'], { min: 1, max: 65_535 }),
  SMTPAccount: text('', 'smtp', ['SMTP 账户', 'SMTP account', '登录邮件服务器的账户，通常是完整的邮箱地址。', 'The account at the mail server, usually the full email address.']),
  SMTPFrom: text('', 'smtp', ['SMTP 发送者邮箱', 'SMTP sender address', '收件人看到的发件地址；留空则使用 SMTP 账户。', 'The sender that recipients see; leave blank to use the SMTP account.']),
  SMTPToken: secret('smtp', ['SMTP 访问凭证', 'SMTP password', '邮件服务器的密码或授权码。', 'The password or app password of the mail account.']),
  SMTPSSLEnabled: toggle(false, 'smtp', ['启用 SMTP SSL', 'Use SSL for SMTP', '开启后从连接开始就加密；端口 465 必须开启，不支持的服务器会连不上。', 'On: encrypted from the start; port 465 needs it, and a server without SSL cannot be reached.']),

  ...OUTSIDE_LOGIN_SETTINGS,

  // Content
  Notice: multiline('content', ['公告', 'Notice', '显示在首页顶部，支持 Markdown；留空则没有公告。', 'Shown at the top of the home page, in Markdown; leave blank for no notice.'], 'public'),
  SystemName: text('Tollgate', 'content', ['系统名称', 'System name', '显示在页面标题、登录页和邮件里。', 'Shown in page titles, on the sign-in page and in emails.'], 'public'),
  Logo: text('/logo.png', 'content', ['Logo 图片地址', 'Logo address', '图片的地址，显示在页面左上角；留空则用内置图标。', 'The address of an image, shown at the top left; leave blank for the built-in logo.'], 'public'),
  HomePageContent: multiline('content', ['首页内容', 'Home page content', '替换默认首页，可以是 Markdown、HTML 或一个网址；留空则显示默认首页。', 'Replaces the home page with Markdown, HTML or the page at an address; leave blank for the built-in page.'], 'public'),
  About: multiline('content', ['关于', 'About', '关于页的内容，可以是 Markdown、HTML 或一个网址。', 'The content of the About page: Markdown, HTML or the page at an address.'], 'public'),
  Footer: multiline('content', ['页脚', 'Footer', '每个页面底部的 HTML；留空则显示默认页脚。', 'HTML at the bottom of every page; leave blank for the default line.'], 'public'),
  ...PUBLIC_SETTINGS,
  TopUpLink: link('general', ['充值链接', 'Top-up link', '钱包里购买兑换码的链接，例如你的发卡网；留空则不显示。', 'The link in the wallet to buy redemption codes, for example your shop; leave blank for no link.'], 'public'),
  ChatLink: link('general', ['默认聊天页面链接', 'Default chat link', '在“聊天链接”之后加进菜单；没有 {key} 的地址按 NextChat 处理。', 'Added to the menus after the chat links; an address without {key} is treated as a NextChat address.'], 'public'),
  ChatLink2: link('general', ['聊天页面 2 链接', 'Second chat link', '同样加进菜单；/chat2link 会直接打开它。', 'Added to the menus too; /chat2link opens it directly.'], 'public'),

  // Quota and display
  QuotaPerUnit: decimal(500_000, 'general', ['单位美元额度', 'Quota per dollar', '一美元等于多少额度；修改会立即改变所有余额显示的金额，额度本身不变。', 'How many quota units make a dollar; a change alters the dollars shown for every balance at once, while the quota stays.'], { min: 1, max: 1e12 }, 'public'),
  StrictConversionEnabled: toggle(false, 'general', [
    '严格转换（格式转换会丢失内容时拒绝调用）',
    'Strict conversion (refuse calls that would lose content)',
    '开启后，转换成上游格式会丢失内容的调用被拒绝，而不是悄悄丢掉那部分。',
    "On: a call that cannot be converted to the upstream's format without loss is refused instead of losing that part.",
  ]),
  ConversationAffinityEnabled: toggle(true, 'general', [
    '同一会话沿用渠道',
    'Keep the channel of a conversation',
    '开启后，同一会话的后续调用在同一优先级内优先用上次回答它的渠道，以命中上游的提示词缓存；新会话仍按权重分配。',
    'On: further calls of a conversation prefer the channel that answered it last, within its priority, because its upstream has the prompt in its cache; new conversations are shared by weight.',
  ]),
  RetryTimes: integer(2, 'general', ['失败重试次数', 'Retries after a failure', '调用失败后最多再换几个渠道重试；0 表示不重试。', 'How many other channels a failed call is tried on; 0 means none.'], { min: 0, max: 20 }),
  ...HEDGE_SETTINGS,
  ...ANSWER_CACHE_SETTINGS,
  ...SHADOW_SETTINGS,
  AllowedPrivateAddresses: list(
    [],
    'general',
    [
      '渠道可以访问的内网地址',
      'Private addresses that channels may reach',
      '例如 127.0.0.1:11434（本机的 Ollama）、10.0.0.0/8，与环境变量 ALLOWED_PRIVATE_ADDRESSES 一起生效；云元数据和链路本地地址永远不能访问。',
      'For example 127.0.0.1:11434 (a local Ollama) or 10.0.0.0/8, in addition to those of the variable ALLOWED_PRIVATE_ADDRESSES; cloud metadata and link-local addresses are never allowed.',
    ],
    { entry: privateEntry },
  ),
  DisplayInCurrencyEnabled: toggle(true, 'general', ['以货币形式显示额度', 'Show quota as currency', '开启显示 $1.00，关闭显示 500,000 这样的额度。', 'On: amounts read $1.00; off: quota such as 500,000.'], 'public'),
  DisplayTokenStatEnabled: toggle(true, 'general', [
    'Billing 相关 API 显示令牌额度而非用户额度',
    "Billing API reports the API key's quota, not the account's",
    '聊天客户端查询余额时，开启返回令牌的额度，关闭返回账户的额度。',
    "On: chat clients that ask for the balance get the API key's quota; off: they get the account's.",
  ]),
  SiteTimeZone: timeZone('UTC', 'general', [
    '站点时区（如 Asia/Shanghai）',
    'Site time zone (such as Asia/Shanghai)',
    '每日用量、预算、成本与毛利都按这个时区的零点划分；账单的月份仍按 UTC，更改时正在进行的预算周期仍按原时间结束。',
    'Days in usage, budgets, cost and margin figures begin at midnight in this zone; months of statements are in UTC, and a budget period that is running when this changes still ends at the time it had.',
  ]),
  DefaultCollapseSidebar: toggle(false, 'general', ['默认折叠侧边栏', 'Collapse the side menu by default', '只影响还没有自己选择过的用户。', 'Applies only to users who have not made their own choice.'], 'public'),
  FirstStepsEnabled: toggle(true, 'general', ['显示首次设置清单', 'Show the first steps', '开启后超级管理员在令牌页和看板上方看到还没完成的设置步骤。', 'On: the super admin sees what is left to set up above the API key list and the dashboard.']),
  DemoSiteEnabled: toggle(false, 'general', ['演示站点模式', 'Demo site', '开启后除超级管理员外，任何修改都会被拒绝。', 'On: every change is refused, except by the super admin.'], 'public'),
  SelfUseModeEnabled: toggle(false, 'general', ['自用模式（未设置价格的模型也可调用）', 'Self-use mode (models without a price may be called)', '开启后没有价格的模型也能调用，不收费；对外提供服务时请关闭。', 'On: models without a price can be called, free of charge; keep it off when others use the site.']),
  PublicDocsEnabled: toggle(true, 'general', ['文档对访客开放', 'Docs open to visitors', '关闭后只有登录的用户能在菜单中看到并打开文档（/docs）。', 'Off: only signed-in users see the documents (/docs) in the menu and can open them.'], 'public'),
  TaskEnabled: toggle(true, 'general', ['启用异步任务功能', 'Enable async tasks', '只改变状态接口中的 enable_task 字段，供兼容的客户端读取。', 'Only changes the enable_task field of the status API, for clients that read it.'], 'public'),

  // Drawing
  DrawingEnabled: toggle(true, 'drawing', ['启用绘图功能', 'Enable drawing', '关闭后菜单中没有绘图页面。', 'Off: the menu has no drawing page.'], 'public'),
  MjNotifyEnabled: toggle(false, 'drawing', ['允许回调（会泄露服务器 IP 地址）', 'Allow callbacks (reveals the server address)', '开启后上游会主动通知绘图进度，上游因此知道服务器的地址。', 'On: upstreams report progress to this server, which reveals its address to them.'], 'public'),
  MjAccountFilterEnabled: toggle(false, 'drawing', ['允许 AccountFilter 参数', 'Allow the AccountFilter parameter', '开启后把调用方的 accountFilter 参数转给上游；关闭则去掉该参数。', "On: callers' accountFilter parameter is passed on; off: it is removed."]),
  MjForwardUrlEnabled: toggle(true, 'drawing', ['开启之后将上游地址替换为服务器地址', 'Replace upstream image addresses with our own', '开启后图片经本站转发，用户看不到上游的地址。', "On: images go through this site and users do not see the upstream's address."]),
  MjModeClearEnabled: toggle(false, 'drawing', ['清除提示词中的 --fast、--relax、--turbo 参数', 'Strip --fast, --relax and --turbo from prompts', '开启后从提示词中去掉速度参数，由渠道的设置决定快慢和成本。', 'On: speed flags are taken out of prompts, so the channel decides speed and cost.']),
  MjActionCheckSuccessEnabled: toggle(true, 'drawing', ['检测必须等待绘图成功才能进行放大等操作', 'Follow-up actions need a finished drawing', '开启后放大、变体等操作要等原图完成，否则会被拒绝。', 'On: upscales and variations of an unfinished drawing are refused.']),

  ...MEDIA_SETTINGS,
  ...MARGIN_SETTINGS,
  ...BACKUP_SETTINGS,
  ...LOG_EXPORT_SETTINGS,

  // Sensitive words
  CheckSensitiveEnabled: toggle(true, 'sensitive', ['启用屏蔽词过滤功能', 'Filter sensitive words', '关闭后完全不检查屏蔽词。', 'Off: no words are checked at all.']),
  CheckSensitiveOnPromptEnabled: toggle(true, 'sensitive', ['启用 Prompt 检查', 'Check prompts', '开启后提示词命中屏蔽词的调用在转发之前被拒绝，不收费。', 'On: a call whose prompt has a listed word is refused before it is sent, free of charge.']),
  SensitiveWords: lines([], 'sensitive', ['屏蔽词列表，一行一个', 'Sensitive words, one per line', '一行一个，不区分大小写，出现在提示词的任何位置都算命中。', 'One per line, case-insensitive; a match anywhere in the prompt counts.']),

  // Logs and dashboard
  LogConsumeEnabled: toggle(true, 'logs', ['启用额度消费日志记录', 'Log calls and charges', '关闭后调用不再写入日志，用户查不到明细；扣费不变。', 'Off: calls are not logged and users see no details; charges stay the same.']),
  LogRetentionDays: integer(0, 'logs', ['日志保留天数（0 为永久保留）', 'Days to keep logs (0 = forever)', '更早的日志和已结束的绘图每小时删除一次，账目不受影响。', 'Older log rows and finished drawings are deleted every hour; the books are not touched.'], { min: 0, max: 36_500 }),
  DataExportEnabled: toggle(true, 'dashboard', ['启用数据看板', 'Enable the dashboard', '关闭后菜单中没有数据看板。', 'Off: the menu has no dashboard.'], 'public'),
  DataExportInterval: integer(5, 'dashboard', ['数据看板更新间隔（分钟）', 'Dashboard refresh interval (minutes)', '打开的看板按此间隔刷新数字。', 'How often an open dashboard refreshes its figures.'], { min: 1, max: 1440 }),
  DataExportDefaultTime: choice(['hour', 'day', 'week'], 'hour', 'dashboard', ['数据看板默认时间粒度', 'Default dashboard granularity', '打开看板时先按小时、天还是周汇总，用户可以自己切换。', 'Whether the dashboard opens by hour, day or week; users can switch.'], 'public'),

  // Monitoring
  ChannelDisableThreshold: decimal(
    30,
    'monitoring',
    ['测试所有渠道的最长响应时间（秒）', 'Maximum response time in channel tests (seconds)', '测试所有渠道时，慢于此值的渠道会被禁用（需开启自动禁用）；0 表示不按时间禁用。', 'When all channels are tested, a slower one is disabled if automatic disabling is on; with 0 no channel is disabled for being slow.'],
    { min: 0 },
  ),
  QuotaRemindThreshold: integer(1000, 'monitoring', ['额度提醒阈值', 'Low-balance reminder threshold', '用户余额低于此值时会收到提醒邮件，两小时内最多一封。', 'A user whose balance falls below this gets an email, at most one every two hours.']),
  AutomaticDisableChannelEnabled: toggle(true, 'monitoring', [
    '失败时自动禁用渠道',
    'Disable a channel automatically when it fails',
    '开启后，密钥被上游拒绝或命中下面关键词的渠道立即禁用，并通知运营者。',
    'On: a channel whose key is refused, or whose error contains a keyword below, is disabled and operators are notified.',
  ]),
  AutomaticEnableChannelEnabled: toggle(true, 'monitoring', ['成功时自动启用渠道', 'Enable a channel automatically when it succeeds', '开启后，自动禁用的渠道只要通过测试就会重新启用。', 'On: a channel that was disabled automatically is enabled again after it passes a test.']),
  AutomaticDisableKeywords: lines(['Your credit balance is too low', 'This organization has been disabled.', 'You exceeded your current quota', 'Permission denied', 'The security token included in the request is invalid', 'Operation not allowed', 'Your account is not authorized'], 'monitoring', [
    '自动禁用关键词，一行一个，不区分大小写',
    'Keywords that disable a channel, one per line, case-insensitive',
    '上游的错误信息里出现其中一行，渠道就被自动禁用。',
    "A channel is disabled when its upstream's error contains one of these lines.",
  ]),

  // Notices
  TokenExpiryNoticeDays: integer(3, 'notices', ['令牌到期前多少天提醒（0 为不提醒）', 'Days of notice before an API key expires (0 = none)', '令牌的所有者会提前收到一次提醒。', 'The owner of an API key is notified once, this many days before it expires.'], { min: 0, max: 90 }),
  UpstreamBalanceThreshold: decimal(0, 'notices', ['上游余额低于多少美元时提醒运营者（0 为不提醒）', 'Notify operators when an upstream balance falls below (USD, 0 = never)', '查询到的上游余额低于此值时，运营者会收到通知。', 'Operators are notified when the balance read from an upstream is below this.'], {
    min: 0,
    max: 1e9,
  }),
  UserNoticePrivateAddressEnabled: toggle(false, 'notices', [
    '用户的通知可发往 ALLOWED_PRIVATE_ADDRESSES 中的内网地址',
    "Allow users' notifications to private networks in ALLOWED_PRIVATE_ADDRESSES",
    '关闭时用户填写的通知地址不能指向内网，这是安全的默认值。',
    'Off, the safe default: the address a user enters for notifications cannot be in a private network.',
  ]),

  // Quota grants
  QuotaForNewUser: integer(0, 'quota', ['新用户初始额度', 'Quota for a new user', '每个新账户得到的额度，0 表示不送。', 'What every new account gets; 0 means nothing.']),
  ...HOLD_SETTINGS,
  QuotaForInviter: integer(0, 'quota', ['邀请新用户奖励额度', 'Reward for the inviter', '每邀请一个新用户，邀请人得到的额度。', 'What the inviter gets for each new user.']),
  InviteRewardAfterTopUp: toggle(false, 'quota', ['邀请奖励在被邀请人首次付费充值后才发放', "Reward the inviter only after the invited user's first paid top-up", '开启后被邀请人首次付费充值时才发放奖励，防止刷号。', "On: the reward is paid with the invited user's first paid top-up, so fake accounts earn nothing."]),
  QuotaForInvitee: integer(0, 'quota', ['新用户使用邀请码奖励额度', 'Reward for the invited user', '用邀请码注册的新用户另外得到的额度。', 'What a user who registers with an invite code gets in addition.']),
  CheckInEnabled: toggle(false, 'quota', ['启用每日签到', 'Enable the daily check-in', '开启后用户每天可以在钱包里签到一次，得到随机额度。', 'On: a user can check in once a day in the wallet and gets a random amount.'], 'public'),
  CheckInMinQuota: integer(1000, 'quota', ['签到最少奖励额度', 'Minimum check-in reward', '每次签到至少得到这么多额度。', 'A check-in gives at least this much quota.'], { min: 1, max: 1e12 }),
  CheckInMaxQuota: integer(1000, 'quota', ['签到最多奖励额度', 'Maximum check-in reward', '每次签到最多得到这么多额度，在两者之间随机。', 'A check-in gives at most this much; the amount is random between the two.'], { min: 1, max: 1e12 }),
  CheckInTimeZone: timeZone('', 'quota', ['签到日期的时区（空则为站点时区）', "Check-in time zone (blank: the site's)", '这个时区的零点开始新的一天，例如 Asia/Shanghai；留空则与站点相同。', "A new day begins at midnight in this zone, for example Asia/Shanghai; leave blank to use the site's zone."]),

  // Limits of a call
  ...LIMIT_SETTINGS,

  // Chat and pricing
  Chats: json(
    chatLinks,
    [{ 'ChatGPT Next Web': 'https://app.nextchat.dev/#/?settings={"key":"{key}","url":"{address}"}' }, { 'AMA 问天': 'ama://set-api-key?server={address}&key={key}' }, { OpenCat: 'opencat://team/join?domain={address}&token={key}' }],
    'chat',
    ['聊天链接', 'Chat links', '令牌菜单和聊天页里的链接；{key} 换成令牌，{address} 换成服务器地址，网页链接的 {key} 必须在 # 之后。', 'The links in the API key menu and on the chat page; {key} becomes the API key, {address} the server address, and in a web link {key} must come after the #.'],
    'public',
  ),
  GroupRatio: json(ratios, { default: 1, vip: 1, svip: 1 }, 'groups', ['分组倍率', 'Group ratios', '该分组按价格的几倍计费；vip 填 0.8 表示八折，没有倍率的分组不能调用。', 'A group pays this multiple of the price; 0.8 for vip is 20% off, and a group without a ratio cannot call.'], 'user'),
  UserUsableGroups: json(
    descriptions,
    { default: BUILT_IN_GROUPS.default.zh, vip: BUILT_IN_GROUPS.vip.zh },
    'groups',
    ['用户可选分组', 'Groups users may choose', '用户创建令牌时可以选择的分组和它们的说明；每个都必须有倍率。', 'The groups a user can give to an API key, with a description; each needs a ratio.'],
    'user',
  ),
  ...PRICE_SETTINGS,
  ...SUPPLIER_SETTINGS,
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
