// Drawing tasks in the console. Times are milliseconds, as existing API clients expect here.
import { z } from 'zod';
import { endpoint } from '#contract/endpoint.ts';
import { USAGE_READING } from '#contract/admin/organization-rights.ts';
import { listCounts, pageFromZero } from '#contract/lists.ts';

export const DRAWING_ACTIONS = [
  'IMAGINE',
  'UPSCALE',
  'VARIATION',
  'HIGH_VARIATION',
  'LOW_VARIATION',
  'PAN',
  'DESCRIBE',
  'BLEND',
  'UPLOAD',
  'SHORTEN',
  'REROLL',
  'INPAINT',
  'ZOOM',
  'CUSTOM_ZOOM',
  'MODAL',
  'SWAP_FACE',
] as const;
export type DrawingAction = (typeof DRAWING_ACTIONS)[number];

export const DRAWING_STATUSES = [
  'SUCCESS',
  'NOT_START',
  'SUBMITTED',
  'IN_PROGRESS',
  'FAILURE',
  'MODAL',
] as const;
export type DrawingStatus = (typeof DRAWING_STATUSES)[number];

export const DRAWING_SPEEDS = ['fast', 'relax', 'turbo'] as const;
export type DrawingSpeed = (typeof DRAWING_SPEEDS)[number];

/** Result code of the submission at the upstream. */
export const SUBMIT_CODE = { none: 0, submitted: 1, waiting: 21, duplicate: 22 } as const;

/** A drawing that took longer is shown in red. */
export const SLOW_DRAWING_SECONDS = 60;

/** The model a token is limited to and a price is set for. */
export function drawingModel(action: DrawingAction): string {
  return action === 'SWAP_FACE' ? 'swap_face' : `mj_${action.toLowerCase()}`;
}

export const isFinished = (status: string): boolean => status === 'SUCCESS' || status === 'FAILURE';

export const drawingView = z.object({
  id: z.number(),
  user_id: z.number(),
  /** Blank for users, who see only their own. */
  username: z.string(),
  /** 0 for users. */
  channel_id: z.number(),
  /** Blank for users, and for a channel that is gone. */
  channel_name: z.string(),
  code: z.number(),
  action: z.string(),
  mj_id: z.string(),
  prompt: z.string(),
  prompt_en: z.string(),
  description: z.string(),
  state: z.string(),
  submit_time: z.number(),
  start_time: z.number(),
  /** 0 while it runs. */
  finish_time: z.number(),
  image_url: z.string(),
  status: z.string(),
  progress: z.string(),
  fail_reason: z.string(),
  /** Charged, or held while `held` is true; 0 after a failure that was not charged. */
  quota: z.number(),
  /** The task has not ended: `quota` is reserved for it and not charged. */
  held: z.boolean(),
});
export type DrawingView = z.output<typeof drawingView>;

const blankIsNone = (value: unknown) => (value === '' || value === '0' || value === 0 ? undefined : value);
const milliseconds = z.preprocess(
  blankIsNone,
  z.coerce.number().int().min(0).max(253_402_300_799_999).optional(),
);

export const drawingFilter = z.object({
  mj_id: z.string().trim().max(255).default(''),
  action: z.preprocess(blankIsNone, z.enum(DRAWING_ACTIONS).optional()),
  status: z.preprocess(blankIsNone, z.enum(DRAWING_STATUSES).optional()),
  start_timestamp: milliseconds,
  end_timestamp: milliseconds,
});
export const adminDrawingFilter = drawingFilter.extend({
  channel_id: z.preprocess(blankIsNone, z.coerce.number().int().positive().optional()),
});
export type DrawingFilter = z.output<typeof drawingFilter>;
export type AdminDrawingFilter = z.output<typeof adminDrawingFilter>;

export const drawing = {
  list: endpoint({
    method: 'GET',
    path: '/api/mj/',
    access: 'admin',
    summary: { zh: '所有用户的绘图任务', en: 'Drawing tasks of all users' },
    query: pageFromZero.extend(adminDrawingFilter.shape),
    returns: z.array(drawingView),
    extra: listCounts,
  }),
  listSelf: endpoint({
    method: 'GET',
    path: '/api/mj/self/',
    access: 'user',
    organization: USAGE_READING,
    summary: { zh: '自己的绘图任务', en: 'Your own drawing tasks' },
    query: pageFromZero.extend(drawingFilter.shape),
    returns: z.array(drawingView),
    extra: listCounts,
  }),
};
