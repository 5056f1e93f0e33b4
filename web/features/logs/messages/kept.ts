/** Whether a conversation kept the channel that answered it last. */
import type { Messages } from '#web/i18n/rows.ts';
import type { keptWord } from '#web/features/logs/kept.ts';

export default {
  kept: ['kept its channel', '沿用原渠道'],
  moved: ['channel #{{channel}} had it, but did not answer', '原渠道 #{{channel}} 未回答，已换渠道'],
  weight: ['new: the channel was chosen by priority and weight', '新对话：按优先级和权重选择渠道'],
  gone: ['left channel #{{channel}}: it no longer serves this model', '离开原渠道 #{{channel}}：不再提供此模型'],
  off: ['left channel #{{channel}}: it is disabled', '离开原渠道 #{{channel}}：已禁用'],
  unsuited: ['left channel #{{channel}}: it cannot take this request', '离开原渠道 #{{channel}}：无法处理此请求'],
  paused: ['left channel #{{channel}}: it is cooling down after failures', '离开原渠道 #{{channel}}：失败后冷却中'],
  busy: ['left channel #{{channel}}: it has as many calls at once as it may', '离开原渠道 #{{channel}}：并发已满'],
  limit: ['left channel #{{channel}}: it is at a limit of its upstream', '离开原渠道 #{{channel}}：已达到上游的限额'],
  priority: ['left channel #{{channel}}: one with a higher priority is free', '离开原渠道 #{{channel}}：有优先级更高的渠道可用'],
  reserve: ['left channel #{{channel}}: its weight is 0, and others are free', '离开原渠道 #{{channel}}：权重为 0，且有其他渠道可用'],
} satisfies Messages & Record<ReturnType<typeof keptWord>, [string, string]>;
