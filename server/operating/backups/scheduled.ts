// Backups that are made by time: a copy in the data directory, or one that is sent to S3. The oldest are removed, and
// only files with the names given here: what an operator puts beside them stays.
import { mkdir, readdir, rm } from 'node:fs/promises';
import { join } from 'node:path';
import type { Settings } from '#contract/settings.ts';
import { createS3, type Egress } from '#server/platform/egress/index.ts';
import { UNFINISHED_MARK, writeBackup, type BackupSource } from './copy.ts';
import { signatureFile } from './signature.ts';

export interface Backups {
  /** 0: none by time. */
  everySeconds(): number;
  run(signal: AbortSignal): Promise<void>;
}

interface BackupParts extends BackupSource {
  settings: { readonly current: Settings };
  egress: Pick<Egress, 'target' | 'open'>;
}

/** Names in the order of their time. */
const nameOf = (at: Date, ending: string): string =>
  `tollgate-${at.toISOString().replaceAll(/[:.]/g, '-')}.${ending}`;
const isOurs = (name: string): boolean => /^tollgate-\d{4}(-\d\d){2}T(\d\d-){3}\d{3}Z\.(db|dump)$/.test(name);

export function createBackups({ settings, egress, ...source }: BackupParts): Backups {
  const { dataDir, databaseUrl } = source;
  const directory = join(dataDir, 'backups');
  const s3 = createS3(
    () => {
      const { current } = settings;
      return {
        endpoint: current.BackupS3Endpoint,
        bucket: current.BackupS3Bucket,
        region: current.BackupS3Region,
        accessKeyId: current.BackupS3AccessKeyId,
        secretAccessKey: current.BackupS3Secret,
      };
    },
    'tollgate-backups',
    egress,
  );
  const disk = {
    list: async () => await readdir(directory),
    remove: (name: string) => rm(join(directory, name), { force: true }),
  };

  async function removeFrom(place: Pick<typeof disk, 'remove'>, name: string): Promise<void> {
    await place.remove(name);
    await place.remove(signatureFile(name));
  }

  /** Those beyond the number to keep; the newest is the last by name. */
  async function removeOldest(place: Pick<typeof disk, 'list' | 'remove'>): Promise<void> {
    const names = (await place.list()).filter(isOurs).toSorted();
    for (const name of names.slice(0, -settings.current.BackupKeep)) await removeFrom(place, name);
  }

  /** A process that was killed while it copied leaves a part; only one process at a time makes backups. */
  async function removeUnfinished(): Promise<void> {
    for (const name of await disk.list()) if (name.includes(UNFINISHED_MARK)) await disk.remove(name);
  }

  return {
    everySeconds: () => settings.current.BackupEveryHours * 3600,
    async run(signal) {
      await mkdir(directory, { recursive: true, mode: 0o700 });
      await removeUnfinished();
      const name = nameOf(new Date(), databaseUrl === undefined ? 'db' : 'dump');
      const file = join(directory, name);
      await writeBackup(source, file);
      if (settings.current.BackupStorage === 'disk') return await removeOldest(disk);
      if (signal.aborted) return;
      await s3.put(signatureFile(name), Bun.file(signatureFile(file)), 'text/plain');
      await s3.put(name, Bun.file(file), 'application/octet-stream');
      // The copy of this run stays until the next one has reached the storage.
      for (const older of (await disk.list()).filter(isOurs))
        if (older !== name) await removeFrom(disk, older);
      await removeOldest(s3);
    },
  };
}
