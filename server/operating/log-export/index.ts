// Sends every log row to where people analyse at scale. The log itself is the queue: a job reads the rows behind the last
// sent one, so a receiver that is slow or away holds up nothing, and a restart loses nothing. A row is sent again when the
// process ends between the answer of the receiver and the new position.
import type { LOG_EXPORT_TARGETS } from '#contract/operating/log-export-settings.ts';
import type { Settings } from '#contract/settings.ts';
import { readSettledTop } from '#server/money/audit/sums.ts';
import type { Store } from '#server/platform/store/store.ts';
import { clickHouse } from './clickhouse.ts';
import { objectStorage } from './object-storage.ts';
import { batchOf, type LogRow } from './records.ts';
import type { ExportTarget, TargetParts } from './target.ts';
import { webhook } from './webhook.ts';

export interface LogExport {
  /** 0: rows are sent nowhere. */
  everySeconds(): number;
  run(signal: AbortSignal): Promise<void>;
}

interface LogExportParts {
  store: Store;
  settings: { readonly current: Settings };
  egress: TargetParts['egress'];
}

type Kind = Exclude<(typeof LOG_EXPORT_TARGETS)[number], 'none'>;

/** Rows read at a time: larger reads hold up the event loop. */
const ROWS_PER_READ = 1000;

export function createLogExport({ store, settings, egress }: LogExportParts): LogExport {
  const parts: TargetParts = { settings: () => settings.current, egress };
  const targets: Record<Kind, ExportTarget> = {
    clickhouse: clickHouse(parts),
    s3: objectStorage(parts),
    webhook: webhook(parts),
  };
  const target = (): ExportTarget | undefined => {
    const { LogExportTarget } = settings.current;
    return LogExportTarget === 'none' ? undefined : targets[LogExportTarget];
  };

  return {
    everySeconds: () => target()?.everySeconds ?? 0,
    async run(signal) {
      const chosen = target();
      if (chosen === undefined) return;
      const reader = await store.openReader();
      try {
        const top = await readSettledTop(reader, 'logs');
        let position = await readSentThrough(store);
        if (position >= top) return;
        await chosen.prepare?.();
        while (position < top && !signal.aborted) {
          const rows = await readRows(reader.db, { from: position, through: top, most: chosen.rowsPerBatch });
          if (rows.length > 0) await chosen.send(batchOf(rows));
          // Without a row the rest up to the top was deleted.
          const through = rows.at(-1)?.id ?? top;
          if (!(await moveOn(store, position, through))) return;
          position = through;
        }
      } finally {
        await reader.close();
      }
    },
  };
}

/** Where the outbound door lets rows go. */
export function logExportOrigins({ LogExportUrl }: Settings): string[] {
  return URL.canParse(LogExportUrl) ? [new URL(LogExportUrl).origin] : [];
}

async function readRows(
  db: Store['db'],
  { from, through, most }: { from: number; through: number; most: number },
): Promise<LogRow[]> {
  const rows: LogRow[] = [];
  while (rows.length < most) {
    const limit = Math.min(ROWS_PER_READ, most - rows.length);
    const piece = await db
      .selectFrom('logs')
      .selectAll()
      .where('id', '>', rows.at(-1)?.id ?? from)
      .where('id', '<=', through)
      .orderBy('id')
      .limit(limit)
      .execute();
    rows.push(...piece);
    if (piece.length < limit) break;
  }
  return rows;
}

export async function readSentThrough({ db }: Store): Promise<number> {
  const row = await db.selectFrom('log_export').select('through_id').executeTakeFirst();
  return row?.through_id ?? 0;
}

/** False when another node moved it. */
async function moveOn({ db }: Store, from: number, through: number): Promise<boolean> {
  const { numUpdatedRows } = await db
    .updateTable('log_export')
    .set({ through_id: through })
    .where('through_id', '=', from)
    .executeTakeFirst();
  return numUpdatedRows > 0n;
}
