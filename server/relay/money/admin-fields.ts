// Members of `admin_info` in a log row, with the comma before them; empty where there is nothing to say.
import type { CacheSaving } from '#server/money/prices/cache-saving.ts';
import type { KeptRecord } from '#server/relay/channel-choice/why-kept.ts';

export function keptField(kept: KeptRecord | undefined): string {
  if (kept === undefined) return '';
  const channel = kept.channel === undefined ? '' : `,"channel":${kept.channel}`;
  return `,"conversation":{"why":"${kept.why}"${channel}}`;
}

/** In quota units, as server/admin/margins/cache-cells.ts reads them. */
export function savingFields(saving: CacheSaving | undefined): string {
  if (saving === undefined) return '';
  const { quota, cost } = saving;
  return `,"cache_saved_quota":${quota}${cost === null ? '' : `,"cache_saved_cost":${cost}`}`;
}
