// Joins the notices with what happens in the rest of the server (failing jobs, broken invariants), and the announcements.
import type { Breach } from '#server/money/audit/breach.ts';
import type { Egress } from '#server/platform/egress/index.ts';
import { createAnnouncementHandlers } from '#server/admin/announcements/index.ts';
import { createIncidentHandlers } from '#server/admin/status/index.ts';
import { createFaqHandlers } from '#server/admin/faq/index.ts';
import { createNoticeHandlers, createOperatorNoticeHandlers } from '#server/admin/notices/index.ts';
import type { RootLog } from '#server/platform/log.ts';
import type { JobFailure } from '#server/app/jobs/index.ts';
import { openNotices, raiseNotice, type NoticeMailer } from '#server/platform/notices/index.ts';
import type { LiveSettings } from '#server/platform/settings/settings.ts';
import type { Store } from '#server/platform/store/store.ts';

interface NoticeBase {
  store: Store;
  settings: LiveSettings;
  log: RootLog;
  egress: Pick<Egress, 'fetch' | 'check'>;
  mailer: NoticeMailer;
}

/** Operators get a notice from this many failures of a job in a row: a single failure is retried by the next run. */
const REPEATED_FAILURES = 3;

const dayOf = () => new Date().toISOString().slice(0, 10);
const hourOf = () => new Date().toISOString().slice(0, 13);

export function joinNotices({ store, settings, log, egress, mailer }: NoticeBase) {
  const parts = { store, settings, log, egress, mailer };
  return {
    sender: openNotices(parts),
    handlers: {
      notices: createNoticeHandlers(parts),
      operatorNotices: createOperatorNoticeHandlers(parts),
      announcements: createAnnouncementHandlers({ store }),
      incidents: createIncidentHandlers({ store }),
      faq: createFaqHandlers({ store }),
    },
    /** One notice a day for each broken invariant: it can concern every row. */
    onBreach: ({ invariant, userId, detail }: Breach): void => {
      log.error('a money invariant is broken', { invariant, userId, detail });
      raiseNotice(store.db, {
        event: 'invariant_broken',
        values: { invariant, concerned_user_id: userId, detail },
        onceKey: `invariant_broken:${invariant}:${dayOf()}`,
      }).catch((error: unknown) => log.error('the notice of a breach could not be raised', { error }));
    },
    /** At most one notice an hour for each job. */
    onRepeatedFailure: async ({ job, title, failures, error }: JobFailure): Promise<void> => {
      if (failures < REPEATED_FAILURES) return;
      await raiseNotice(store.db, {
        event: 'job_failed',
        values: { job, title, failures, error },
        onceKey: `job_failed:${job}:${hourOf()}`,
      });
    },
  };
}
