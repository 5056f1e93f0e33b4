// Keys of a source with digests only: those that are known in the clear can be brought.
import type { Fields } from '#server/operating/import-export/source/fields.ts';

export interface KeyRow {
  /** In the clear, or empty. */
  key: string;
  /** As the source identifies it; LiteLLM: SHA-256. */
  hash: string;
  fields: Fields;
}
