/** Words of the public pages. */
import type { Messages } from '#web/i18n/rows.ts';

export default {
  about: {
    title: ['About', '关于'],
    empty: ['{{name}} is a gateway for model APIs: one address for every model, prepaid and billed by use.', '{{name}} 是大模型 API 网关：一个地址接入各家模型，预付额度，按量扣费。'],
    version: ['Version', '版本'],
    api: ['API reference', '接口文档'],
    operator: ['The administrator can fill this page in the settings.', '管理员可以在设置中填写本页内容。'],
  },
} satisfies Messages;
