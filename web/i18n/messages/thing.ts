/** Words of the parts of a thing's page. */
import type { Messages } from '#web/i18n/rows.ts';

export default {
  facts: ['Facts', '基本信息'],
  window: { label: ['Time', '时间范围'], '24h': ['24 h', '24 小时'], '7d': ['7 d', '7 天'], '30d': ['30 d', '30 天'] },
  span: { '24h': ['Last 24 hours', '最近 24 小时'], '7d': ['Last 7 days', '最近 7 天'], '30d': ['Last 30 days', '最近 30 天'] },
  per: {
    '24h': ['one post an hour, calls to scale', '每小时一柱，高度为调用次数'],
    '7d': ['one post for six hours, calls to scale', '每 6 小时一柱，高度为调用次数'],
    '30d': ['one post a day, calls to scale', '每天一柱，高度为调用次数'],
  },
  posts: {
    label: ['Calls over time', '调用随时间的分布'],
    post: ['{{time}}: {{answered}} answered, {{failed}} failed', '{{time}}：成功 {{answered}}，失败 {{failed}}'],
    token: ['First token {{seconds}} s', '首字 {{seconds}} 秒'],
    tokens: ['First token, median of each post', '每柱首字时间的中位数'],
    below: ['Above: calls. Below: first token, median.', '上：调用次数。下：首字时间中位数。'],
    answered: ['answered', '成功'],
    failed: ['failed', '失败'],
  },
  money: {
    used: ['Used', '用掉'],
    cost: ['cost', '成本'],
    costUnknown: ['cost unknown', '成本未知'],
    ofUnknown: ['of unknown cost', '成本未知'],
    margin: ['margin', '毛利'],
    certainMargin: ['certain margin', '确定的毛利'],
    unknown: ['unknown', '未知'],
  },
  errors: {
    title: ['Errors', '错误'],
    none: ['No errors in this time.', '这段时间没有错误。'],
    noStatus: ['no answer', '无响应'],
    copy: ['Copy for the supplier', '复制给供应商'],
    copied: ['Copied', '已复制'],
  },
  events: {
    title: ['Events', '事件'],
    hint: ['what happened to it and who did it', '发生了什么，谁做的'],
    none: ['Nothing yet.', '暂无事件。'],
  },
  calls: {
    calls: ['Calls', '调用'],
    answered: ['Answered', '成功率'],
    used: ['Used', '用掉'],
    each: ['Each call', '平均每次'],
    models: ['Models that cost most', '消费最多的模型'],
    model: ['Model', '模型'],
  },
  missing: {
    title: ['There is no such page', '找不到这个页面'],
    text: ['It does not exist, or it is not yours to see.', '它不存在，或者你无权查看。'],
  },
  before: ['{{value}} the time before', '上一时段 {{value}}'],
  tooFew: ['Too few calls to say.', '调用太少，还说不准。'],
} satisfies Messages;
