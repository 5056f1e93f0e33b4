// Resellers: agents earn a dividend on what the users they invited pay or spend. Of a customer an agent sees the masked
// username and the agent's own dividends. Rates are percentages with two decimals; amounts are quota.
import { z } from 'zod';
import type { CustomProblem } from '#contract/problem-words.ts';
import { basedOn } from '#contract/based-on.ts';
import { endpoint } from '#contract/endpoint.ts';
import { EXPORT_FORMATS, idParams, itemList, pageFromOne, queryFlag } from '#contract/lists.ts';

export const DIVIDEND_KINDS = ['payment', 'spend', 'reversal', 'restored', 'owed'] as const;
export type DividendKindName = (typeof DIVIDEND_KINDS)[number];

export const WITHDRAWAL_STATUS = ['requested', 'approved', 'paid', 'refused'] as const;
export type WithdrawalStatusName = (typeof WITHDRAWAL_STATUS)[number];

export const WITHDRAWAL_ACTIONS = ['approve', 'pay', 'refuse'] as const;
export type WithdrawalAction = (typeof WITHDRAWAL_ACTIONS)[number];

export const WITHDRAWAL_ACCOUNT_MAX = 200;

const amount = z.number().int().min(0);

const record = z.object({
  id: z.number(),
  created_at: z.number(),
  kind: z.enum(DIVIDEND_KINDS),
  /** 1: invited by the agent. 2: invited by somebody the agent invited. 0: concerns no customer. */
  level: z.number(),
  /** Masked. */
  customer: z.string(),
  base_quota: amount,
  rate_percent: z.number(),
  /** Change of the dividend balance. */
  amount: z.number(),
  /** Change of what the agent owes. */
  owed: z.number(),
});
export type DividendRecord = z.output<typeof record>;

/** For administrators: with agent and customer. */
const adminRecord = record.extend({
  agent_id: z.number(),
  agent: z.string(),
  customer_id: z.number(),
  order_id: z.number(),
});
export type AdminDividendRecord = z.output<typeof adminRecord>;

const customer = z.object({
  /** Masked. */
  customer: z.string(),
  level: z.number(),
  /** What the dividends were computed from, less refunds. */
  revenue: z.number(),
  /** What was owed of a reversal counts as taken back. */
  dividends: z.number(),
});
export type AgentCustomer = z.output<typeof customer>;

const withdrawal = z.object({
  id: z.number(),
  created_at: z.number(),
  method: z.string(),
  account: z.string(),
  quota: amount,
  /** Part of `quota` that is not paid out. */
  fee_quota: amount,
  status: z.enum(WITHDRAWAL_STATUS),
  decided_at: z.number(),
  paid_at: z.number(),
  /** Reason of a refusal or reference of a payment. */
  note: z.string(),
});
export type WithdrawalView = z.output<typeof withdrawal>;

const adminWithdrawal = withdrawal.extend({
  user_id: z.number(),
  username: z.string(),
  /** Whether the caller may decide: only about users of a lower role. */
  decidable: z.boolean(),
});
export type AdminWithdrawalView = z.output<typeof adminWithdrawal>;

const overview = z.object({
  active: z.boolean(),
  rate_percent: z.number(),
  /** 0: there is no second level. */
  second_level_percent: z.number(),
  basis: z.enum(['payment', 'spend']),
  aff_code: z.string(),
  balance: amount,
  /** Reversed dividends that the balance did not cover; taken from the next dividends. */
  owed: amount,
  /** Of the running month (UTC), less what was taken back. */
  month_dividends: z.number(),
  month_revenue: z.number(),
  dividends: z.number(),
  revenue: z.number(),
  customers: amount,
  second_level_customers: amount,
  /** Requested or approved, and paid. */
  withdrawing: amount,
  withdrawn: amount,
  withdrawal: z.object({
    /** Empty: no withdrawals. */
    methods: z.array(z.string()),
    minimum: amount,
    fee_percent: z.number(),
  }),
});
export type AgentOverview = z.output<typeof overview>;

const agentView = z.object({
  user_id: z.number(),
  username: z.string(),
  active: z.boolean(),
  rate_percent: z.number(),
  balance: amount,
  owed: amount,
  dividends: z.number(),
  customers: amount,
  withdrawing: amount,
  withdrawn: amount,
  created_at: z.number(),
});
export type AgentView = z.output<typeof agentView>;

/** Over all agents, from the ledger: dividends − transferred − withdrawing − withdrawn = balance. */
const totals = z.object({
  dividends: z.number(),
  transferred: z.number(),
  withdrawing: z.number(),
  withdrawn: z.number(),
  fees: z.number(),
  balance: z.number(),
  owed: z.number(),
});
export type AgentTotals = z.output<typeof totals>;

const recordFilter = z.object({
  kind: z.enum(DIVIDEND_KINDS).optional(),
  start_timestamp: z.coerce.number().int().min(0).optional(),
  end_timestamp: z.coerce.number().int().min(0).optional(),
});

