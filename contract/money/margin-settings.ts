// The order of channels inside a priority, and alerts of negative margins; part of the registry in contract/settings.ts.
import { choice, decimal, integer } from '#contract/setting-kinds.ts';

export const CHANNEL_ORDERS = ['weight', 'priority', 'cheapest', 'fastest', 'balanced'] as const;
export type ChannelOrder = (typeof CHANNEL_ORDERS)[number];

export const MARGIN_SETTINGS = {
  ChannelOrder: choice(CHANNEL_ORDERS, 'weight', 'monitoring', [
    '同一优先级内的渠道顺序',
    'Order of channels with the same priority',
    '按权重（weight）分配；权重优先（priority）先用权重最高的；最便宜（cheapest）看进价；最快（fastest）看首字；均衡（balanced）按权重，更贵或更慢的渠道少分。',
    'Weight shares calls by weight; priority uses the highest weight first; cheapest the lowest buy price; fastest the quickest first token; balanced goes by weight, with fewer calls for expensive or slow channels.',
  ]),
  MarginAlertDays: integer(
    1,
    'notices',
    [
      '亏本提醒统计的天数（0 为不提醒）',
      'Days checked for sales below cost (0 = no alerts)',
      '渠道的某个模型在这些天（按站点时区，含今天）里的收入低于成本时通知运营者，同一渠道的同一模型每天最多一次。',
      "Operators are notified when a channel's model brought in less than it cost over this many days (in the site's time zone, including today), at most once a day per channel and model.",
    ],
    { min: 0, max: 31 },
  ),
  MarginAlertLoss: decimal(
    1,
    'notices',
    [
      '亏损超过多少美元才提醒',
      'Minimum loss before operators are notified (USD)',
      '亏损不超过此值时不提醒；1 表示亏损超过 $1 才通知。',
      'Losses up to this amount are not reported; 1 means only above $1.',
    ],
    { min: 0, max: 1_000_000 },
  ),
};
