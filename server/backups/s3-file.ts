// Backups in S3 for the command line: `s3://bucket/name`, with the keys and the endpoint of the usual variables
// (AWS_ACCESS_KEY_ID, AWS_SECRET_ACCESS_KEY, AWS_ENDPOINT, AWS_REGION), which the platform's client reads itself.
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { BackupError } from './backup-error.ts';

export const isS3 = (place: string): boolean => place.startsWith('s3://');

function objectOf(place: string): Bun.S3File {
  const [, bucket, key] = /^s3:\/\/([^/]+)\/(.+)$/.exec(place) ?? [];
  if (bucket === undefined || key === undefined)
    throw new BackupError(`${place} is not of the form s3://bucket/name.`);
  return new Bun.S3Client({ bucket }).file(key);
}

/** Calls `write` with a file name and sends what was written. Never overwrites an object. */
export async function sendToS3(place: string, write: (file: string) => Promise<void>): Promise<void> {
  const object = objectOf(place);
  await inTemporaryFile(async (file) => {
    if (await reached(place, object.exists()))
      throw new BackupError(`${place} exists already; a backup never overwrites a file.`);
    await write(file);
    await reached(place, object.write(Bun.file(file)));
  });
}

export async function fetchFromS3<Result>(
  place: string,
  read: (file: string) => Promise<Result>,
): Promise<Result> {
  const object = objectOf(place);
  return await inTemporaryFile(async (file) => {
    if (!(await reached(place, object.exists()))) throw new BackupError(`there is no object ${place}.`);
    await reached(place, Bun.write(file, object));
    return await read(file);
  });
}

async function inTemporaryFile<Result>(use: (file: string) => Promise<Result>): Promise<Result> {
  // Readable to this user only.
  const directory = await mkdtemp(join(tmpdir(), 'tollgate-backup-'));
  try {
    return await use(join(directory, 'backup'));
  } finally {
    await rm(directory, { recursive: true, force: true });
  }
}

async function reached<Result>(place: string, work: Promise<Result>): Promise<Result> {
  try {
    return await work;
  } catch (error) {
    throw new BackupError(
      `the storage of ${place} refused: ${error instanceof Error ? error.message : String(error)}`,
      {
        cause: error,
      },
    );
  }
}
