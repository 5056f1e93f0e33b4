// `tollgate config export | diff | apply`: the configuration as a file. It changes no balance, so it runs beside the living
// server on both databases.
import { existsSync } from 'node:fs';
import { readFile, writeFile } from 'node:fs/promises';
import path from 'node:path';
import {
  applyComparison,
  compareFile,
  ConfigurationError,
  exportConfiguration,
  differenceLine,
  type ConfigurationParts,
} from '#server/operating/configuration/index.ts';
import { createEgress } from '#server/platform/egress/index.ts';
import type { Environment } from '#server/platform/env.ts';
import { channelTypes } from '#server/admin/channels/index.ts';
import { writeAudit } from '#server/admin/http/audit.ts';
import { createLog } from '#server/platform/log.ts';
import { priceListDigest } from '#server/money/prices/price-list/index.ts';
import { openSettings } from '#server/platform/settings/settings.ts';
import { COMMAND_ACTOR } from './actor.ts';
import type { OptionValues } from './arguments.ts';
import { CommandError } from './explain.ts';
import { withCommandStore } from './open.ts';
import { readableVariables } from './variables.ts';

const DEFAULT_FILE = 'tollgate.yaml';
const ACTIONS = ['export', 'diff', 'apply'] as const;

export async function config(
  environment: Environment,
  [given = '']: readonly string[],
  values: OptionValues,
): Promise<number> {
  const action = ACTIONS.find((name) => name === given);
  if (action === undefined)
    throw new CommandError(`config ${given} is not known: use ${ACTIONS.join(', ')}.`);
  const file = typeof values['file'] === 'string' ? values['file'] : undefined;
  try {
    const variables = readableVariables(process.env, values);
    return await withParts(environment, variables, (parts) => {
      if (action === 'export') return writeFileOf(parts, file, values['with-secrets'] === true);
      return compare(parts, {
        file: file ?? DEFAULT_FILE,
        applies: action === 'apply',
        prune: values['prune'] === true,
      });
    });
  } catch (error) {
    if (error instanceof ConfigurationError) throw new CommandError(error.message);
    throw error;
  }
}

async function withParts(
  environment: Environment,
  variables: ConfigurationParts['variables'],
  use: (parts: ConfigurationParts) => Promise<number>,
): Promise<number> {
  return await withCommandStore(environment, async (store) => {
    const settings = await openSettings(store, createLog({ level: 'error' }), {
      priceList: priceListDigest(),
    });
    const { allowedPrivateAddresses, allowedHosts } = environment;
    const egress = createEgress({ allowedPrivateAddresses, allowedHosts, systemOrigins: () => [] });
    try {
      return await use({
        store,
        settings,
        channels: { types: channelTypes, checkAddress: (url) => egress.check('channel', url) },
        variables,
        audit: (transaction, change) => writeAudit(store, transaction, { ...COMMAND_ACTOR, ...change }),
      });
    } finally {
      egress.close();
      settings.close();
    }
  });
}

async function writeFileOf(
  parts: ConfigurationParts,
  file: string | undefined,
  withSecrets: boolean,
): Promise<number> {
  const text = await exportConfiguration(parts, withSecrets);
  if (file === undefined) console.log(text.trimEnd());
  else {
    // With secrets only its owner may read it.
    await writeFile(file, text, { mode: withSecrets ? 0o600 : 0o644 });
    console.log(`wrote ${path.resolve(file)}`);
  }
  return 0;
}

async function compare(
  parts: ConfigurationParts,
  { file, applies, prune }: { file: string; applies: boolean; prune: boolean },
): Promise<number> {
  if (!existsSync(file)) throw new CommandError(`there is no file ${path.resolve(file)}.`);
  const text = await readFile(file, 'utf8');
  const comparison = await compareFile(parts, text);
  const { differences, notes } = comparison;
  for (const note of notes) console.log(`note: ${note}`);
  for (const difference of differences) console.log(differenceLine(difference, applies && prune));
  if (!applies) {
    if (differences.length === 0) console.log('no difference');
    return differences.length === 0 ? 0 : 1;
  }
  await applyComparison(parts, comparison, { file: path.basename(file), text, prune });
  const done = differences.filter(({ change }) => change !== 'extra' || prune).length;
  console.log(done === 0 ? 'nothing to change' : `applied ${done} changes from ${path.resolve(file)}`);
  return 0;
}
