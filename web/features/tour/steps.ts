/** The pages of the tour, in order. */
import { isAdmin } from '#contract/access.ts';

export const TOUR_KEY = 'demo-tour-seen';

const STEPS = [
  // The text speaks of thirty days.
  { name: 'dashboard', to: '/detail', search: { days: 30, by: 'day' } },
  { name: 'channel', to: '/channel', isForAdmins: true },
  { name: 'log', to: '/log' },
  { name: 'wallet', to: '/topup' },
  { name: 'playground', to: '/playground' },
  { name: 'token', to: '/token' },
] as const satisfies readonly { name: string; to: string; search?: object; isForAdmins?: boolean }[];

export type TourStep = (typeof STEPS)[number];

export const stepsFor = (role: number): TourStep[] =>
  STEPS.filter((step) => !('isForAdmins' in step) || isAdmin(role));
