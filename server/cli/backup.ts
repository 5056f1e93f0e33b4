// `tollgate backup <file or s3://bucket/name>`: a consistent copy, also while the server runs. It deliberately excludes the master key.
import { existsSync } from 'node:fs';
import path from 'node:path';
import { isS3, sendToS3, writeBackup } from '#server/backups/index.ts';
import type { Environment } from '#server/env.ts';
import { CommandError } from './explain.ts';

export async function backup(environment: Environment, [target = '']: readonly string[]): Promise<number> {
  const place = isS3(target) ? target : path.resolve(target);
  if (isS3(target)) await sendToS3(target, environment, (file) => writeBackup(environment, file));
  else if (existsSync(path.dirname(place))) await writeBackup(environment, place);
  else throw new CommandError(`the folder ${path.dirname(place)} does not exist.`);
  console.log(`wrote ${place}`);
  console.log(
    'Keep the master key (MASTER_KEY or master.key) as well, but not in the same place: without it the secrets',
  );
  console.log(`in this copy cannot be read. To go back to this copy: tollgate restore ${target}`);
  return 0;
}
