// The browsable page of the API: one self-contained HTML document without scripts or outside files.
import type { Text } from '#contract/language.ts';
import type { Language } from '#contract/language.ts';
import { schemaOf, type Operation } from './openapi-schema.ts';

const WORDS = {
  title: { zh: 'Tollgate 接口文档', en: 'Tollgate API' },
  intro: {
    zh: '所有回应均为 {success, message, data}。登录后的调用须带请求头 New-Api-User（当前用户 ID），并带浏览器会话或 Authorization: Bearer <系统访问令牌>。',
    en: 'Every answer is {success, message, data}. Signed-in calls carry the header New-Api-User (your user id) and either a browser session or Authorization: Bearer <system access token>.',
  },
  raw: { zh: 'OpenAPI 原文', en: 'OpenAPI document' },
  other: { zh: 'English', en: '中文' },
  path: { zh: '路径参数', en: 'Path' },
  query: { zh: '查询参数', en: 'Query' },
  body: { zh: '请求体', en: 'Body' },
  data: { zh: '回应的 data', en: 'data of the answer' },
  beside: { zh: '与 data 并列的字段', en: 'Fields beside data' },
} as const satisfies Record<string, Text>;

const ACCESS = {
  public: { zh: '公开', en: 'public' },
  visitor: { zh: '公开', en: 'public' },
  user: { zh: '用户', en: 'user' },
  admin: { zh: '管理员', en: 'admin' },
  root: { zh: '超级管理员', en: 'super admin' },
} as const satisfies Record<string, Text>;

const STYLE = `
:root{color-scheme:light dark;--line:light-dark(#e3e6ea,#2c3138);--soft:light-dark(#f6f7f9,#1a1d21);--dim:light-dark(#5c6670,#9aa4af)}
body{font:14px/1.5 system-ui,"PingFang SC","Microsoft YaHei",sans-serif;max-width:900px;margin:0 auto;padding:24px 16px}
h1{font-size:22px;margin:0 0 4px}h2{font-size:15px;margin:28px 0 8px}p{color:var(--dim);margin:4px 0 12px}
nav a{margin-right:16px}details{border:1px solid var(--line);border-radius:6px;margin:6px 0}
summary{cursor:pointer;padding:8px 12px;display:flex;gap:12px;align-items:baseline;flex-wrap:wrap}
summary::marker{content:""}b.m{font:600 12px ui-monospace,monospace;min-width:52px}code{font:13px ui-monospace,monospace}
.who{margin-left:auto;color:var(--dim);font-size:12px}section{padding:0 12px 12px;border-top:1px solid var(--line)}
h3{font-size:12px;margin:12px 0 4px;color:var(--dim)}pre{background:var(--soft);padding:10px;border-radius:6px;overflow:auto;margin:0;font:12px/1.45 ui-monospace,monospace}
`;

export function documentationPage(
  operations: readonly Operation[],
  version: string,
  language: Language,
): string {
  const say = (name: keyof typeof WORDS) => escapeHtml(WORDS[name][language]);
  const other = language === 'zh' ? 'en' : 'zh';
  const groups = Map.groupBy(operations, ({ tag }) => tag);
  const content = [...groups]
    .map(
      ([tag, members]) => `<h2>${escapeHtml(tag)}</h2>${members.map((one) => entry(one, language)).join('')}`,
    )
    .join('');
  return `<!doctype html><html lang="${language}"><head><meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1"><title>${say('title')}</title><style>${STYLE}</style></head>
<body><h1>${say('title')} <small>${escapeHtml(version)}</small></h1><p>${say('intro')}</p>
<nav><a href="/api/openapi.json">${say('raw')}</a><a href="?lang=${other}" hreflang="${other}">${say('other')}</a></nav>
<main>${content}</main></body></html>
`;
}

function entry({ endpoint }: Operation, language: Language): string {
  const parts = [
    ['path', schemaOf(endpoint.params, 'input')],
    ['query', schemaOf(endpoint.query, 'input')],
    ['body', schemaOf(endpoint.body, 'input')],
    ['data', schemaOf(endpoint.returns, 'output')],
    ['beside', schemaOf(endpoint.extra, 'output')],
  ] as const;
  const blocks = parts
    .filter(([, schema]) => schema !== null)
    .map(([name, schema]) => {
      const text = escapeHtml(JSON.stringify(schema, null, 2));
      return `<h3>${escapeHtml(WORDS[name][language])}</h3><pre>${text}</pre>`;
    })
    .join('');
  return `<details><summary><b class="m">${endpoint.method}</b><code>${escapeHtml(endpoint.path)}</code>
<span>${escapeHtml(endpoint.summary[language])}</span><span class="who">${escapeHtml(ACCESS[endpoint.access][language])}</span></summary>
<section>${blocks}</section></details>`;
}

function escapeHtml(text: string): string {
  return text
    .replaceAll('&', '&amp;')
    .replaceAll('<', '&lt;')
    .replaceAll('>', '&gt;')
    .replaceAll('"', '&quot;');
}
