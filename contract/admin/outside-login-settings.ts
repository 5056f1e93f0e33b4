// The settings of sign-in by accounts of other sites and of the human check; part of the registry in contract/settings.ts.
import { integer, secret, text } from '#contract/setting-kinds.ts';
import { address } from '#contract/setting-texts.ts';

export const OUTSIDE_LOGIN_SETTINGS = {
  GitHubClientId: text('', 'github', ['GitHub Client ID', 'GitHub client ID', 'GitHub OAuth 应用页面上的 Client ID。', 'The client ID on the page of your GitHub OAuth app.'], 'public'),
  GitHubClientSecret: secret('github', ['GitHub Client Secret', 'GitHub client secret', '同一页面上生成的密钥；填错则 GitHub 登录失败。', 'The secret generated on the same page; with a wrong one GitHub sign-in fails.']),
  GitHubAddress: address('https://github.com', 'github', ['GitHub 地址（企业版填写自己的地址）', 'GitHub address (your own for GitHub Enterprise)', '使用 GitHub 企业版时填写自己的地址，否则不用修改。', 'Your own address for GitHub Enterprise; otherwise leave it unchanged.']),
  LinuxDOClientId: text('', 'linuxdo', ['LinuxDO Client ID', 'LinuxDO client ID', 'LinuxDO Connect 应用页面上的 Client ID。', 'The client ID on the page of your LinuxDO Connect app.'], 'public'),
  LinuxDOClientSecret: secret('linuxdo', ['LinuxDO Client Secret', 'LinuxDO client secret', '同一页面上的密钥；填错则 LinuxDO 登录失败。', 'The secret on the same page; with a wrong one LinuxDO sign-in fails.']),
  LinuxDOAddress: address('https://connect.linux.do', 'linuxdo', ['LinuxDO Connect 地址', 'LinuxDO Connect address', '一般不用修改。', 'Rarely changed.']),
  LinuxDOMinimumTrustLevel: integer(0, 'linuxdo', ['LinuxDO 最低信任等级', 'Lowest LinuxDO trust level', '低于这个等级的 LinuxDO 用户不能登录，0 表示不限制。', 'LinuxDO members below this level cannot sign in; 0 admits all.'], { min: 0, max: 4 }),
  WeChatServerAddress: address('', 'wechat', ['WeChat Server 服务器地址', 'WeChat server address', '根据验证码识别微信用户的服务，需与 WeChat Server 协议兼容。', 'The service that says which WeChat user a code belongs to; it must be compatible with the WeChat Server protocol.']),
  WeChatServerToken: secret('wechat', ['WeChat Server 访问凭证', 'WeChat server token', '访问这个服务的凭证；填错则微信登录失败。', 'The credential for that service; with a wrong one WeChat sign-in fails.']),
  WeChatAccountQRCodeImageURL: text('', 'wechat', ['微信公众号二维码图片链接', 'WeChat account QR code image', '登录对话框里显示的公众号二维码，填写图片的地址。', "The address of the image with your account's QR code, shown in the sign-in dialog."], 'public'),
  TelegramBotToken: secret('telegram', ['Telegram Bot Token', 'Telegram bot token', 'BotFather 给出的令牌，用来核对 Telegram 的签名。', "The token from BotFather; it checks Telegram's signature."]),
  TelegramBotName: text('', 'telegram', ['Telegram Bot 名称', 'Telegram bot name', '机器人的用户名，不带 @。', 'The user name of the bot, without @.'], 'public'),
  OIDCName: text('OIDC', 'oidc', ['OIDC 显示名称', 'OIDC button name', '登录按钮上显示的名称，例如 公司账户。', 'The name on the sign-in button, for example Company account.'], 'public'),
  OIDCIssuer: address('', 'oidc', ['OIDC Issuer 地址', 'OIDC issuer', '身份提供方的地址，例如 https://id.example.com/realms/main，其余信息自动获取。', 'The address of the provider, for example https://id.example.com/realms/main; everything else is discovered.']),
  OIDCClientId: text('', 'oidc', ['OIDC Client ID', 'OIDC client ID', '在身份提供方处登记本站时得到的 Client ID。', 'The client ID issued when you registered this site with the provider.']),
  OIDCClientSecret: secret('oidc', ['OIDC Client Secret', 'OIDC client secret', '登记时得到的密钥；填错则 OIDC 登录失败。', 'The secret issued with it; with a wrong one OIDC sign-in fails.']),
  OIDCScopes: text('openid profile email', 'oidc', ['OIDC Scopes', 'OIDC scopes', '向提供方申请的信息，用空格分隔；openid 必须有。', 'What is requested from the provider, separated by spaces; openid is required.']),
  TurnstileSiteKey: text('', 'turnstile', ['Turnstile Site Key', 'Turnstile site key', 'Cloudflare Turnstile 给出的站点密钥，显示在页面里。', 'The site key from Cloudflare Turnstile; it is part of the page.'], 'public'),
  TurnstileSecretKey: secret('turnstile', ['Turnstile Secret Key', 'Turnstile secret key', 'Cloudflare Turnstile 给出的密钥，服务器用它核对结果；填错则所有人都通不过验证。', 'The secret from Cloudflare Turnstile; with a wrong one nobody passes the check.']),
  TurnstileServerAddress: address('https://challenges.cloudflare.com', 'turnstile', ['Turnstile 校验服务器地址', 'Turnstile verification server', '一般不用修改。', 'Rarely changed.']),
} as const;
