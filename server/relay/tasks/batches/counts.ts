// How far a batch is, as the console shows it.
import type { TaskBatch } from '#contract/relay/tasks.ts';
import { isObject, text } from '#server/models/formats/json.ts';
import type { Task } from '#server/relay/tasks/rows.ts';
import { anthropicBatches } from './anthropic.ts';
import { openAiBatches } from './openai.ts';
import { stateOf } from './state.ts';

const names: readonly string[] = [openAiBatches.name, anthropicBatches.name];

export function batchCounts(task: Task): TaskBatch | null {
  if (!names.includes(task.platform) || task.properties === '') return null;
  const { batch, input } = stateOf(task);
  const counts = isObject(batch['request_counts']) ? batch['request_counts'] : {};
  const number = (name: string): number => Math.max(0, Math.trunc(Number(counts[name]) || 0));
  return {
    state: text(batch['status']) || text(batch['processing_status']),
    total: input.requests,
    answered: number('completed') + number('succeeded'),
    failed: number('failed') + number('errored') + number('canceled') + number('expired'),
  };
}
