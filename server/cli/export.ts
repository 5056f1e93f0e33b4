// `tollgate export --out <folder>`: everything as NDJSON. It reads one moment, also beside the living server.
import path from 'node:path';
import type { Environment } from '#server/platform/env.ts';
import { ExportFolderError, writeExport } from '#server/operating/import-export/index.ts';
import { withSnapshot } from '#server/platform/store/snapshot.ts';
import type { OptionValues } from './arguments.ts';
import { CommandError } from './explain.ts';
import { VERSION } from '#server/platform/version.ts';

export async function exportTo(
  environment: Environment,
  _: readonly string[],
  { out, 'with-secrets': withSecrets }: OptionValues,
): Promise<number> {
  if (typeof out !== 'string') throw new CommandError('name the folder: tollgate export --out <folder>');
  const folder = path.resolve(out);
  try {
    const files = await withSnapshot(environment, (db, vault) =>
      writeExport(db, { folder, version: VERSION, vault: withSecrets === true ? vault : undefined }),
    );
    for (const { file, rows } of files) console.log(`${String(rows).padStart(10)}  ${file}`);
  } catch (error) {
    if (error instanceof ExportFolderError) throw new CommandError(error.message);
    throw error;
  }
  console.log(
    withSecrets === true
      ? `written to ${folder}, with keys and passwords in the clear: keep it as you keep the database`
      : `written to ${folder}, without keys and passwords (--with-secrets adds them)`,
  );
  return 0;
}
