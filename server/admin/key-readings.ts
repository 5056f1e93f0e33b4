// Reading whole keys or codes is audited: one row per session, organization and hour, because every page of the console's list shows keys.
import { HOUR_SECONDS } from '#contract/time.ts';
import type { RequestContext } from '#server/admin/context.ts';

/** A session that was evicted from the map gets one more audit row. */
const REMEMBERED_SESSIONS = 10_000;

export interface KeyReadings {
  record(context: RequestContext, now: number): Promise<void>;
}

export function createKeyReadings(event: 'token.read_keys' | 'redemption.read_keys'): KeyReadings {
  const lastHour = new Map<string, number>();
  return {
    async record(context, now) {
      if (context.via !== 'session' || !context.user || !context.sessionDigest) return;
      const hour = Math.floor(now / HOUR_SECONDS);
      const { organization } = context;
      const session = `${context.sessionDigest} ${organization?.id ?? ''}`;
      if (lastHour.get(session) === hour) return;
      lastHour.delete(session);
      lastHour.set(session, hour);
      const oldest = lastHour.keys().next();
      if (lastHour.size > REMEMBERED_SESSIONS && !oldest.done) lastHour.delete(oldest.value);
      await context.auditEvent(event, `user:${context.user.id}`);
    },
  };
}
