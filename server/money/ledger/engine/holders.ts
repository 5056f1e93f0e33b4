// What the calls of an organization are attributed to, by hour: member or service account, project, key and model, and once more
// for each tag. Written with the charge and corrected with it, so that reports by holder and tag equal the ledger. Calls of a person,
// and calls without a log row, are attributed to nobody.
import type { LogRow } from './operations.ts';
import type { HolderEntry, Rows } from './rows.ts';

export type HolderFigures = Pick<
  HolderEntry,
  'count' | 'quota' | 'promptTokens' | 'completionTokens' | 'errorCount' | 'useTimeMs' | 'firstTokenMs'
>;

interface Counted {
  at: number;
  userId: number;
  tokenId: number;
  modelName: string;
}

/** `row`: of the call, which says whose it was. */
export function countHolders(
  rows: Rows,
  row: LogRow | null,
  { at, userId, tokenId, modelName }: Counted,
  figures: HolderFigures,
): void {
  if (row === null) return;
  const { member_id = 0, service_account_id = 0, project_id = 0, tags = '' } = row;
  if (member_id === 0 && service_account_id === 0 && project_id === 0) return;
  const { count, quota, promptTokens, completionTokens, errorCount, useTimeMs, firstTokenMs } = figures;
  const entry = {
    at,
    userId,
    memberId: member_id,
    serviceAccountId: service_account_id,
    projectId: project_id,
    tokenId,
    modelName,
    count,
    quota,
    promptTokens,
    completionTokens,
    errorCount,
    useTimeMs,
    firstTokenMs,
  };
  for (const [tagKey, tagValue] of tagPairs(tags)) rows.countHolder({ ...entry, tagKey, tagValue });
}

/** The whole call first, under a blank key. */
export function tagPairs(tags: string): [key: string, value: string][] {
  if (tags === '') return [['', '']];
  const given = JSON.parse(tags) as Record<string, string>;
  return [['', ''], ...Object.entries(given)];
}

export const taken = (figures: HolderFigures): HolderFigures => ({
  count: 0 - figures.count,
  quota: 0 - figures.quota,
  promptTokens: 0 - figures.promptTokens,
  completionTokens: 0 - figures.completionTokens,
  errorCount: 0 - figures.errorCount,
  useTimeMs: 0 - figures.useTimeMs,
  firstTokenMs: 0 - figures.firstTokenMs,
});
