// The page of a channel: state, facts, attempts by the hour, money, failures and events, in one answer. For administrators.
import { z } from 'zod';
import { endpoint } from '#contract/endpoint.ts';
import { idParams } from '#contract/lists.ts';
import { channelView } from '#contract/relay/channel-fields.ts';
import { channelLimits } from '#contract/relay/channel-limits.ts';
import { named, thingMoney, thingSections, thingSpan, unitPrice, windowQuery } from './thing-parts.ts';

/** Models of one answer, most used first; the money contains all. */
export const MOST_PAGE_MODELS = 50;

const pageModel = thingMoney.extend({
  model: z.string(),
  /** In the channel's first group; null: it has no price, and calls are refused. */
  price: unitPrice.nullable(),
  /** What the upstream charges; null: unknown. */
  cost_price: unitPrice.nullable(),
  /** Other enabled channels that serve it in one of this channel's groups. */
  others: z.array(named),
  /** Calls of the last day that were refused because no channel was left, while this one is off. */
  refused: z.number(),
});
export type ChannelPageModel = z.output<typeof pageModel>;

export const channelPage = z.object({
  ...thingSpan,
  /** As in the list, without its key. */
  channel: channelView,
  /** Since when it is in this state; 0: not known. */
  state_since: z.number(),
  /** When its key was last changed; 0: not since it was made. */
  key_changed_at: z.number(),
  supplier: named.nullable(),
  /** The buy price that holds: its own or the supplier's. */
  buy_price: z.string(),
  /** Days that the balance lasts at the pace of the last seven days; null: not known. */
  balance_days: z.number().nullable(),
  balance_currency: z.enum(['USD', 'CNY']),
  /** Among the priorities of the enabled channels that serve its models, itself included; the first is the highest. */
  priority_place: z.object({ place: z.number(), of: z.number() }),
  /** Its part of the weights at its priority, 0 to 1; null: it is alone there. */
  weight_share: z.number().nullable(),
  /** Null: it needs no person. */
  alert: z
    .object({
      kind: z.enum(['off', 'unusable']),
      since: z.number(),
      reason: z.string(),
      words: z.string(),
      /** Models that no other channel serves now. */
      only_models: z.array(z.string()),
      /** Refused for it in the last day. */
      refused: z.number(),
      users: z.number(),
      /** Its upstream refuses key or account: a new key cures it. */
      is_key_fault: z.boolean(),
      /** Channels that serve its other models. */
      moved_to: z.array(named),
    })
    .nullable(),
  /** As the node that answers knows them. */
  limits: channelLimits,
  /** The channel with most attempts among those that serve a model of this one; null: none. */
  compared: named.extend({ first_token: z.number(), speed: z.number() }).nullable(),
  models: z.array(pageModel),
  model_count: z.number(),
  ...thingSections,
});
export type ChannelPage = z.output<typeof channelPage>;

export const channelPages = {
  read: endpoint({
    method: 'GET',
    path: '/api/channel/{id}/page',
    access: 'admin',
    summary: { zh: '渠道页面', en: 'The page of a channel' },
    params: idParams,
    query: windowQuery,
    returns: channelPage,
  }),
};
