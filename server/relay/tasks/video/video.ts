// Videos as a platform of the task engine. The type of the channel decides which platform's API is spoken.
import { factText } from '#contract/facts.ts';
import { isFinished } from '#contract/relay/drawing.ts';
import type { PriceSnapshot } from '#server/money/prices/price.ts';
import type { Channel } from '#server/relay/channel-choice/catalog.ts';
import { neutralText } from '#server/relay/errors/relay-error.ts';
import type { Core } from '#server/relay/pipeline/core.ts';
import type { Platform, RawReport } from '#server/relay/tasks/platform.ts';
import { addressOf, laterStatus } from '#server/relay/tasks/report-fields.ts';
import type { Task } from '#server/relay/tasks/rows.ts';
import { READ_SECONDS } from '#server/relay/tasks/upstream.ts';
import { hiddenVideo } from './content.ts';
import { factsOf, factsText, mostTokens, videoUsage, type VideoFacts } from './facts.ts';
import type { VideoPlatform, VideoReport } from './platform.ts';
import { platformOf } from './registry.ts';
import { callUpstream } from './upstream.ts';
import { askedVideo, videoId, videoParts } from './view.ts';

const AT_ONCE = 8;
const FEWEST_LINES = 100;
const MOST_LINES = 4320;
/** Until then a 404 is not believed: an upstream with several nodes may answer 404 for a new task. */
const LOST_AFTER_MS = 15 * 60_000;

export const video: Platform = {
  name: 'video',
  format: 'video',
  lateReason: factText('videoLate'),
  reportsOf,
  changeIn,
  callerId: videoId,
  askedOf: askedVideo,
  partsOf: videoParts,
  hiddenVideo,
  usageOf(task) {
    if (task.status !== 'SUCCESS') return undefined;
    const { price } = JSON.parse(task.snapshot) as { price: PriceSnapshot };
    return videoUsage(price, factsOf(task));
  },
  isEstimated: (task) => factsOf(task).isDoubtful,
  doubtsOf: (task) => (factsOf(task).isDoubtful ? [{ count: 'report' }] : []),
};

/** The platforms answer for one task at a time. */
async function reportsOf(
  core: Core,
  channel: Channel,
  ids: readonly string[],
  signal: AbortSignal,
): Promise<Map<string, RawReport> | undefined> {
  const platform = platformOf(channel);
  if (platform === undefined) return undefined;
  const reports = new Map<string, RawReport>();
  // In another order each time: videos whose questions fail must not always come before the others.
  const queue = shuffled(ids);
  let failures = 0;
  const worker = async (): Promise<void> => {
    for (let id = queue.shift(); id !== undefined && !signal.aborted; id = queue.shift()) {
      const report = await reportOf(core, channel, platform, id, signal);
      if (report === undefined) failures += 1;
      else reports.set(id, { ...report });
      // The channel does not answer: the others would wait for the same.
      if (failures >= AT_ONCE && reports.size === 0) queue.length = 0;
    }
  };
  await Promise.all(Array.from({ length: AT_ONCE }, worker));
  if (failures > 0 && !signal.aborted)
    core.log.warn('the state of videos could not be read', { channel_id: channel.id, videos: failures });
  return reports;
}

function shuffled(ids: readonly string[]): string[] {
  return ids
    .map((id) => ({ id, place: Math.random() }))
    .toSorted((left, right) => left.place - right.place)
    .map(({ id }) => id);
}

async function reportOf(
  core: Core,
  channel: Channel,
  platform: VideoPlatform,
  id: string,
  signal: AbortSignal,
): Promise<VideoReport | undefined> {
  const reply = await callUpstream(core, channel, platform.question(id), {
    timeoutSeconds: READ_SECONDS,
    signal,
  });
  if ('failure' in reply && reply.status === 404) return { status: 'IN_PROGRESS', isLost: true };
  // An answer with an error status may still be a report: some platforms answer so for a moderated video.
  const report = platform.report(reply.value);
  if ('failure' in reply && report?.status !== 'FAILURE') return undefined;
  const hasNothing = report?.status === 'SUCCESS' && addressOf(report.url) === '';
  if (!hasNothing || platform.contentAt !== undefined) return report;
  return { status: 'FAILURE', failReason: 'The upstream returned no video' };
}

function changeIn(task: Task, raw: RawReport, now: number) {
  const report = raw as unknown as VideoReport;
  const isLost = report.isLost === true && now - task.submit_ms > LOST_AFTER_MS;
  const status = isLost
    ? 'FAILURE'
    : report.isLost === true
      ? task.status
      : laterStatus(task.status, report.status);
  const ends = isFinished(status);
  const isRunning = status === 'IN_PROGRESS';
  const facts = factsAfter(factsOf(task), report);
  return {
    ends,
    ...(facts.isDoubtful
      ? { doubt: 'a video has impossible numbers in its report: its plan is charged' }
      : {}),
    change: {
      status,
      progress: progressAfter(task, status, report.progress),
      fail_reason: status === 'FAILURE' ? reasonOf(report, isLost) : '',
      result_url: addressOf(report.url) || task.result_url,
      start_ms: task.start_ms === 0 && (isRunning || ends) ? now : task.start_ms,
      finish_ms: ends ? Math.max(task.submit_ms, now) : 0,
      properties: factsText(facts),
    },
  };
}

function progressAfter(task: Task, status: string, progress = 0): string {
  if (status === 'SUCCESS') return '100%';
  const before = Number.parseInt(task.progress, 10) || 0;
  return `${Math.max(before, Math.min(99, Math.trunc(progress)))}%`;
}

function reasonOf({ failReason }: VideoReport, isLost: boolean): string {
  if (isLost) return factText('videoLost');
  return neutralText(failReason) ?? factText('videoFailed');
}

/** What was made replaces what was asked for. The numbers decide the charge, so impossible ones are not used. */
function factsAfter(
  facts: VideoFacts,
  { seconds, resolution, tokens, file, imageUrl }: VideoReport,
): VideoFacts {
  const length = Math.round(Number(seconds));
  const used = Number.isSafeInteger(tokens) ? Number(tokens) : 0;
  const isTooLong = length > facts.mostSeconds;
  const isTooMuch = used > mostTokens(facts);
  return {
    ...facts,
    isDoubtful: isTooLong || isTooMuch,
    // Upstreams report 5.04 for a video of 5 seconds.
    ...(length >= 1 && !isTooLong ? { seconds: length } : {}),
    ...(isResolution(resolution) ? { resolution } : {}),
    ...(used > 0 && !isTooMuch ? { tokens: used } : {}),
    ...(file === undefined ? {} : { file: file.slice(0, 2000) }),
    imageUrl: addressOf(imageUrl) || facts.imageUrl,
  };
}

function isResolution(resolution: string | undefined): resolution is string {
  const [, lines] = /^(\d{3,4})p$/.exec(resolution ?? '') ?? [];
  return Number(lines) >= FEWEST_LINES && Number(lines) <= MOST_LINES;
}
