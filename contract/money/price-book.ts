// The price book, for the super admin: versions of the prices, drafts of the next one, what a draft would have earned, and
// price lists to choose from.
import { z } from 'zod';
import { endpoint } from '#contract/endpoint.ts';
import { idParams, itemList, pageFromOne } from '#contract/lists.ts';
import { listedPrice } from './listed-price.ts';
import {
  bookedModel,
  priceDraftDetail,
  priceDraftView,
  priceImpact,
  pricesByOption,
  priceProposalView,
  priceVersionDetail,
  priceVersionView,
  PROPOSAL_STATES,
} from './price-book-views.ts';
import { LIST_SHAPES } from './price-names.ts';

const reason = z.string().trim().max(500);

const seen = z.object({ revision: z.number().int() });
const over = z.object({
  /** The running version that the operator has seen; another one is refused, so that no change is overwritten unseen. */
  over: z.number().int(),
});

const imported = z.object({
  shape: z.string(),
  /** Models of the list, those that this gateway knows, and those with another price. */
  listed: z.number(),
  known: z.number(),
  proposed: z.number(),
});

export const priceBook = {
  models: endpoint({
    method: 'GET',
    path: '/api/prices/models',
    access: 'root',
    summary: { zh: '模型的现行价格与来源', en: 'Current prices of models and where they come from' },
    returns: z.array(bookedModel),
  }),
  proposals: endpoint({
    method: 'GET',
    path: '/api/prices/proposals',
    access: 'root',
    summary: { zh: '待审核的价格', en: 'Prices to review' },
    query: pageFromOne.extend({ status: z.enum(PROPOSAL_STATES).default('open') }),
    returns: itemList(priceProposalView),
  }),
  decide: endpoint({
    method: 'POST',
    path: '/api/prices/proposals/decide',
    access: 'root',
    summary: { zh: '接受或拒绝价格', en: 'Accept or refuse prices' },
    body: z.object({
      ids: z.array(z.number().int().positive()).min(1).max(1000),
      decision: z.enum(['accept', 'refuse']),
      /** The draft that takes accepted prices; 0: a new one. */
      draft_id: z.number().int().min(0).default(0),
    }),
    returns: z.object({ decided: z.number(), draft_id: z.number() }),
  }),
  /** The console reads the file; its models come in the shape of contract/money/listed-price.ts. */
  importList: endpoint({
    method: 'POST',
    path: '/api/prices/import',
    access: 'root',
    summary: { zh: '导入价格表', en: 'Import a price list' },
    body: z.object({
      origin: z.string().trim().min(1).max(200),
      shape: z.enum(LIST_SHAPES),
      models: z.array(listedPrice).max(5000),
    }),
    returns: imported,
  }),
  importAddress: endpoint({
    method: 'POST',
    path: '/api/prices/import-address',
    access: 'root',
    summary: { zh: '从地址导入价格表', en: 'Import a price list from an address' },
    body: z.object({ url: z.url({ protocol: /^https?$/ }).max(2000) }),
    returns: imported,
  }),
  versions: endpoint({
    method: 'GET',
    path: '/api/prices/versions',
    access: 'root',
    summary: { zh: '价格版本', en: 'Price versions' },
    query: pageFromOne,
    returns: itemList(priceVersionView),
  }),
  version: endpoint({
    method: 'GET',
    path: '/api/prices/versions/{id}',
    access: 'root',
    summary: { zh: '某个价格版本', en: 'One price version' },
    params: idParams,
    returns: priceVersionDetail,
  }),
  rollBack: endpoint({
    method: 'POST',
    path: '/api/prices/versions/{id}/rollback',
    access: 'root',
    summary: { zh: '恢复旧版本的价格', en: 'Bring back the prices of a version' },
    params: idParams,
    body: over.extend({ reason }),
    returns: priceVersionView,
  }),
  drafts: endpoint({
    method: 'GET',
    path: '/api/prices/drafts',
    access: 'root',
    summary: { zh: '价格草稿', en: 'Price drafts' },
    query: pageFromOne,
    returns: itemList(priceDraftView),
  }),
  draft: endpoint({
    method: 'GET',
    path: '/api/prices/drafts/{id}',
    access: 'root',
    summary: { zh: '某个价格草稿', en: 'One price draft' },
    params: idParams,
    returns: priceDraftDetail,
  }),
  createDraft: endpoint({
    method: 'POST',
    path: '/api/prices/drafts',
    access: 'root',
    summary: { zh: '新建价格草稿', en: 'Create a price draft' },
    /** `prices`: the options that change, each whole, against version `based_on`; without it against the running one. */
    body: z.object({
      reason: reason.default(''),
      prices: pricesByOption.optional(),
      based_on: z.number().int().positive().optional(),
    }),
    returns: priceDraftView,
  }),
  changeDraft: endpoint({
    method: 'PUT',
    path: '/api/prices/drafts/{id}',
    access: 'root',
    summary: { zh: '修改价格草稿', en: 'Change a price draft' },
    params: idParams,
    /** `prices`: the options that change, each whole. */
    body: seen.extend({ prices: pricesByOption.default({}), reason: reason.optional() }),
    returns: priceDraftView,
  }),
  schedule: endpoint({
    method: 'POST',
    path: '/api/prices/drafts/{id}/schedule',
    access: 'root',
    summary: { zh: '定时发布价格草稿', en: 'Schedule the publication of a price draft' },
    params: idParams,
    /** 0: no longer. */
    body: seen.extend({ publish_at: z.number().int().min(0).max(253_402_300_799) }),
    returns: priceDraftView,
  }),
  publish: endpoint({
    method: 'POST',
    path: '/api/prices/drafts/{id}/publish',
    access: 'root',
    summary: { zh: '发布价格草稿', en: 'Publish a price draft' },
    params: idParams,
    body: seen.extend(over.shape),
    returns: priceVersionView,
  }),
  withdraw: endpoint({
    method: 'POST',
    path: '/api/prices/drafts/{id}/withdraw',
    access: 'root',
    summary: { zh: '撤回价格草稿', en: 'Withdraw a price draft' },
    params: idParams,
    body: seen,
    returns: priceDraftView,
  }),
  impact: endpoint({
    method: 'GET',
    path: '/api/prices/drafts/{id}/impact',
    access: 'root',
    summary: { zh: '草稿对上周调用的影响', en: "What last week's calls would have cost under a draft" },
    params: idParams,
    returns: priceImpact,
  }),
};
