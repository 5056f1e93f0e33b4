// The page of one asynchronous task, for its owner and for administrators.
import { z } from 'zod';
import { endpoint } from '#contract/endpoint.ts';
import { USAGE_READING } from './organization-rights.ts';
import { idParams } from '#contract/lists.ts';
import { taskView } from '#contract/relay/task-view.ts';

const named = z.object({ id: z.number(), name: z.string() });

export const taskPage = z.object({
  now: z.number(),
  /** To its owner: without the channel. */
  task: taskView,
  /** Null to its owner, and for a channel that is gone. */
  channel: named.nullable(),
  /** The API key of the call; null for the playground and for a key that is gone. */
  token: named.nullable(),
  group: z.string(),
  /** What became of the reserved money. */
  money: z.enum(['open', 'settled', 'released']),
});
export type TaskPageView = z.output<typeof taskPage>;

export const taskPages = {
  page: endpoint({
    method: 'GET',
    path: '/api/task/{id}/page',
    access: 'user',
    organization: USAGE_READING,
    summary: { zh: '异步任务页面', en: 'The page of an asynchronous task' },
    params: idParams,
    returns: taskPage,
  }),
};
