/** Words of the route simulator. */
import type { Messages } from '#web/i18n/rows.ts';

export default {
  title: ['Route simulator', '路由模拟'],
  model: ['Model', '模型'],
  group: ['Group', '分组'],
  serves: ['One channel serves this model', '{{count}} channels serve this model, in the order they are tried', '{{count}} 个渠道可用，按尝试顺序'],
  nobody: ['No channel serves this model, so calls are refused', '没有可用渠道：请求会被拒绝'],
  rank: ['Tier {{tier}} · priority {{priority}} · weight {{weight}}', '第 {{tier}} 级 · 优先级 {{priority}} · 权重 {{weight}}'],
  place: ['place {{place}}', '第 {{place}} 位'],
  factor: ['gets only {{percent}}% of its usual calls (low supplier score)', '供应商评分低，只保留 {{percent}}% 的调用'],
  cost: ['{{amount}} a call', '每次 {{amount}}'],
  costUnknown: ['cost unknown', '成本未知'],
  firstToken: ['first token {{seconds}} s', '首字 {{seconds}} 秒'],
  notMeasured: ['not measured', '未测得'],
  order: {
    weight: ['Within a tier, calls are shared by weight.', '同一优先级内按权重分配调用。'],
    priority: ['Within a tier, the channel with the highest weight takes every call; the next one is used only when it is unavailable.', '同一优先级内权重最高的渠道承担全部调用，它不可用时才用下一个。'],
    cheapest: ['Within a tier, the lowest buy price comes first, compared for a call with 3,000 tokens in and 1,000 out.', '同一优先级内先用进价最低的渠道；以输入 3,000、输出 1,000 token 的一次调用比较。'],
    fastest: ['Within a tier, the channel with the fastest first token in the last hours comes first; {{share}} of the calls try channels that are not measured yet.', '同一优先级内先用最近几小时首字最快的渠道；{{share}} 的调用用来尝试还没有测得的渠道。'],
    balanced: ['Within a tier, calls are shared by weight; a channel that is twice as expensive or slow gets half as many.', '同一优先级内按权重分配；贵一倍或慢一倍的渠道得到一半的调用。'],
  },
  cooling: ['cooling down', '冷却中'],
  reserve: ['reserve', '后备'],
  others: ['Why not the others', '为何不选其他渠道'],
  withoutModel: ['One more channel does not have this model', '{{count}} more channels do not have this model', '另有 {{count}} 个渠道没有这个模型'],
  reason: {
    disabled: ['Disabled by hand', '已手动禁用'],
    auto_disabled: ['Disabled automatically', '已自动禁用'],
    no_group: ['Not in this group', '不属于该分组'],
    no_model: ['Does not have the model', '没有这个模型'],
    type_not_ready: ['The gateway cannot call this type yet', '网关暂不支持此类型'],
    other_format: ['This type does not offer this kind of call', '此类型不提供这种接口'],
    inconsistent: ['The model index is out of date. Run Fix database consistency.', '模型索引已过时，请点“修复数据库一致性”'],
  },
} satisfies Messages;
