/** What happened when the first token of a call was late. */
import type { Messages } from '#web/i18n/rows.ts';
import type { hedgeWord } from '#web/features/logs/hedge.ts';

export default {
  second: ['hedged after {{seconds}} s: the second channel answered first', '{{seconds}} 秒后并行再试：第二个渠道先回答'],
  first: ['hedged after {{seconds}} s: the first channel answered first after all', '{{seconds}} 秒后并行再试：仍是第一个渠道先回答'],
  failed: ['hedged after {{seconds}} s: neither channel answered', '{{seconds}} 秒后并行再试：两个渠道都未回答'],
  no_channel: ['late after {{seconds}} s, not hedged: no other channel was available', '{{seconds}} 秒仍无首字，未并行再试：没有其他可用的渠道'],
  share: ['late after {{seconds}} s, not hedged: the limit on the share of hedged calls was reached', '{{seconds}} 秒仍无首字，未并行再试：已达到并行再试的比例上限'],
  money: ['late after {{seconds}} s, not hedged: the daily cost limit was reached', '{{seconds}} 秒仍无首字，未并行再试：已达到当天的费用上限'],
} satisfies Messages & Record<ReturnType<typeof hedgeWord>, [string, string]>;
