// Incidents of the status page: found by a job (a model has no channel left), or written by operators.
import { z } from 'zod';
import { basedOn } from '#contract/based-on.ts';
import { endpoint } from '#contract/endpoint.ts';
import { idParams } from '#contract/lists.ts';
import type { CustomProblem } from '#contract/problem-words.ts';

export const MOST_INCIDENTS = 200;
const MOST_MODELS = 200;
const LATEST_TIME = 4_102_444_800;

const source = z.enum(['measured', 'operator']);

const line = z.object({
  id: z.number(),
  at: z.number(),
  /** Who says it. */
  source,
  text_zh: z.string(),
  text_en: z.string(),
});
export type IncidentLine = z.output<typeof line>;

const incident = z.object({
  id: z.number(),
  kind: source,
  title_zh: z.string(),
  title_en: z.string(),
  models: z.array(z.string()),
  begun_at: z.number(),
  /** 0: it is not over. */
  ended_at: z.number(),
  /** Calls of its models that were refused because no channel was left; none of them was charged. */
  refused: z.number(),
  created_at: z.number(),
  updated_at: z.number(),
  /** Newest first; at least one of the two texts of each is there. */
  lines: z.array(line),
});
export type Incident = z.output<typeof incident>;

const title = z.string().trim().max(100).default('');
const text = z.string().trim().max(2000).default('');

export const incidentFields = z.object({
  title_zh: title,
  title_en: title,
  models: z.array(z.string().trim().min(1).max(200)).max(MOST_MODELS).default([]),
  begun_at: z.number().int().min(1).max(LATEST_TIME),
  ended_at: z.number().int().min(0).max(LATEST_TIME).default(0),
});
export type IncidentFields = z.output<typeof incidentFields>;

export const lineFields = z.object({ text_zh: text, text_en: text });

export const hasTitle = ({ title_zh, title_en }: Pick<IncidentFields, 'title_zh' | 'title_en'>) =>
  title_zh !== '' || title_en !== '';
export const endsAfterBegin = ({ begun_at, ended_at }: Pick<IncidentFields, 'begun_at' | 'ended_at'>) =>
  ended_at === 0 || ended_at > begun_at;
export const hasText = ({ text_zh, text_en }: z.output<typeof lineFields>) =>
  text_zh !== '' || text_en !== '';

const AFTER_BEGIN = { path: ['ended_at'], message: 'after_start' satisfies CustomProblem };

export const incidents = {
  list: endpoint({
    method: 'GET',
    path: '/api/incidents',
    access: 'admin',
    summary: { zh: '故障列表', en: 'Incidents, the newest first' },
    returns: z.array(incident),
  }),
  create: endpoint({
    method: 'POST',
    path: '/api/incidents',
    access: 'admin',
    summary: { zh: '发布故障', en: 'Publish an incident' },
    body: incidentFields.extend(lineFields.shape).refine(endsAfterBegin, AFTER_BEGIN),
    returns: incident,
  }),
  change: endpoint({
    method: 'PUT',
    path: '/api/incidents/{id}',
    access: 'admin',
    summary: { zh: '修改故障记录', en: 'Change an incident that an operator wrote' },
    params: idParams,
    body: incidentFields.extend({ based_on: basedOn }).refine(endsAfterBegin, AFTER_BEGIN),
    returns: incident,
  }),
  addLine: endpoint({
    method: 'POST',
    path: '/api/incidents/{id}/lines',
    access: 'admin',
    summary: { zh: '补充故障进展', en: 'Add a line to an incident' },
    params: idParams,
    body: lineFields.extend({ is_over: z.boolean().default(false) }),
    returns: incident,
  }),
  removeLine: endpoint({
    method: 'DELETE',
    path: '/api/incidents/{id}/lines/{line}',
    access: 'admin',
    summary: { zh: '删除故障进展', en: 'Remove a line that an operator wrote' },
    params: idParams.extend({ line: z.coerce.number().int().min(1) }),
    returns: incident,
  }),
  remove: endpoint({
    method: 'DELETE',
    path: '/api/incidents/{id}',
    access: 'admin',
    summary: { zh: '删除故障记录', en: 'Delete an incident that an operator wrote' },
    params: idParams,
    returns: z.null(),
  }),
};
