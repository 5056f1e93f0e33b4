// The daily check-in: a reward once per user and day, in the time zone that the answer names.
import { z } from 'zod';
import { endpoint } from '#contract/endpoint.ts';
import { humanCheck } from '#contract/admin/session.ts';
import { monthOf } from './statements.ts';

export const checkInDay = z.object({
  /** YYYY-MM-DD. */
  day: z.string(),
  quota: z.number(),
});

export const checkInCalendar = z.object({
  enabled: z.boolean(),
  /** Its midnight begins the next day. */
  time_zone: z.string(),
  /** YYYY-MM-DD. */
  today: z.string(),
  /** YYYY-MM. */
  month: z.string(),
  /** Days of the month with a check-in, oldest first. */
  days: z.array(checkInDay),
  is_done_today: z.boolean(),
  /** The account has no email address, and this site verifies addresses. */
  needs_email: z.boolean(),
  min_quota: z.number(),
  max_quota: z.number(),
});
export type CheckInCalendar = z.output<typeof checkInCalendar>;

export const checkIn = {
  calendar: endpoint({
    method: 'GET',
    path: '/api/user/checkin',
    access: 'user',
    summary: { zh: '签到日历', en: 'Your check-ins of a month' },
    query: z.object({ month: monthOf.optional() }),
    returns: checkInCalendar,
  }),
  claim: endpoint({
    method: 'POST',
    path: '/api/user/checkin',
    access: 'user',
    summary: { zh: '签到', en: 'Check in' },
    query: humanCheck,
    returns: checkInDay,
    limit: 'critical',
    limitPer: 'user',
    sessionOnly: true,
  }),
};
