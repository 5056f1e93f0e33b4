// When a late call gets a second attempt on another channel (ADR 121); part of the registry in contract/settings.ts.
import { decimal, integer } from '#contract/setting-kinds.ts';
import { list } from '#contract/setting-texts.ts';

export const HEDGE_SETTINGS = {
  HedgeGroups: list([], 'general', [
    '迟迟没有首字时并行再试的分组',
    'Groups whose late calls are hedged',
    '这些分组的流式调用在首字比渠道平时更晚时，同时再试另一个渠道，先回答的生效；用逗号分隔，例如 vip，留空则只看虚拟模型自己的开关。',
    "Streamed calls of these groups get a second attempt on another channel when the first token is later than usual there; the first to answer wins. Comma-separated, for example vip; leave blank to go by each virtual model's own switch.",
  ]),
  HedgeSharePercent: decimal(
    5,
    'general',
    [
      '并行再试的调用最多占百分之几',
      'Limit for hedged calls (percent)',
      '每个节点并行再试的调用占可并行再试的调用的最大比例；0 表示不再试。',
      'At most this share of the calls that could be hedged gets a second attempt, on each node; 0 means none.',
    ],
    { min: 0, max: 50 },
  ),
  HedgeDollarsPerDay: decimal(
    5,
    'general',
    [
      '并行再试每天最多花费（美元）',
      'Daily limit for hedged calls (USD)',
      '并行再试中未采用的调用，按站点时区每天的进价合计不超过此值，所有节点一起计算；没有进价的按售价估算。',
      "The most that attempts beaten by another channel may cost together in one day (in the site's time zone), on all nodes, at the channels' buy prices; without a buy price at the selling price.",
    ],
    { min: 0, max: 1_000_000 },
  ),
  HedgeLeastMilliseconds: integer(
    500,
    'general',
    [
      '最早多久后并行再试（毫秒）',
      'Earliest second attempt (milliseconds)',
      '首字等待未超过此时间时不会再试，即使渠道平时更快。',
      'No second attempt begins before this wait, even on a channel that is usually faster.',
    ],
    { min: 10, max: 100_000 },
  ),
  HedgeMostMilliseconds: integer(
    20_000,
    'general',
    [
      '最晚多久后并行再试（毫秒）',
      'Latest second attempt (milliseconds)',
      '首字等待超过此时间就再试，即使渠道平时更慢。',
      'After this wait the second attempt begins, even on a channel that is usually slower.',
    ],
    { min: 10, max: 100_000 },
  ),
};
