// Checks of suppliers and their bills.
import type { Default, Flag } from './column.ts';

/** Sampled answers, as counted by one node for one group of users. */
export interface SupplierCountsTable {
  /** Days since 1970, UTC. */
  day: number;
  channel_id: number;
  model: string;
  user_group: number;
  node_id: string;
  /** A `Cell` as JSON. */
  counts: string;
}

export interface SupplierScoresTable {
  channel_id: number;
  is_trusted: Default<Flag>;
  /** Null: too few answers. */
  score: number | null;
  answers: Default<number>;
  computed_at: Default<number>;
  /** When operators were notified of the low score; 0: they were not. */
  alerted_at: Default<number>;
  /** `ModelScore[]` as JSON. */
  models: Default<string>;
}

export interface SupplierProbesTable {
  id: Default<number>;
  created_at: number;
  channel_id: number;
  model: string;
  question: string;
  answer: string;
  expected: string;
  verdict: 'agrees' | 'differs' | 'unknown' | 'failed';
  /** Quota units at list price; no user pays them. */
  cost: Default<number>;
}

export interface SupplierBillsTable {
  id: Default<number>;
  created_at: number;
  created_by: number;
  name: string;
  shape: string;
  /** JSON, as are the columns below. */
  mapping: string;
  channel_ids: string;
  totals: string;
}

export interface SupplierBillLinesTable {
  bill_id: number;
  line: number;
  comparison: string;
}
