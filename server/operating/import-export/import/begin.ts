// Begins an import that is remembered by the name of the gateway.
import { unixSeconds } from '#contract/time.ts';
import { SourceError } from '#server/operating/import-export/source/source.ts';
import type { LiveSettings } from '#server/platform/settings/settings.ts';
import { ImportedIds, type Job } from './job.ts';
import { Report } from './report.ts';
import type { ImportChoices, ImportParts } from './run.ts';
import { scaleOf } from './scale.ts';

/**
 * An import from LiteLLM or Bifrost is one import under the gateway's name, whatever file or database it is read from. The
 * installation must have users already.
 */
export async function beginNamedJob(
  name: string,
  store: ImportParts['store'],
  settings: LiveSettings,
  { isDry, overwrites }: Pick<ImportChoices, 'isDry' | 'overwrites'>,
): Promise<Omit<Job, 'source' | 'family'>> {
  const units = settings.current.QuotaPerUnit;
  if ((await store.db.selectFrom('users').select('id').limit(1).executeTakeFirst()) === undefined)
    throw new SourceError(
      'there are no users here. Start the server once first, so that there is a super admin.',
    );
  const known = await store.db.selectFrom('imports').select('id').where('name', '=', name).executeTakeFirst();
  let importId = known?.id ?? 0;
  if (importId === 0 && !isDry) {
    const now = unixSeconds();
    const values = {
      name,
      family: name,
      created_at: now,
      finished_at: now,
      source_units: '1',
      own_units: String(units),
    };
    importId = (await store.db.insertInto('imports').values(values).returning('id').executeTakeFirstOrThrow())
      .id;
  }
  return {
    store,
    isDry,
    importId,
    ids: await ImportedIds.load(store.db, importId),
    report: new Report(),
    scale: scaleOf(units, units),
    options: new Map(),
    isEmpty: false,
    isFinished: false,
    overwrites,
  };
}
