// A platform whose tasks end long after the call that submitted them: Midjourney, Suno. A new platform is one object of this
// kind in server/relay/tasks/index.ts, and the paths its callers use.
import type { UsageDoubt } from '#contract/money/usage-doubt.ts';
import type { Settings } from '#contract/settings.ts';
import type { TaskAsked, TaskPart } from '#contract/relay/tasks.ts';
import type { Format } from '#server/models/formats/format.ts';
import type { Channel } from '#server/relay/channel-choice/catalog.ts';
import type { Usage } from '#server/money/prices/usage.ts';
import type { InlineSource, Source } from '#server/relay/media/index.ts';
import type { Core } from '#server/relay/pipeline/core.ts';
import type { Task, TaskChange } from './rows.ts';

/** The upstream's words about one task: untrusted until `changeIn` has read them. */
export type RawReport = Readonly<Record<string, unknown>>;

export interface Platform {
  /** Stored in the column `platform`. */
  readonly name: string;
  /** Channels whose provider speaks it serve the tasks. */
  readonly format: Format;
  /** The fail reason of a task that its upstream did not finish before the deadline. */
  readonly lateReason: string;
  /** The upstream limits its tasks apart from calls of the model, which a refused task must not pause. */
  readonly hasOwnLimits?: boolean;
  /** Between two questions about an old task; default: a minute. */
  readonly longestWaitSeconds?: number;
  /** The upstream's reports by task id. A task without one counts as a failed question and is asked for later. */
  reportsOf(
    core: Core,
    channel: Channel,
    ids: readonly string[],
    signal: AbortSignal,
  ): Promise<ReadonlyMap<string, RawReport> | undefined>;
  /** The change to the row; `ends` if it contains a final status. `doubt`: why the operator should look at its charge. */
  changeIn(
    task: Task,
    report: RawReport,
    now: number,
  ): { change: TaskChange & { status: string }; ends: boolean; doubt?: string };
  /**
   * What an ended task used, read from its row alone, so that every node that ends the hold charges the same; undefined charges
   * nothing. Without this function a success is one piece and a failure is free.
   */
  usageOf?(task: Task): Usage | undefined;
  /** The usage was not reported by the upstream; the log row says so. */
  isEstimated?(task: Task): boolean;
  /** What was not believed of the upstream's report; for the log row and the operators. */
  doubtsOf?(task: Task): readonly UsageDoubt[];
  /** The id that callers know the task by, for the log; the upstream's by default. */
  callerId?(task: Task): string;
  /** What the caller asked for, for the playground; undefined for a task that it cannot send again. */
  askedOf?(task: Task): TaskAsked | undefined;
  /** The parts of the result, with the upstream's addresses. */
  partsOf?(task: Task): TaskPart[];
  /**
   * Where the video of a task is, for upstreams that give no public address: with the channel's key, or after a question.
   * Undefined when the task has none. The function throws a MediaError when the upstream does not say.
   */
  hiddenVideo?(core: Core, channel: Channel, task: Task): (() => Promise<Source | InlineSource>) | undefined;
  /** Users get our addresses of the result; default: as the setting says. */
  isForwarded?(settings: Settings, task: Task): boolean;
  /** The row was changed; for callers that asked to be called back. Not awaited. */
  changed?(core: Core, task: Task): Promise<void>;
}
