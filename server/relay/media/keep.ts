// Downloads finished results and removes old ones. A job runs it on one node at a time; a file is claimed by its row, grows
// under a temporary name, and counts as kept only after it is whole in its place.
import { open, rm } from 'node:fs/promises';
import { DAY_SECONDS, unixSeconds } from '#contract/time.ts';
import type { MediaDependencies } from './dependencies.ts';
import { sourceOf, type MediaFile } from './file.ts';
import { MediaError, openSource } from './open-source.ts';
import type { Kept, MediaRows } from './rows.ts';
import type { S3 } from '#server/platform/egress/index.ts';
import type { Disk, Place } from './storage.ts';

const MEGABYTE = 1024 ** 2;
const TASKS_PER_RUN = 200;
const FILES_PER_RUN = 100;
const ROWS_PER_STEP = 200;

export interface KeepParts extends MediaDependencies {
  readonly rows: MediaRows;
  readonly disk: Disk;
  readonly s3: S3;
}

/** Throws when the storage fails: the operator reads why on the page of jobs, and tasks go on. */
export async function keepDue(parts: KeepParts, signal: AbortSignal): Promise<void> {
  const { rows, settings, filesOf } = parts;
  const days = settings.current.MediaKeepDays;
  if (days === 0) return;
  for (const task of await rows.unseenTasks(Date.now() - days * DAY_SECONDS * 1000, TASKS_PER_RUN))
    await rows.want(task, filesOf(task).filter(isKeepable));
  for (let count = 0; count < FILES_PER_RUN && !signal.aborted; count += 1) {
    const row = await rows.claim();
    if (row === undefined) return;
    await keepOne(parts, row, signal);
  }
}

const isKeepable = ({ isForwarded, isFinal }: MediaFile): boolean => isForwarded && isFinal;

async function keepOne(parts: KeepParts, row: Kept, signal: AbortSignal): Promise<void> {
  const { rows, taskOf, filesOf, log } = parts;
  const task = await taskOf(row.task_id);
  const file = task === undefined ? undefined : filesOf(task).find(({ name }) => name === row.name);
  if (file === undefined) return await rows.fail(row, 'the task has no such file', true);
  try {
    await store(parts, row, file, signal);
  } catch (error) {
    const message = error instanceof Error ? error.message : String(error);
    if (error instanceof MediaError && !signal.aborted) {
      log.info('a result could not be kept', { task: row.task_id, name: row.name, reason: message });
      return await rows.fail(row, message, error.isFinal);
    }
    await rows.postpone(row, message);
    if (!signal.aborted) throw error;
  }
}

async function store(parts: KeepParts, row: Kept, file: MediaFile, signal: AbortSignal): Promise<void> {
  const { rows, disk, s3, settings } = parts;
  const { MediaMaxMegabytes, MediaKeepGigabytes, MediaStorage } = settings.current;
  const totalBytes = MediaKeepGigabytes * 1024 * MEGABYTE;
  const mostBytes = Math.min(MediaMaxMegabytes * MEGABYTE, totalBytes);
  const temporary = await disk.temporaryFile(row.key, mostBytes);
  try {
    const { bytes, type } = await download(parts, { file, temporary, mostBytes, signal });
    await makeRoom(parts, totalBytes - bytes);
    const place: Place = MediaStorage;
    if (place === 's3') await s3.put(row.key, Bun.file(temporary), type);
    else await disk.put(row.key, temporary);
    const isWanted = await rows.keep(row.id, { place, type, bytes });
    if (!isWanted) await removeFile(parts, place, row.key);
  } finally {
    await rm(temporary, { force: true });
  }
}

interface Download {
  file: MediaFile;
  temporary: string;
  mostBytes: number;
  signal: AbortSignal;
}

async function download(
  { egress }: KeepParts,
  { file, temporary, mostBytes, signal }: Download,
): Promise<{ bytes: number; type: string }> {
  const { kind } = file;
  const opened = await openSource(await sourceOf(file), { egress, from: 'channel', kind, mostBytes, signal });
  const { call, answer, type, length } = opened;
  const abort = () => call.abort();
  signal.addEventListener('abort', abort, { once: true });
  const target = await open(temporary, 'w', 0o600);
  let bytes = 0;
  try {
    if (answer.status !== 200) throw new MediaError(`the upstream answered ${answer.status}`);
    for (;;) {
      const piece = await answer.read().catch((error: unknown) => {
        throw signal.aborted ? error : new MediaError(String(error));
      });
      if (piece === undefined) break;
      bytes += piece.length;
      if (bytes > mostBytes) throw new MediaError('the file is too large', true);
      await writeAll(target, piece);
    }
    if (bytes === 0 || (length !== undefined && bytes !== length))
      throw new MediaError('the file came incomplete');
    await target.sync();
    return { bytes, type };
  } catch (error) {
    call.abort();
    throw error;
  } finally {
    signal.removeEventListener('abort', abort);
    await target.close();
  }
}

/** A nearly full disk may take a part of a write. */
async function writeAll(target: Awaited<ReturnType<typeof open>>, piece: Uint8Array): Promise<void> {
  let from = 0;
  while (from < piece.length) from += (await target.write(piece, from)).bytesWritten;
}

/** Removes the oldest files until the others take at most this much. */
async function makeRoom(parts: KeepParts, mostBytes: number): Promise<void> {
  let total = await parts.rows.totalBytes();
  while (total > mostBytes) {
    const [oldest] = await parts.rows.keptBefore(unixSeconds() + DAY_SECONDS, 1);
    if (oldest === undefined) return;
    await removeFile(parts, oldest.place, oldest.key);
    await parts.rows.expire(oldest.id);
    total -= oldest.bytes;
  }
}

async function removeFile({ disk, s3 }: KeepParts, place: string, key: string): Promise<void> {
  if (place === 's3') await s3.remove(key);
  else await disk.remove(key);
}

/** Idempotent: what is removed stays removed. Every node looks through its own directory. */
export async function removeOld(parts: KeepParts, signal: AbortSignal): Promise<void> {
  const { rows, disk, settings } = parts;
  await inSteps(signal, async () => {
    const old = await rows.keptBefore(
      unixSeconds() - settings.current.MediaKeepDays * DAY_SECONDS,
      ROWS_PER_STEP,
    );
    for (const row of old) {
      await removeFile(parts, row.place, row.key);
      await rows.expire(row.id);
    }
    return old.length;
  });
  await inSteps(signal, async () => {
    const orphans = await rows.withoutTask(ROWS_PER_STEP);
    for (const row of orphans) {
      if (row.state === 'kept') await removeFile(parts, row.place, row.key);
      await rows.remove(row.id);
    }
    return orphans.length;
  });
  // What a crash left, and what another node has expired.
  const files = await disk.oldFiles();
  for (let start = 0; start < files.length && !signal.aborted; start += ROWS_PER_STEP) {
    const names = files.slice(start, start + ROWS_PER_STEP);
    const kept = await rows.keptOnDisk(names);
    for (const name of names) if (!kept.has(name)) await disk.remove(name);
  }
}

async function inSteps(signal: AbortSignal, step: () => Promise<number>): Promise<void> {
  while (!signal.aborted && (await step()) === ROWS_PER_STEP);
}
