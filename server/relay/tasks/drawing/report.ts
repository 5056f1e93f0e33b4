// Reads an upstream's report as untrusted input: known states, bounded texts, valid URLs.
import { factText } from '#contract/facts.ts';
import { DRAWING_STATUSES, isFinished } from '#contract/relay/drawing.ts';
import { isObject } from '#server/models/formats/json.ts';
import { neutralText } from '#server/relay/errors/relay-error.ts';
import {
  addressOf,
  jsonOf,
  laterStatus,
  progressOf,
  textOf,
  timeOf,
} from '#server/relay/tasks/report-fields.ts';
import type { Task, TaskChange } from '#server/relay/tasks/rows.ts';

/** Fields of a task without a column of their own. */
export interface DrawingProperties {
  description: string;
  state: string;
  buttons: unknown;
  properties: unknown;
  videoUrl: string;
  /** Images are served from our own URL, by the token's setting. */
  isForwarded: boolean;
}

export const noProperties: DrawingProperties = {
  description: '',
  state: '',
  buttons: [],
  properties: {},
  videoUrl: '',
  isForwarded: false,
};

export function propertiesOf(task: Pick<Task, 'properties'>): DrawingProperties {
  if (task.properties === '') return noProperties;
  return { ...noProperties, ...(JSON.parse(task.properties) as Partial<DrawingProperties>) };
}

export const propertiesText = (known: Partial<DrawingProperties>): string =>
  JSON.stringify({ ...noProperties, ...known });

export function isReport(value: unknown): value is Readonly<Record<string, unknown>> & { id: string } {
  return isObject(value) && typeof value['id'] === 'string';
}

/** The change to the row; `ends` if it contains a final status. */
export function changeIn(
  task: Task,
  report: Readonly<Record<string, unknown>>,
  now: number,
): { change: TaskChange & { status: string }; ends: boolean } {
  const status = statusOf(report['status'], task.status);
  const failure = status === 'FAILURE' ? failureOf(report['failReason']) : '';
  const image = addressOf(report['imageUrl']);
  const known = propertiesOf(task);
  const properties: DrawingProperties = {
    description: textOf(report['description']) || known.description,
    state: textOf(report['state']) || known.state,
    buttons: jsonOf(report['buttons']) ?? known.buttons,
    properties: jsonOf(report['properties']) ?? known.properties,
    videoUrl: addressOf(report['videoUrl']) || known.videoUrl,
    isForwarded: known.isForwarded,
  };
  const ends = isFinished(status);
  return {
    ends,
    change: {
      status,
      progress: status === 'SUCCESS' ? '100%' : (progressOf(report['progress']) ?? task.progress),
      prompt: task.prompt || textOf(report['prompt']),
      prompt_en: textOf(report['promptEn']) || task.prompt_en,
      result_url: image || task.result_url,
      fail_reason: failure,
      start_ms: timeOf(report['startTime'], now) || task.start_ms,
      finish_ms: ends ? Math.max(task.submit_ms, timeOf(report['finishTime'], now) || now) : 0,
      properties: JSON.stringify(properties),
    },
  };
}

function statusOf(value: unknown, known: string): string {
  if (value === 'CANCEL') return 'FAILURE';
  return laterStatus(known, DRAWING_STATUSES.find((status) => status === value) ?? known);
}

function failureOf(value: unknown): string {
  return neutralText(value) ?? factText('drawingFailed');
}
