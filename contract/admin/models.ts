// Models as operators see them: the list of those that are offered or called, and the page of one. For administrators.
import { z } from 'zod';
import { endpoint } from '#contract/endpoint.ts';
import { named, thingMoney, thingSections, thingSpan, unitPrice, windowQuery } from './thing-parts.ts';

/** Models of the list: those with most calls first. */
export const MOST_LISTED_MODELS = 1000;

const modelRow = z.object({
  model: z.string(),
  /** Enabled channels that offer it, and all that name it. */
  channels: z.number(),
  all_channels: z.number(),
  groups: z.array(z.string()),
  /** In the first of its groups; null: calls are refused. */
  price: unitPrice.nullable(),
  /** Of the last 24 hours. `refused`: before any attempt. */
  answered: z.number(),
  failed: z.number(),
  refused: z.number(),
  /** Of the last seven days. */
  money: thingMoney,
});
export type ModelRow = z.output<typeof modelRow>;

const modelChannel = thingMoney.extend({
  ...named.shape,
  status: z.number(),
  /** Its upstream's name of the model. */
  upstream_model: z.string(),
  groups: z.array(z.string()),
  priority: z.number(),
  weight: z.number(),
  /** What the upstream charges; null: unknown. */
  cost_price: unitPrice.nullable(),
});
export type ModelChannel = z.output<typeof modelChannel>;

export const modelPage = z.object({
  ...thingSpan,
  model: z.string(),
  /** Its vendor by the built-in list; may be empty. */
  vendor: z.string(),
  /** By group; null: calls are refused. */
  prices: z.array(z.object({ group: z.string(), price: unitPrice.nullable() })),
  alert: z
    .object({
      /** No enabled channel offers it, or it has no price. */
      kind: z.enum(['no_channel', 'no_price']),
      /** When its last channel went off; 0: not known. */
      since: z.number(),
      refused: z.number(),
      users: z.number(),
      /** Channels that would serve it, were they on. */
      off: z.array(named),
    })
    .nullable(),
  /** Calls of the window that were refused before any attempt, by the name of the error. */
  refused: z.array(z.object({ code: z.string(), count: z.number(), users: z.number() })),
  /** Those that name it, and those that served it in the days of the money. */
  channels: z.array(modelChannel),
  ...thingSections,
});
export type ModelPage = z.output<typeof modelPage>;

export const modelPages = {
  list: endpoint({
    method: 'GET',
    path: '/api/model/',
    access: 'admin',
    summary: { zh: '模型列表（运营）', en: 'Models that are offered or called' },
    returns: z.object({ now: z.number(), rows: z.array(modelRow), total: z.number() }),
  }),
  read: endpoint({
    method: 'GET',
    path: '/api/model/page',
    access: 'admin',
    summary: { zh: '模型页面（运营）', en: 'The page of a model' },
    // In the query, because names of models may contain slashes.
    query: windowQuery.extend({ name: z.string().min(1).max(255) }),
    returns: modelPage,
  }),
};
