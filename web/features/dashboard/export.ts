/** The figures as a file, one row for each hour and model. */
import type { UsageRow } from '#contract/admin/dashboard.ts';
import { absoluteTime } from '#web/ui/format/time.ts';
import { downloadCsv, toCsv } from '#web/ui/grid/csv.ts';

const EXPORTED = [
  'count',
  'quota',
  'prompt_tokens',
  'completion_tokens',
  'error_count',
  'use_time_ms',
] as const;

export function exportCsv(rows: readonly UsageRow[]): void {
  const columns = [
    {
      id: 'time',
      header: 'time',
      cell: () => null,
      csv: (row: { created_at: number }) => absoluteTime(row.created_at),
    },
    {
      id: 'model',
      header: 'model_name',
      cell: () => null,
      csv: (row: { model_name: string }) => row.model_name,
    },
  ];
  const figures = EXPORTED.map((name) => ({
    id: name,
    header: name,
    cell: () => null,
    csv: (row: Record<(typeof EXPORTED)[number], number>) => row[name],
  }));
  downloadCsv('dashboard', toCsv([...columns, ...figures], rows));
}
