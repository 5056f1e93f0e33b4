// What was brought from another gateway, and the configuration files that were applied.
import type { Default, Flag } from './column.ts';

/** One row for each gateway that users, tokens and channels were brought from. */
export interface ImportsTable {
  id: Default<number>;
  /** Identifies the source, so that the same database read from a file, a server or a dump is one import. */
  name: string;
  family: string;
  created_at: number;
  /** 0: an import was begun and has not come to its end. */
  finished_at: Default<number>;
  /** 1: there was no user here when it began. */
  into_empty: Default<Flag>;
  /** Quota units of a dollar at the source and here; amounts are converted by them. */
  source_units: string;
  own_units: string;
  /** The id of the last log row that was brought. */
  log_position: Default<number>;
}

/** Which row of the source became which row here. */
export interface ImportedRowsTable {
  import_id: number;
  kind: string;
  source_id: string;
  row_id: number;
}

/** Each `tollgate config apply`, with the file's content but without secrets. */
export interface AppliedConfigurationsTable {
  id: Default<number>;
  applied_at: number;
  file: Default<string>;
  /** SHA-256 of the file. */
  hash: string;
  document: string;
}
