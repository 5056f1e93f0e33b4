// `tollgate backup <file or s3://bucket/name>`: a consistent copy, also while the server runs. It deliberately excludes the master key.
import { existsSync } from 'node:fs';
import path from 'node:path';
import { isS3, sendToS3, writeBackup } from '#server/operating/backups/index.ts';
import type { Environment } from '#server/platform/env.ts';
import { CommandError } from './explain.ts';

export async function backup(environment: Environment, [target = '']: readonly string[]): Promise<number> {
  const place = isS3(target) ? target : path.resolve(target);
  if (!isS3(target) && !existsSync(path.dirname(place)))
    throw new CommandError(`the folder ${path.dirname(place)} does not exist.`);
  const write = (file: string) => writeBackup(environment, file);
  const { isSigned } = isS3(target) ? await sendToS3(target, environment, write) : await write(place);
  console.log(`wrote ${place}`);
  console.log(
    isSigned
      ? `wrote ${place}.sig, its signature: keep it beside the copy`
      : 'The copy is not signed, because the master key is not here: a restore will ask for --unsigned.',
  );
  console.log(
    'Keep the master key (MASTER_KEY or master.key) as well, but not in the same place: without it the secrets',
  );
  console.log(`in this copy cannot be read. To go back to this copy: tollgate restore ${target}`);
  return 0;
}
