// Moving in from another gateway, and moving out of this one.
import { readFile } from 'node:fs/promises';
import type { BifrostInput } from './bifrost/run.ts';
import { BIFROST_TABLES, readBifrostFile, readDatabase } from './bifrost/tables.ts';
import { FAMILY_TABLES } from './import/run.ts';
import { readLiteLlmConfiguration } from './litellm/config.ts';
import { readKeyTable } from './litellm/key-table.ts';
import { LITELLM_TABLES } from './litellm/keys.ts';
import type { LiteLlmInput } from './litellm/run.ts';
import { openSource } from './source/open.ts';
import type { Source } from './source/source.ts';

export { importFamily } from './import/run.ts';
export type { Report } from './import/report.ts';
export { importBifrost } from './bifrost/run.ts';
export { isBifrost } from './bifrost/tables.ts';
export { importLiteLlm, isLiteLlm } from './litellm/run.ts';
export { ExportFolderError, exportedTables, writeExport } from './export/write.ts';

export const openImportSource = (place: string): Promise<Source> =>
  openSource(place, [...FAMILY_TABLES, ...LITELLM_TABLES, ...BIFROST_TABLES]);

/** From its database, or from its config.json. */
export async function readBifrost({
  from,
  keys,
  variables,
}: {
  from: Source | string;
  keys: string | undefined;
  variables: Record<string, string | undefined>;
}): Promise<BifrostInput> {
  return {
    governance:
      typeof from === 'string' ? readBifrostFile(await readFile(from, 'utf8')) : await readDatabase(from),
    keys: keys === undefined ? [] : readKeyTable(await readFile(keys, 'utf8')),
    variables,
  };
}

export async function readLiteLlm({
  configuration,
  source,
  keys,
  variables,
}: {
  configuration?: string;
  source?: Source;
  keys: string | undefined;
  variables: Record<string, string | undefined>;
}): Promise<LiteLlmInput> {
  return {
    configuration:
      configuration === undefined
        ? undefined
        : readLiteLlmConfiguration(await readFile(configuration, 'utf8')),
    source,
    keys: keys === undefined ? [] : readKeyTable(await readFile(keys, 'utf8')),
    variables,
  };
}
