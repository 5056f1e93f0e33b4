// The first steps of a new installation, checked against reality; shown to the super admin until all are done or hidden.
import { z } from 'zod';
import { endpoint } from '#contract/endpoint.ts';

/** In the order in which an operator needs them. */
export const FIRST_STEPS = ['channel', 'price', 'token', 'address', 'mail', 'payment', 'backup'] as const;
export type FirstStep = (typeof FIRST_STEPS)[number];

/** `failed`: begun, but it does not work. */
export const STEP_STATES = ['done', 'open', 'failed'] as const;

/** Why a step is not done; the console has the words. */
export const STEP_REASONS = [
  'none',
  'untested',
  'unpriced',
  'local',
  'unreachable',
  'other_site',
  'unsent',
  'unmade',
  'old',
] as const;

const firstStep = z.object({
  name: z.enum(FIRST_STEPS),
  state: z.enum(STEP_STATES),
  /** Of a step that is not done. */
  reason: z.enum(STEP_REASONS).optional(),
  /** What it concerns: an address, models, the words of a server; empty when there is nothing to say. */
  detail: z.string(),
  /** The last backup in unix seconds; 0: none is known. */
  at: z.number(),
});
export type FirstStepView = z.output<typeof firstStep>;

export const firstRun = {
  read: endpoint({
    method: 'GET',
    path: '/api/first_run',
    access: 'root',
    summary: { zh: '首次设置清单', en: 'The first steps of this installation' },
    query: z.object({
      /** Where the caller's browser reached this site: proof that the address works there. */
      origin: z.string().max(500).default(''),
    }),
    returns: z.object({
      /** Not hidden by the option FirstStepsEnabled, and something is left to do. */
      is_shown: z.boolean(),
      steps: z.array(firstStep),
    }),
  }),
};
