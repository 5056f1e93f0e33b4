// `tollgate import <source>`: brings users, tokens, channels, prices, organizations and history from another gateway. Without --apply it
// only reports. On PostgreSQL it runs beside the living server; on SQLite the server keeps balances in memory and must stop.
import { existsSync } from 'node:fs';
import path from 'node:path';
import type { Environment } from '#server/platform/env.ts';
import { writeAudit } from '#server/admin/http/audit.ts';
import { createLog } from '#server/platform/log.ts';
import { openImportSource, readBifrost, readLiteLlm } from '#server/operating/import-export/index.ts';
import {
  importBifrost,
  importFamily,
  isBifrost,
  importLiteLlm,
  isLiteLlm,
  type Report,
} from '#server/operating/import-export/index.ts';
import { priceListDigest } from '#server/money/prices/price-list/index.ts';
import { openSettings } from '#server/platform/settings/settings.ts';
import type { OptionAudit } from '#server/platform/settings/options.ts';
import { DataDirectoryLockedError } from '#server/platform/store/errors.ts';
import type { CommandStore } from '#server/platform/store/store.ts';
import { COMMAND_ACTOR } from './actor.ts';
import type { OptionValues } from './arguments.ts';
import { CommandError } from './explain.ts';
import { withCommandStore, withStore } from './open.ts';
import { readableVariables } from './variables.ts';

export async function importFrom(
  environment: Environment,
  [place = '']: readonly string[],
  values: OptionValues,
): Promise<number> {
  const isDry = values['apply'] !== true || values['dry-run'] === true;
  const run = (store: CommandStore) => importInto(store, place, { isDry, values });
  const report = isDry ? await withCommandStore(environment, run) : await exclusively(environment, run);
  for (const line of report.lines(isDry)) console.log(line);
  console.log(
    isDry
      ? '\nNothing was changed. To bring it over: the same command with --apply'
      : '\nDone. Check the books with tollgate audit. A second import of the same source changes nothing.',
  );
  return 0;
}

async function exclusively(
  environment: Environment,
  run: (store: CommandStore) => Promise<Report>,
): Promise<Report> {
  try {
    return await withStore(environment, run);
  } catch (error) {
    if (!(error instanceof DataDirectoryLockedError)) throw error;
    throw new CommandError(
      `the server runs on ${environment.dataDir} and keeps balances in memory. Stop it, import, and start it again; ` +
        'a dry run works beside it.',
    );
  }
}

async function importInto(
  store: CommandStore,
  place: string,
  { isDry, values }: { isDry: boolean; values: OptionValues },
): Promise<Report> {
  const settings = await openSettings(store, createLog({ level: 'error' }), {
    priceList: priceListDigest(),
  });
  const choices = { isDry, withLogs: values['no-logs'] !== true, overwrites: values['overwrite'] === true };
  const optionAudit: OptionAudit = async (transaction, options) => {
    for (const { key, before, after } of options)
      await writeAudit(store, transaction, {
        ...COMMAND_ACTOR,
        action: 'option.save',
        target: `option:${key}`,
        before: { value: before },
        after: { value: after },
      });
  };
  try {
    const report = await reportOf(place, { store, settings, optionAudit }, choices, values);
    if (!isDry) await auditImport(store, report);
    return report;
  } finally {
    settings.close();
  }
}

type Parts = Omit<Parameters<typeof importFamily>[0], 'source'>;

async function reportOf(
  place: string,
  parts: Parts,
  choices: Parameters<typeof importFamily>[1],
  values: OptionValues,
): Promise<Report> {
  const keys = typeof values['keys'] === 'string' ? values['keys'] : undefined;
  if (keys !== undefined && !existsSync(keys))
    throw new CommandError(`there is no file ${path.resolve(keys)}.`);
  const variables = readableVariables(process.env, values);
  if (/\.ya?ml$/i.test(place)) {
    if (!existsSync(place)) throw new CommandError(`there is no file ${path.resolve(place)}.`);
    return await importLiteLlm(await readLiteLlm({ configuration: place, keys, variables }), parts, choices);
  }
  if (/\.json$/i.test(place)) {
    if (!existsSync(place)) throw new CommandError(`there is no file ${path.resolve(place)}.`);
    return await importBifrost(await readBifrost({ from: place, keys, variables }), parts, choices);
  }
  const source = await openImportSource(place);
  try {
    if (await isBifrost(source))
      return await importBifrost(await readBifrost({ from: source, keys, variables }), parts, choices);
    if (!(await isLiteLlm(source))) return await importFamily({ ...parts, source }, choices);
    return await importLiteLlm(await readLiteLlm({ source, keys, variables }), parts, choices);
  } finally {
    await source.close();
  }
}

async function auditImport(store: CommandStore, { brought }: Report): Promise<void> {
  if ([...brought.values()].every((count) => count === 0)) return;
  await store.db.transaction().execute((transaction) =>
    writeAudit(store, transaction, {
      ...COMMAND_ACTOR,
      action: 'import.apply',
      target: 'import',
      after: Object.fromEntries(brought),
    }),
  );
}
