// How honest the channels' suppliers are: scores with their evidence, probes, and bills compared with the log.
import { z } from 'zod';
import { endpoint } from '#contract/endpoint.ts';
import { idParams } from '#contract/lists.ts';
import { supplierBills } from './supplier-bills.ts';

/** In the order in which a report names them. */
export const SIGNALS = [
  'model_name',
  'probes',
  'input_tokens',
  'output_tokens',
  'padded',
  'cut_streams',
  'cache_reads',
  'cache_writes',
  'tokenizer',
  'fast',
  'slow',
  'late',
] as const;
export type SignalName = (typeof SIGNALS)[number];

/**
 * What a figure is compared with: trusted channels of the same model, others of them, the channel's own past, the request
 * itself, or nothing but what is possible.
 */
export const COMPARISONS = ['trusted', 'others', 'past', 'request', 'none'] as const;

const finding = z.object({
  signal: z.enum(SIGNALS),
  /** Points that it takes from the score. */
  penalty: z.number(),
  compared: z.enum(COMPARISONS),
  /** A share, a ratio, tokens per second or milliseconds, as the signal has it. */
  figure: z.number(),
  usual: z.number(),
  hits: z.number(),
  tries: z.number(),
  /** The other model's name. */
  detail: z.string().optional(),
});
export type SignalFinding = z.output<typeof finding>;

const modelScore = z.object({
  model: z.string(),
  /** Sampled answers that are judged. */
  answers: z.number(),
  /** 0–100; null: too few answers. */
  score: z.number().nullable(),
  findings: z.array(finding),
});
export type ModelScore = z.output<typeof modelScore>;

const supplierView = z.object({
  channel_id: z.number(),
  channel_name: z.string(),
  /** Numbers of `CHANNEL_TYPE`. */
  type: z.number(),
  is_enabled: z.boolean(),
  is_trusted: z.boolean(),
  /** That of the worst model; null: too few answers. */
  score: z.number().nullable(),
  answers: z.number(),
  /** By which the channel's weight is multiplied. */
  weight_factor: z.number(),
  /** Unix seconds; 0: never. */
  computed_at: z.number(),
  models: z.array(modelScore),
});
export type SupplierView = z.output<typeof supplierView>;

const histogram = z.record(z.string(), z.number());

const evidence = z.object({
  signal: z.enum(['input', 'output', 'cut', 'name', 'reads', 'writes']),
  model: z.string(),
  request_id: z.string(),
  at: z.number(),
  claimed: z.union([z.number(), z.string()]),
  counted: z.union([z.number(), z.string()]),
});
export type EvidenceView = z.output<typeof evidence>;

export const PROBE_VERDICTS = ['agrees', 'differs', 'unknown', 'failed'] as const;

const probe = z.object({
  id: z.number(),
  created_at: z.number(),
  model: z.string(),
  question: z.string(),
  answer: z.string(),
  expected: z.string(),
  verdict: z.enum(PROBE_VERDICTS),
  /** Quota units at list price. */
  cost: z.number(),
});
export type ProbeView = z.output<typeof probe>;

const supplierDetail = supplierView.extend({
  /** Of the last week. */
  distributions: z.array(
    z.object({
      model: z.string(),
      input: histogram,
      output: histogram,
      first_token: histogram,
      speed: histogram,
    }),
  ),
  evidence: z.array(evidence),
  probes: z.array(probe),
});
export type SupplierDetail = z.output<typeof supplierDetail>;

export const suppliers = {
  list: endpoint({
    method: 'GET',
    path: '/api/supplier/',
    access: 'admin',
    summary: { zh: '供应商诚信评分', en: 'Supplier scores' },
    returns: z.array(supplierView),
  }),
  read: endpoint({
    method: 'GET',
    path: '/api/supplier/{id}',
    access: 'admin',
    summary: { zh: '一个渠道的评分与证据', en: 'Score and evidence of a channel' },
    params: idParams,
    returns: supplierDetail,
  }),
  trust: endpoint({
    method: 'PUT',
    path: '/api/supplier/{id}/trust',
    access: 'admin',
    summary: { zh: '将渠道标记为可信参照', en: 'Mark a channel as trusted' },
    params: idParams,
    body: z.object({ is_trusted: z.boolean() }),
    returns: z.null(),
  }),
  ...supplierBills,
};
