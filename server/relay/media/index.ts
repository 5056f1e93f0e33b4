// Files of results, as server/relay/tasks uses them: addresses of our own, answers with ranges, copies that are kept.
import type { Incoming } from '#server/relay/caller/incoming.ts';
import { answerWith, answerKept } from './answer.ts';
import type { MediaDependencies } from './dependencies.ts';
import type { MediaFile } from './file.ts';
import { keepDue, removeOld, type KeepParts } from './keep.ts';
import { mediaRows } from './rows.ts';
import { createDisk, createMediaS3 } from './storage.ts';

export { baseOf, isMediaProof, isProof, mediaAddress, proofOf, readMediaPath } from './addresses.ts';
export type { MediaDependencies } from './dependencies.ts';
export type { InlineSource, MediaFile, MediaKind, Source } from './file.ts';
export { classOfResult, MediaError } from './open-source.ts';

export interface Media {
  /** The caller has shown its proof. */
  answer(incoming: Incoming, file: MediaFile): Promise<Response>;
  /** Only a copy that is kept; undefined without one. */
  copy(incoming: Incoming, file: MediaFile): Promise<Response | undefined>;
  /** Downloads results that are not kept yet; a job runs it. */
  keepDue(signal: AbortSignal): Promise<void>;
  /** Removes copies whose time is over; a job runs it. */
  removeOld(signal: AbortSignal): Promise<void>;
}

export function createMedia(dependencies: MediaDependencies): Media {
  const { store, settings, egress, dataDir, freeBytes } = dependencies;
  const parts: KeepParts = {
    ...dependencies,
    rows: mediaRows(store),
    disk: createDisk(dataDir, freeBytes),
    s3: createMediaS3(() => settings.current, egress),
  };
  return {
    answer: (incoming, file) => answerWith(parts, incoming, file),
    copy: (incoming, file) => answerKept(parts, incoming, file),
    keepDue: (signal) => keepDue(parts, signal),
    removeOld: (signal) => removeOld(parts, signal),
  };
}
