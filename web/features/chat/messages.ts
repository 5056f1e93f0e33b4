/** Words of the chat pages. */
import type { Messages } from '#web/i18n/rows.ts';

export default {
  title: ['Chat', '聊天'],
  apps: ['Chat applications', '聊天应用'],
  token: ['API key in use', '使用的令牌'],
  newTab: ['Open in a new tab', '在新标签页打开'],
  copyLink: ['Copy link', '复制链接'],
  slow: ['Still blank? This page may not allow embedding. Open it in a new tab.', '页面一直空白？它可能不允许嵌入，请在新标签页打开。'],
  warning: ['The link contains your key, and {{host}} will see it. Use a separate API key with a limited quota for each app.', '链接里带有令牌密钥，{{host}} 会看到它。建议为每个应用使用单独的限额令牌。'],
  error: {
    badLink: ['The chat link is not set up correctly. Tell the administrator.', '聊天链接配置错误，请联系管理员'],
    noLink: ['No chat link is set up. Ask the administrator for one.', '请联系管理员配置聊天链接'],
    unreadable: ['The chat data could not be read', '聊天数据解析失败'],
    noToken: ['You have no enabled API key. Enable or create one on the API keys page.', '当前没有可用的启用令牌，请确认是否有令牌处于启用状态！'],
  },
  redirect: ['Going to the API key page in {{seconds}} s', '{{seconds}} 秒后前往令牌页'],
  stay: ['Stay here', '留在此页'],
  toTokens: ['Go to the API key page', '前往令牌页'],
  ask: {
    title: ['Hand the key to {{host}}?', '把密钥交给 {{host}}？'],
    text: ['{{host}} is another site. If you continue, it receives your full API key {{token}} and can spend your balance with it.', '{{host}} 是另一个网站，不属于本站。继续后它会得到令牌 {{token}} 的完整密钥，并能用它消费你的额度。'],
    advice: ['Safer: create a separate API key for it, limited to $1 and 30 days. You can raise the limit later.', '更安全的做法：为它新建一个令牌，额度 $1，30 天有效，之后可以再调高。'],
    make: ['Create a limited API key for it', '为它新建限额令牌'],
    go: ['Hand the key to {{host}}', '把密钥交给 {{host}}'],
  },
  app: {
    title: ['Continue in {{name}}', '在 {{name}} 中继续'],
    text: ['This link opens an application on your device and hands it the API key {{token}}.', '此链接会打开本机应用，并把令牌 {{token}} 的密钥交给它。'],
    open: ['Open {{name}}', '打开 {{name}}'],
    question: ['Nothing happened? Install the application first, or copy the link and paste it there.', '没有打开？请先安装应用，或复制链接后粘贴到应用中。'],
  },
  link: {
    title: ['You are leaving the console', '即将离开控制台'],
    text: ['Continuing opens {{host}} and hands it the API key {{token}}.', '继续后将打开 {{host}}，并把令牌 {{token}} 的密钥交给它。'],
    soon: ['Continuing in {{seconds}} s', '{{seconds}} 秒后自动继续'],
    go: ['Continue to {{host}}', '继续前往 {{host}}'],
  },
} satisfies Messages;
