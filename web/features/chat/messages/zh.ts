/** Words of the chat pages. This file is the shape of the namespace. */
export default {
  title: '聊天',
  apps: '聊天应用',
  token: '使用的令牌',
  newTab: '在新标签页打开',
  copyLink: '复制链接',
  slow: '页面迟迟没有出现？它可能不允许被嵌入。',
  warning: '链接里带有令牌密钥，{{host}} 会看到它。建议为每个应用使用单独的限额令牌。',
  error: {
    badLink: '聊天链接配置错误，请联系管理员',
    noLink: '请联系管理员配置聊天链接',
    unreadable: '聊天数据解析失败',
    noToken: '当前没有可用的启用令牌，请确认是否有令牌处于启用状态！',
  },
  redirect: '{{seconds}} 秒后前往令牌页',
  stay: '留在此页',
  toTokens: '前往令牌页',
  ask: {
    title: '把密钥交给 {{host}}？',
    text: '{{host}} 是另一个网站，不属于本站。继续后它会得到令牌 {{token}} 的完整密钥，并能用它消费你的额度。',
    advice: '更安全的做法：为它新建一个带额度和有效期限制的令牌，并在上方选择它。',
    go: '把密钥交给 {{host}}',
  },
  app: {
    title: '在 {{name}} 中继续',
    text: '此链接会打开本机应用，并把令牌 {{token}} 的密钥交给它。',
    open: '打开 {{name}}',
    question: '没有打开？请先安装应用，或复制链接后粘贴到应用中。',
  },
  link: {
    title: '即将离开控制台',
    text: '继续后将打开 {{host}}，并把令牌 {{token}} 的密钥交给它。',
    soon: '{{seconds}} 秒后自动继续',
    go: '继续前往 {{host}}',
  },
};
