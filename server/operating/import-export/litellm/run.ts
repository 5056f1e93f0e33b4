// Imports LiteLLM: channels and prices from its configuration file, users and keys from its database or a CSV file.
import { unixSeconds } from '#contract/time.ts';
import type { LiveSettings } from '#server/platform/settings/settings.ts';
import { insertChannels } from '#server/relay/channel-choice/write.ts';
import { readBudgetZones } from '#server/money/ledger/budget-zones.ts';
import { bringOrganizations, noteSwitch } from '#server/operating/import-export/organizations/bring.ts';
import { beginNamedJob } from '#server/operating/import-export/import/begin.ts';
import { bringOptions } from '#server/operating/import-export/import/options.ts';
import { checkChannel } from '#server/operating/import-export/import/checks.ts';
import { readable, type Job } from '#server/operating/import-export/import/job.ts';
import type { Report } from '#server/operating/import-export/import/report.ts';
import type { ImportChoices, ImportParts } from '#server/operating/import-export/import/run.ts';
import type { Source } from '#server/operating/import-export/source/source.ts';
import { channelsOf } from './channels.ts';
import type { LiteLlmConfiguration } from './config.ts';
import { bringLiteLlmKeys, bringLiteLlmUsers, DIGEST_ONLY, keyRows } from './keys.ts';
import { pricesOf } from './prices.ts';
import { bringTeamKeys, leaveOthers } from './team-keys.ts';
import { readTeamTables } from './team-tables.ts';
import { readTeams } from './teams.ts';

const NAME = 'litellm';
const CHANGED = ['users', 'tokens', 'channels', 'organizations', 'budgets'] as const;

export interface LiteLlmInput {
  configuration: LiteLlmConfiguration | undefined;
  source: Source | undefined;
  /** Rows of the CSV file with keys in the clear. */
  keys: readonly Record<string, string>[];
  variables: Record<string, string | undefined>;
}

export async function isLiteLlm(source: Source): Promise<boolean> {
  return (await source.columns('LiteLLM_VerificationToken')).size > 0;
}

type Choices = Pick<ImportChoices, 'isDry' | 'overwrites'>;

/** As importFamily: everything is read and checked before the first write. */
export async function importLiteLlm(
  input: LiteLlmInput,
  parts: Omit<ImportParts, 'source'>,
  choices: Choices,
): Promise<Report> {
  if (!choices.isDry) await runImport(input, parts, { ...choices, isDry: true });
  return await runImport(input, parts, choices);
}

async function runImport(
  input: LiteLlmInput,
  parts: Omit<ImportParts, 'source'>,
  { isDry, overwrites }: Choices,
): Promise<Report> {
  const { store, settings } = parts;
  const job = await beginNamedJob(NAME, store, settings, { isDry, overwrites });
  const { report } = job;
  const { configuration, source } = input;
  if (configuration !== undefined) {
    await bringSettings(job, parts, configuration);
    await bringModels(job, input, configuration);
  }
  if (source !== undefined && (await source.count('LiteLLM_ProxyModelTable')) > 0)
    report.note(
      'Models in the database are encrypted with the salt of LiteLLM: put them into its configuration file.',
    );
  await bringAccounts(job, input, settings);
  if (!isDry) for (const topic of CHANGED) await store.changes.announce(topic);
  return report;
}

/** Users, organizations, and the keys of both. */
async function bringAccounts(
  job: Omit<Job, 'source' | 'family'>,
  { source, keys, configuration }: LiteLlmInput,
  { current }: LiveSettings,
): Promise<void> {
  const tables = await readTeamTables(source);
  const now = unixSeconds();
  const clock = { now, zones: await readBudgetZones(job.store, current.SiteTimeZone, now) };
  const organizationJob = { ...job, clock, gateway: 'LiteLLM', keyMissing: DIGEST_ONLY };
  const teams = await readTeams(organizationJob, tables);
  const rows = await keyRows(source, keys, configuration?.masterKey, tables.budgets);
  const placed = rows.map((row) => ({ row, place: teams.placeOf(row.fields) }));
  const own = placed.filter(({ place }) => place === undefined).map(({ row }) => row);
  await bringLiteLlmUsers(job, source, own);
  await bringOrganizations(organizationJob, teams.organizations);
  await bringLiteLlmKeys(job, own);
  await bringTeamKeys(organizationJob, placed);
  leaveOthers(organizationJob, tables);
  noteSwitch(job, teams.organizations, current);
}

async function bringSettings(
  job: Omit<Job, 'source' | 'family'>,
  { settings, optionAudit }: Omit<ImportParts, 'source'>,
  { models, settings: read }: LiteLlmConfiguration,
): Promise<void> {
  const prices = pricesOf(models, settings.current.QuotaPerUnit);
  const options = new Map<string, string>([
    ...read.options,
    ...Object.entries(prices)
      .filter(([, map]) => Object.keys(map as object).length > 0)
      .map(([key, map]): [string, string] => [key, JSON.stringify(map)]),
  ]);
  await bringOptions({ ...job, options }, settings, optionAudit);
  const { report } = job;
  for (const { name, reason } of read.left) {
    report.count(report.found, 'options');
    report.leave('options', reason, name);
  }
  for (const note of read.notes) report.note(note);
}

async function bringModels(
  { report, ids, store, isDry }: Omit<Job, 'source' | 'family'>,
  { variables }: LiteLlmInput,
  { models, unreadable }: LiteLlmConfiguration,
): Promise<void> {
  const { channels, left, notes } = channelsOf(models, variables);
  for (const note of notes) report.note(note);
  report.count(report.found, 'channels', channels.length + left.length + unreadable.length);
  for (const { model, reason } of left) report.leave('channels', reason, model);
  for (const { index, reason } of unreadable)
    report.leave('channels', `the entry cannot be read: ${reason}`, `entry ${index + 1}`);
  for (const { columns: read, key, sourceId } of channels) {
    if (ids.find('channels', sourceId) !== undefined) {
      report.count(report.already, 'channels');
      continue;
    }
    const row = `${read.name} (${read.models})`;
    const columns = await readable({ report }, 'channels', row, () =>
      checkChannel(report, read, key === '' ? [] : [key]),
    );
    if (columns === undefined) continue;
    report.count(report.brought, 'channels');
    if (isDry) continue;
    await store.db.transaction().execute(async (transaction) => {
      const [row] = await insertChannels(store, transaction, columns, [key]);
      await ids.add(transaction, 'channels', sourceId, row?.id ?? 0);
    });
  }
}
