// Brings a database of the family into a fresh installation.
import type { Database } from 'bun:sqlite';
import { createLog } from '#server/platform/log.ts';
import { importFamily, openImportSource } from '#server/operating/import-export/index.ts';
import { openSettings } from '#server/platform/settings/settings.ts';
import { openStore, type Store } from '#server/platform/store/store.ts';
import { applicationWriter, temporaryPlace, type TemporaryPlace } from '#tests/support/databases.ts';

interface Choices {
  isDry?: boolean;
  withLogs?: boolean;
  overwrites?: boolean;
}

export async function bring(store: Store, place: string, choices: Choices = {}) {
  const source = await openImportSource(place);
  const settings = await openSettings(store, createLog({ level: 'error' }));
  try {
    return await importFamily(
      { source, store, settings, optionAudit: async () => {} },
      { isDry: false, withLogs: true, overwrites: false, ...choices },
    );
  } finally {
    settings.close();
    await source.close();
  }
}

export async function placeWithStore(
  label: 'sqlite' | 'postgres',
): Promise<{ place: TemporaryPlace; store: Store }> {
  const place = await temporaryPlace(label);
  const store = await openStore({
    writerEntry: applicationWriter,
    dataDir: place.dataDir,
    databaseUrl: place.databaseUrl,
  });
  return { place, store };
}

/** A row of a SQLite source once more, under another id and with changes. */
export function copyRow(
  db: Database,
  table: string,
  { from, id, changes }: { from: number; id: number; changes: Record<string, unknown> },
): void {
  const row = db.query(`select * from ${table} where id = ?`).get(from) as Record<string, unknown>;
  const all: Record<string, unknown> = { ...row, ...changes, id };
  const columns = Object.keys(all);
  db.query(
    `insert into ${table} (${columns.map((name) => `"${name}"`).join(',')}) values (${columns.map(() => '?').join(',')})`,
  ).run(...(Object.values(all) as string[]));
}
