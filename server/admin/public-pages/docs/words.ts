// Words around the documents.
import type { Text } from '#contract/language.ts';

export const WORDS = {
  title: { zh: '文档', en: 'Docs' },
  contents: { zh: '目录', en: 'Contents' },
  search: { zh: '搜索标题和错误', en: 'Search the docs' },
  find: { zh: '搜索', en: 'Search' },
  nothing: { zh: '没有匹配的标题或错误', en: 'No matching title or error' },
  neighbours: { zh: '上一页和下一页', en: 'Previous and next page' },
  englishOnly: {
    zh: '此页面向开发者，只有英文。',
    en: 'This page is for developers and available in English only.',
  },
  site: { zh: '本站', en: 'This site' },
  address: { zh: 'Base URL', en: 'Base URL' },
  copyAddress: { zh: '复制 Base URL', en: 'Copy the base URL' },
  prices: { zh: '模型与价格', en: 'Models and prices' },
  keys: { zh: '令牌', en: 'API keys' },
  limits: { zh: '错误与限制', en: 'Errors and limits' },
  siteLimits: { zh: '本站的限制', en: 'Limits of this site' },
  ownLimits: {
    zh: '令牌可以另设额度、预算、速率、模型和 IP 的限制。',
    en: 'A key can have its own limits on quota, budget, rate, models and IP addresses.',
  },
} satisfies Record<string, Text>;

export const modelCount = (count: number): Text => ({
  zh: `${count} 个模型`,
  en: count === 1 ? '1 model' : `${count} models`,
});
export const foundTitle = (query: string): Text => ({ zh: `搜索“${query}”`, en: `Search for “${query}”` });
