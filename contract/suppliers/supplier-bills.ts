// Bills of suppliers, compared with the log: what was billed, what was recorded, the difference.
import { z } from 'zod';
import { endpoint } from '#contract/endpoint.ts';
import { idParams } from '#contract/lists.ts';

/** `own`: columns as the operator maps them. */
export const BILL_SHAPES = ['openai', 'anthropic', 'azure', 'own'] as const;
export type BillShape = (typeof BILL_SHAPES)[number];

/** What a column of a bill can mean. `reference`: key, project or deployment. */
export const BILL_FIELDS = [
  'day',
  'model',
  'reference',
  'requests',
  'input_tokens',
  'cached_tokens',
  'output_tokens',
  'cost',
  'token_kind',
  'tokens',
] as const;
export type BillField = (typeof BILL_FIELDS)[number];

export const BILL_LONGEST_BYTES = 900_000;
export const BILL_MOST_ROWS = 20_000;

/** The name of the column for each field; a field without one is not in the bill. */
export const billMapping = z.partialRecord(z.enum(BILL_FIELDS), z.string().max(200));
export type BillMapping = z.output<typeof billMapping>;

const amounts = z.object({
  requests: z.number(),
  input_tokens: z.number(),
  output_tokens: z.number(),
  /** In dollars. */
  cost: z.number(),
});
export type BillAmounts = z.output<typeof amounts>;

/** `billed`: only in the bill. `recorded`: only in the log. */
export const BILL_MATCHES = ['both', 'billed', 'recorded'] as const;

const billRow = z.object({
  /** `2026-11-16`, UTC. */
  day: z.string(),
  model: z.string(),
  match: z.enum(BILL_MATCHES),
  billed: amounts,
  recorded: amounts,
});
export type BillRow = z.output<typeof billRow>;

const billView = z.object({
  id: z.number(),
  created_at: z.number(),
  name: z.string(),
  shape: z.enum(BILL_SHAPES),
  channel_ids: z.array(z.number()),
  first_day: z.string(),
  last_day: z.string(),
  rows: z.number(),
  unmatched_billed: z.number(),
  unmatched_recorded: z.number(),
  /** Which figures the bill has; the others are 0 in `billed`. */
  has: z.object({ requests: z.boolean(), tokens: z.boolean(), cost: z.boolean() }),
  billed: amounts,
  recorded: amounts,
});
export type BillView = z.output<typeof billView>;

export const supplierBills = {
  bills: endpoint({
    method: 'GET',
    path: '/api/supplier/bills/',
    access: 'admin',
    summary: { zh: '导入的供应商账单', en: 'Imported bills of suppliers' },
    returns: z.array(billView),
  }),
  bill: endpoint({
    method: 'GET',
    path: '/api/supplier/bills/{id}',
    access: 'admin',
    summary: { zh: '账单与日志的对比', en: 'A bill compared with the log' },
    params: idParams,
    returns: billView.extend({ lines: z.array(billRow) }),
  }),
  importBill: endpoint({
    method: 'POST',
    path: '/api/supplier/bills/',
    access: 'admin',
    summary: { zh: '导入账单并与日志对比', en: 'Import a bill and compare it with the log' },
    body: z.object({
      name: z.string().trim().min(1).max(100),
      shape: z.enum(BILL_SHAPES),
      /** For the shape `own`. */
      mapping: billMapping.default({}),
      /** The channels that this supplier's bill covers. */
      channel_ids: z.array(z.number().int().positive()).min(1).max(200),
      csv: z.string().min(1).max(BILL_LONGEST_BYTES),
    }),
    returns: billView,
  }),
  removeBill: endpoint({
    method: 'DELETE',
    path: '/api/supplier/bills/{id}',
    access: 'admin',
    summary: { zh: '删除导入的账单', en: 'Delete an imported bill' },
    params: idParams,
    returns: z.null(),
  }),
};
