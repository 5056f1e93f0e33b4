/** Codes as text and as files. */
import { csvLine } from '#contract/csv.ts';
import type { RedemptionView } from '#contract/money/redemptions.ts';
import { absoluteTime } from '#web/ui/format/time.ts';
import { downloadFile } from '#web/ui/grid/csv.ts';

export type FileFormat = 'txt' | 'csv';
export type CodeRow = Pick<RedemptionView, 'name' | 'key' | 'quota' | 'expired_time'>;

/** One code per line, as shops that sell codes import them. */
export function codeLines(codes: readonly Pick<CodeRow, 'key'>[]): string {
  return codes.map(({ key }) => key).join('\n');
}

export function namedLines(codes: readonly Pick<CodeRow, 'key' | 'name'>[]): string {
  return codes.map(({ name, key }) => `${name} ${key}`).join('\n');
}

export function codeCsv(codes: readonly CodeRow[]): string {
  const head = csvLine(['name', 'code', 'quota', 'expires']);
  const rows = codes.map(({ name, key, quota, expired_time }) =>
    csvLine([name, key, quota, expired_time === 0 ? '' : absoluteTime(expired_time)]),
  );
  return head + rows.join('');
}

export function downloadCodes(codes: readonly CodeRow[], format: FileFormat): void {
  const name = `redemption-codes-${codes[0]?.name ?? ''}`.replaceAll(/[^\p{L}\p{N}.-]+/gu, '-');
  if (format === 'csv') downloadFile(`${name}.csv`, codeCsv(codes), 'text/csv');
  else downloadFile(`${name}.txt`, `${codeLines(codes)}\n`, 'text/plain');
}
