/** The pages of the tour, in order. */
import { isAdmin } from '#contract/access.ts';

export const TOUR_KEY = 'demo-tour-seen';

const STEPS = [
  { name: 'dashboard', to: '/detail' },
  { name: 'channel', to: '/channel', isForAdmins: true },
  { name: 'log', to: '/log' },
  { name: 'wallet', to: '/topup' },
  { name: 'playground', to: '/playground' },
  { name: 'token', to: '/token' },
] as const satisfies readonly { name: string; to: string; isForAdmins?: boolean }[];

export type TourStep = (typeof STEPS)[number];

export const stepsFor = (role: number): TourStep[] =>
  STEPS.filter((step) => !('isForAdmins' in step) || isAdmin(role));
