// Backups in S3 for the command line: `s3://bucket/name`, with the keys and the endpoint of the usual variables
// (AWS_ACCESS_KEY_ID, AWS_SECRET_ACCESS_KEY, AWS_SESSION_TOKEN, AWS_ENDPOINT, AWS_REGION).
import { existsSync } from 'node:fs';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { createEgress, createS3, NETWORKS_OF_OPERATOR, type S3 } from '#server/platform/egress/index.ts';
import { BackupError } from './backup-error.ts';
import { signatureFile } from './signature.ts';

export const isS3 = (place: string): boolean => place.startsWith('s3://');

interface S3Door {
  readonly allowedHosts: readonly string[];
}

interface Opened {
  object: string;
  s3: S3;
  close(): void;
}

function openPlace(place: string, { allowedHosts }: S3Door): Opened {
  const [, bucket, key] = /^s3:\/\/([^/]+)\/(.+)$/.exec(place) ?? [];
  if (bucket === undefined || key === undefined)
    throw new BackupError(`${place} is not of the form s3://bucket/name.`);
  const { AWS_ACCESS_KEY_ID, AWS_SECRET_ACCESS_KEY, AWS_SESSION_TOKEN, AWS_ENDPOINT, AWS_REGION } =
    process.env;
  const region = AWS_REGION || 'us-east-1';
  const options = {
    bucket,
    region,
    endpoint: AWS_ENDPOINT || `https://s3.${region}.amazonaws.com`,
    accessKeyId: AWS_ACCESS_KEY_ID ?? '',
    secretAccessKey: AWS_SECRET_ACCESS_KEY ?? '',
    ...(AWS_SESSION_TOKEN ? { sessionToken: AWS_SESSION_TOKEN } : {}),
  };
  const egress = createEgress({ allowedPrivateAddresses: NETWORKS_OF_OPERATOR, allowedHosts });
  return { object: key, s3: createS3(() => options, '', egress), close: () => egress.close() };
}

/** Calls `write` with a file name and sends what was written, its signature first. Never overwrites a backup. */
export async function sendToS3<Written>(
  place: string,
  door: S3Door,
  write: (file: string) => Promise<Written>,
): Promise<Written> {
  return await withPlace(place, door, async ({ s3, object }) =>
    inTemporaryFile(async (file) => {
      if (await explainRefusal(place, s3.exists(object)))
        throw new BackupError(`${place} exists already; a backup never overwrites a file.`);
      const written = await write(file);
      const signature = signatureFile(file);
      if (existsSync(signature))
        await explainRefusal(place, s3.put(signatureFile(object), Bun.file(signature), 'text/plain'));
      await explainRefusal(place, s3.put(object, Bun.file(file), 'application/octet-stream'));
      return written;
    }),
  );
}

export async function fetchFromS3<Result>(
  place: string,
  door: S3Door,
  read: (file: string) => Promise<Result>,
): Promise<Result> {
  return await withPlace(place, door, async ({ s3, object }) =>
    inTemporaryFile(async (file) => {
      if (!(await explainRefusal(place, s3.exists(object))))
        throw new BackupError(`there is no object ${place}.`);
      await explainRefusal(place, s3.save(object, file));
      if (await explainRefusal(place, s3.exists(signatureFile(object))))
        await explainRefusal(place, s3.save(signatureFile(object), signatureFile(file)));
      return await read(file);
    }),
  );
}

async function withPlace<Result>(
  place: string,
  door: S3Door,
  use: (opened: Opened) => Promise<Result>,
): Promise<Result> {
  const opened = openPlace(place, door);
  try {
    return await use(opened);
  } finally {
    opened.close();
  }
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

async function explainRefusal<Result>(place: string, work: Promise<Result>): Promise<Result> {
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
