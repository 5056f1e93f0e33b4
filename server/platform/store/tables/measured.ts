// What public pages say of models: how calls went, and incidents.
import type { Default } from './column.ts';

/** Paid calls of a model in a minute, an hour or a day of the site. */
export interface MeasuredCellsTable {
  /** 60 for some hours, 3600 for months; 86,400 is the sum of a day that is over, without histograms. */
  seconds: number;
  start: number;
  /** Blank: calls that the gateway itself refused, whichever model they named. */
  model_name: string;
  answered: Default<number>;
  /** An upstream did not answer, or broke its answer off. */
  failed: Default<number>;
  /** No channel was left to send the call to. */
  refused: Default<number>;
  /** Answers by the class of their time to the first token, and of their speed (server/admin/measured/histogram.ts). */
  first_0: Default<number>;
  first_1: Default<number>;
  first_2: Default<number>;
  first_3: Default<number>;
  first_4: Default<number>;
  first_5: Default<number>;
  first_6: Default<number>;
  first_7: Default<number>;
  first_8: Default<number>;
  first_9: Default<number>;
  first_10: Default<number>;
  first_11: Default<number>;
  first_12: Default<number>;
  first_13: Default<number>;
  first_14: Default<number>;
  first_15: Default<number>;
  first_16: Default<number>;
  first_17: Default<number>;
  first_18: Default<number>;
  first_19: Default<number>;
  first_20: Default<number>;
  first_21: Default<number>;
  first_22: Default<number>;
  first_23: Default<number>;
  speed_0: Default<number>;
  speed_1: Default<number>;
  speed_2: Default<number>;
  speed_3: Default<number>;
  speed_4: Default<number>;
  speed_5: Default<number>;
  speed_6: Default<number>;
  speed_7: Default<number>;
  speed_8: Default<number>;
  speed_9: Default<number>;
  speed_10: Default<number>;
  speed_11: Default<number>;
  speed_12: Default<number>;
  speed_13: Default<number>;
  speed_14: Default<number>;
  speed_15: Default<number>;
  speed_16: Default<number>;
  speed_17: Default<number>;
  speed_18: Default<number>;
  speed_19: Default<number>;
  speed_20: Default<number>;
  speed_21: Default<number>;
  speed_22: Default<number>;
  speed_23: Default<number>;
}

export interface IncidentsTable {
  id: Default<number>;
  /** Who found it. */
  kind: Default<'measured' | 'operator'>;
  /** Of an operator's incident; one that was measured gets its title when it is read. */
  title_zh: Default<string>;
  title_en: Default<string>;
  /** A JSON list of names. */
  models: Default<string>;
  begun_at: number;
  /** 0: it is not over. */
  ended_at: Default<number>;
  /** Calls of its models that found no channel while it lasted. */
  refused: Default<number>;
  created_at: Default<number>;
  updated_at: Default<number>;
  /** The same for every run that finds the same state, so that it is written once. */
  fact: string | null;
}

export interface IncidentLinesTable {
  id: Default<number>;
  incident_id: number;
  at: number;
  source: Default<'measured' | 'operator'>;
  /** Of a measured line, whose words are made when it is read; blank for an operator's. */
  code: Default<string>;
  text_zh: Default<string>;
  text_en: Default<string>;
}