const quota = z.number().int().min(1).max(Number.MAX_SAFE_INTEGER);
/** Idempotency key of one click: sent again it moves nothing. */
const requestId = z
  .string()
  .min(8)
  .max(64)
  .regex(/^[\w-]+$/);

export const agencyFields = z.object({
  user_id: z.number().int().positive(),
  active: z.boolean(),
  rate_percent: z
    .number()
    .min(0)
    .max(100)
    .refine((percent) => Number(percent.toFixed(2)) === percent, 'two_decimals' satisfies CustomProblem),
});

export const agents = {
  overview: endpoint({
    method: 'GET',
    path: '/api/agent/self',
    access: 'user',
    summary: { zh: '我的代理概况', en: 'Your reseller account' },
    returns: overview,
  }),
  customers: endpoint({
    method: 'GET',
    path: '/api/agent/self/customers',
    access: 'user',
    summary: { zh: '我的客户', en: 'Your customers' },
    query: pageFromOne,
    returns: itemList(customer),
  }),
  records: endpoint({
    method: 'GET',
    path: '/api/agent/self/records',
    access: 'user',
    summary: { zh: '我的分红记录', en: 'Your dividend records' },
    query: pageFromOne.extend(recordFilter.shape),
    returns: itemList(record),
  }),
  exportRecords: endpoint({
    method: 'GET',
    path: '/api/agent/self/records/export',
    access: 'user',
    summary: { zh: '导出我的分红记录', en: 'Export your dividend records' },
    query: recordFilter.extend({ format: z.enum(EXPORT_FORMATS).default('csv') }),
    /** A file, without an envelope. */
    returns: z.custom<Response>(),
    limit: 'search',
  }),
  transfer: endpoint({
    method: 'POST',
    path: '/api/agent/self/transfer',
    access: 'user',
    summary: { zh: '分红划转到余额', en: 'Move dividends to your balance' },
    body: z.object({ quota, request_id: requestId }),
    returns: z.object({ quota: z.number(), balance: amount }),
  }),
  withdraw: endpoint({
    method: 'POST',
    path: '/api/agent/self/withdraw',
    access: 'user',
    summary: { zh: '申请提现', en: 'Request a withdrawal' },
    body: z.object({
      quota,
      method: z.string().trim().min(1).max(40),
      account: z.string().trim().min(1).max(WITHDRAWAL_ACCOUNT_MAX),
      request_id: requestId,
    }),
    returns: withdrawal,
    limit: 'critical',
    sessionOnly: true,
    stepUp: true,
  }),
  withdrawals: endpoint({
    method: 'GET',
    path: '/api/agent/self/withdrawals',
    access: 'user',
    summary: { zh: '我的提现记录', en: 'Your withdrawals' },
    query: pageFromOne,
    returns: itemList(withdrawal),
  }),
  list: endpoint({
    method: 'GET',
    path: '/api/agent/',
    access: 'admin',
    summary: { zh: '代理商列表', en: 'List resellers' },
    query: pageFromOne.extend({ keyword: z.string().trim().max(100).default(''), ended: queryFlag }),
    returns: itemList(agentView).extend({ totals }),
  }),
  set: endpoint({
    method: 'PUT',
    path: '/api/agent/',
    access: 'admin',
    summary: { zh: '设置代理商', en: 'Make a user a reseller, change the rate or end it' },
    /** The base of the rate of a user who was no agent is `null`. */
    body: agencyFields.extend({ based_on: basedOn }),
    returns: agentView,
    stepUp: true,
  }),
  allRecords: endpoint({
    method: 'GET',
    path: '/api/agent/records',
    access: 'admin',
    summary: { zh: '全部分红记录', en: 'All dividend records' },
    query: pageFromOne.extend({ ...recordFilter.shape, agent_id: z.coerce.number().int().min(1).optional() }),
    returns: itemList(adminRecord),
  }),
  allWithdrawals: endpoint({
    method: 'GET',
    path: '/api/agent/withdrawals',
    access: 'admin',
    summary: { zh: '提现申请列表', en: 'List withdrawals' },
    query: pageFromOne.extend({
      status: z.enum(WITHDRAWAL_STATUS).optional(),
      /** Username; a number is also a user id. */
      keyword: z.string().trim().max(100).default(''),
    }),
    returns: itemList(adminWithdrawal),
  }),
  decide: endpoint({
    method: 'POST',
    path: '/api/agent/withdrawals/{id}/decide',
    access: 'admin',
    summary: { zh: '处理提现申请', en: 'Approve, refuse or mark a withdrawal as paid' },
    params: idParams,
    body: z.object({
      action: z.enum(WITHDRAWAL_ACTIONS),
      /** Required for a refusal. */
      note: z.string().trim().max(200).default(''),
    }),
    returns: adminWithdrawal,
    stepUp: true,
  }),
};
