// What public pages say of models: how calls went, and incidents.
import type { Default } from './column.ts';

type Classes<Name extends string> = Record<`${Name}_${number}`, Default<number>>;

/** Paid calls of a model in a minute or an hour. */
export interface MeasuredCellsTable extends Classes<'first'>, Classes<'speed'> {
  /** 60 for some hours, 3600 for months. */
  seconds: number;
  start: number;
  /** Blank: calls that the gateway itself refused, whichever model they named. */
  model_name: string;
  answered: Default<number>;
  /** An upstream did not answer, or broke its answer off. */
  failed: Default<number>;
  /** No channel was left to send the call to. */
  refused: Default<number>;
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
