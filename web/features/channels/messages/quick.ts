/** Words of the drawer that connects a provider. */
import type { Messages } from '#web/i18n/rows.ts';

export default {
  title: ['Connect a provider', '接入上游'],
  provider: ['1. Choose the provider', '1. 选择服务商'],
  key: ['2. Paste the key', '2. 粘贴密钥'],
  baseUrl: ['Address', '地址'],
  check: ['List and test its models', '列出并测试模型'],
  listing: ['Reading the model list…', '正在读取模型列表…'],
  testing: ['Testing {{model}}…', '正在测试 {{model}}…'],
  passed: ['{{model}} answered in {{seconds}} s', '{{model}} 测试通过，耗时 {{seconds}} 秒'],
  offered: ['One model will be offered', '{{count}} models will be offered', '将提供 {{count}} 个模型'],
  left: ['The upstream has one more; add it to the channel later', 'The upstream has {{count}} more; add them to the channel later', '上游另有 {{count}} 个模型，可以之后在渠道里添加'],
  save: ['Save the channel', '保存渠道'],
  expert: ['Full form', '完整表单'],
  noModels: ['The upstream returned no models. Enter them in the full form.', '上游没有返回任何模型，请用完整表单填写'],
} satisfies Messages;
