/** Words of the newest calls on the overview. */
import type { Messages } from '#web/i18n/rows.ts';

export default {
  title: ['Last calls', '最近的调用'],
  hint: ['open a row to see its charge', '点开看扣费算式'],
  all: ['All logs', '全部日志'],
  none: ['No call yet.', '还没有调用。'],
  cached: ['Cached', '其中缓存'],
} satisfies Messages;
