// Suno behind a proxy, as a platform of tasks: music and lyrics.
import { factText } from '#contract/facts.ts';
import { isFinished } from '#contract/relay/drawing.ts';
import { isTaskStatus } from '#contract/relay/tasks.ts';
import { isObject } from '#server/models/formats/json.ts';
import type { Channel } from '#server/relay/channel-choice/catalog.ts';
import { neutralText } from '#server/relay/errors/relay-error.ts';
import type { Core } from '#server/relay/pipeline/core.ts';
import type { Platform, RawReport } from '#server/relay/tasks/platform.ts';
import { addressOf, jsonOf, laterStatus, progressOf, timeOf } from '#server/relay/tasks/report-fields.ts';
import type { Task } from '#server/relay/tasks/rows.ts';
import { askUpstream, READ_SECONDS } from '#server/relay/tasks/upstream.ts';
import { dataOf, musicParts, propertiesOf } from './parts.ts';

export const suno: Platform = {
  name: 'suno',
  format: 'suno',
  lateReason: factText('musicLate'),
  reportsOf,
  changeIn,
  askedOf: (task) => propertiesOf(task).asked,
  partsOf: musicParts,
};

async function reportsOf(
  core: Core,
  channel: Channel,
  ids: readonly string[],
  signal: AbortSignal,
): Promise<Map<string, RawReport> | undefined> {
  const reply = await askUpstream(core, channel, {
    format: 'suno',
    path: '/suno/fetch',
    body: { ids },
    timeoutSeconds: READ_SECONDS,
    signal,
  });
  const list = isObject(reply.value) && !('failure' in reply) ? reply.value['data'] : undefined;
  if (!Array.isArray(list)) {
    if (!signal.aborted) core.log.warn('the state of music could not be read', { channel_id: channel.id });
    return undefined;
  }
  const requested = new Set(ids);
  const reports = (list as unknown[]).filter(isObject).flatMap((report) => {
    const id = report['task_id'];
    return typeof id === 'string' && requested.has(id) ? [[id, report] as const] : [];
  });
  return new Map(reports);
}

function changeIn(task: Task, report: RawReport, now: number) {
  const status = isTaskStatus(report['status']) ? laterStatus(task.status, report['status']) : task.status;
  const ends = isFinished(status);
  const data = jsonOf(report['data']) ?? dataOf(task);
  return {
    ends,
    change: {
      status,
      progress: status === 'SUCCESS' ? '100%' : (progressOf(report['progress']) ?? task.progress),
      fail_reason:
        status === 'FAILURE' ? (neutralText(report['fail_reason']) ?? factText('musicFailed')) : '',
      result_url: audioIn(data) || task.result_url,
      start_ms: secondsOf(report['start_time'], now) || task.start_ms,
      finish_ms: ends ? Math.max(task.submit_ms, secondsOf(report['finish_time'], now) || now) : 0,
      properties: JSON.stringify({ ...propertiesOf(task), data }),
    },
  };
}

const secondsOf = (value: unknown, now: number): number => timeOf(Number(value) * 1000, now);

/** The address of the first clip that can be heard. */
function audioIn(data: unknown): string {
  const clips: unknown[] = Array.isArray(data) ? data : [];
  for (const clip of clips) {
    const address = isObject(clip) ? addressOf(clip['audio_url']) : '';
    if (address !== '') return address;
  }
  return '';
}
