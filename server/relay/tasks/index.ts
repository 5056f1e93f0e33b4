// Upstreams that finish a task long after the call, as server/app/app.ts uses them: routes, a poller, close.
import type { Settings } from '#contract/settings.ts';
import type { TaskAsked, TaskPart } from '#contract/relay/tasks.ts';
import type { Core } from '#server/relay/pipeline/core.ts';
import type { RelayRoutes } from '#server/relay/entry/handler.ts';
import type { Transaction } from 'kysely';
import type { Schema } from '#server/platform/store/schema.ts';
import type { Store } from '#server/platform/store/store.ts';
import { anthropicBatches } from './batches/anthropic.ts';
import { batchCounts } from './batches/counts.ts';
import { openAiBatches } from './batches/openai.ts';
import { batchRoutes } from './batches/routes.ts';
import { taskChanges } from './changes.ts';
import { createMedia } from '#server/relay/media/index.ts';
import { pictureAddress } from './drawing/addresses.ts';
import { midjourney } from './drawing/midjourney.ts';
import { propertiesOf } from './drawing/report.ts';
import { drawingRoutes } from './drawing/routes.ts';
import { fileRoutes } from './file-routes.ts';
import { taskFiles } from './files.ts';
import { musicRoutes } from './music/routes.ts';
import { suno } from './music/suno.ts';
import type { TaskParts } from './parts.ts';
import type { Platform } from './platform.ts';
import { createPoller } from './poll.ts';
import { taskRows, type Task } from './rows.ts';
import { videoRoutes } from './video/routes.ts';
import { video } from './video/video.ts';
import { holdOf, videoId } from './video/view.ts';

/** A new platform: its object here, its paths below. */
const platforms: readonly Platform[] = [midjourney, suno, video, openAiBatches, anthropicBatches];

export interface Tasks {
  /** For `Bun.serve({ routes })`. */
  readonly routes: RelayRoutes;
  readonly pollSeconds: number;
  /** Asks the upstreams for the tasks that are due; a job runs it. */
  pollDue(): Promise<void>;
  /** The parts of a result, with the addresses that users get. */
  partsOf(task: Task): TaskPart[];
  /** Downloads results that are to be kept; a job runs it. */
  keepMedia(signal: AbortSignal): Promise<void>;
  /** Removes kept results whose time is over; a job runs it. */
  removeOldMedia(signal: AbortSignal): Promise<void>;
  /** Before the ledger is closed. */
  close(): Promise<void>;
}

interface TaskOptions {
  pollSeconds: number;
  dataDir: string;
}

export function createTasks(core: Core, { pollSeconds, dataDir }: TaskOptions): Tasks {
  const rows = taskRows(core.store);
  const changes = taskChanges(core, rows);
  const life = new AbortController();
  const files = taskFiles(core, platforms);
  const { store, settings, egress, log } = core;
  const media = createMedia({
    store,
    settings,
    egress,
    log,
    dataDir,
    filesOf: (task) => files.of(task),
    taskOf: (id) => rows.find(id),
  });
  const parts: TaskParts = { core, rows, changes, files, media, pollSeconds, life: life.signal };
  const poller = createPoller(parts, platforms);
  return {
    routes: {
      ...drawingRoutes(parts, poller),
      ...musicRoutes(parts, poller),
      ...videoRoutes(parts, poller),
      ...batchRoutes(parts),
      ...fileRoutes(parts),
    },
    pollSeconds,
    pollDue: () => poller.pollDue(),
    partsOf: (task) => files.partsOf(task),
    keepMedia: (signal) => media.keepDue(signal),
    removeOldMedia: (signal) => media.removeOld(signal),
    async close() {
      life.abort();
      await poller.close();
      await changes.close();
    },
  };
}

/** Rows that may be cleaned up; times in Unix seconds. */
export function endedTasks(store: Store) {
  const rows = taskRows(store);
  return {
    count: (before: number) => rows.countEnded(before * 1000),
    removeOldest: (transaction: Transaction<Schema>, before: number, most: number) =>
      rows.removeEnded(transaction, before * 1000, most),
  };
}

/** Fields of the drawing list that are not columns. */
export function drawingFacts({ vault }: Store) {
  return (settings: Pick<Settings, 'MjForwardUrlEnabled' | 'ServerAddress'>, task: Task) => {
    const { description, state } = propertiesOf(task);
    return { description, state, image_url: pictureAddress(vault, settings, task) };
  };
}

/** Fields of the list of other tasks that are not columns. */
export const taskFacts = {
  /** What the caller asked for; null for tasks that the playground cannot send again. */
  askedOf: (task: Task): TaskAsked | null =>
    platforms.find(({ name }) => name === task.platform)?.askedOf?.(task) ?? null,
  batchOf: batchCounts,
  /** The id that callers know a task by; only videos have another one than their upstream's. */
  ids: {
    idOf: (task: Task): string => (task.platform === video.name ? videoId(task) : task.task_id),
    holdOf,
  },
};
