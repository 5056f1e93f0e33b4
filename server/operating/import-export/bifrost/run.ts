// Imports Bifrost's governance: organizations, projects, budgets and virtual keys. Its providers are left to the operator.
import { unixSeconds } from '#contract/time.ts';
import { readBudgetZones } from '#server/money/ledger/budget-zones.ts';
import { beginNamedJob } from '#server/operating/import-export/import/begin.ts';
import type { Report } from '#server/operating/import-export/import/report.ts';
import type { ImportChoices, ImportParts } from '#server/operating/import-export/import/run.ts';
import { bringOrganizations, noteSwitch } from '#server/operating/import-export/organizations/bring.ts';
import { readGovernance } from './governance.ts';
import { bringVirtualKeys } from './keys.ts';
import { leaveOthers } from './limits.ts';
import type { Governance } from './tables.ts';

const CHANGED = ['users', 'tokens', 'organizations', 'budgets'] as const;

const KEY_MISSING =
  'the key is encrypted, empty, or a reference that is not set: give it by --keys or --env, or make a new one';

export interface BifrostInput {
  governance: Governance;
  /** Rows of the CSV file with keys in the clear. */
  keys: readonly Record<string, string>[];
  variables: Record<string, string | undefined>;
}

type Parts = Omit<ImportParts, 'source'>;
type Choices = Pick<ImportChoices, 'isDry' | 'overwrites'>;

/** As importFamily: everything is read and checked before the first write. */
export async function importBifrost(input: BifrostInput, parts: Parts, choices: Choices): Promise<Report> {
  if (!choices.isDry) await runImport(input, parts, { ...choices, isDry: true });
  return await runImport(input, parts, choices);
}

async function runImport(
  { governance, keys, variables }: BifrostInput,
  { store, settings }: Parts,
  choices: Choices,
): Promise<Report> {
  const begun = await beginNamedJob('bifrost', store, settings, choices);
  const now = unixSeconds();
  const zones = await readBudgetZones(store, settings.current.SiteTimeZone, now);
  const job = { ...begun, gateway: 'Bifrost', keyMissing: KEY_MISSING, clock: { now, zones } };
  const { organizations, placeOf } = await readGovernance(job, governance);
  await bringOrganizations(job, organizations);
  await bringVirtualKeys(job, governance, { given: keys, variables, placeOf });
  leaveOthers(job, governance);
  noteSwitch(job, organizations, settings.current);
  job.report.note('Providers with their keys are not brought: add them as channels.');
  if (!choices.isDry) for (const topic of CHANGED) await store.changes.announce(topic);
  return job.report;
}
