/** Events of the audit trail on the page of a thing: what was done, by whom, and the fields that changed. */
import { Link } from '@tanstack/react-router';
import { useTranslation } from 'react-i18next';
import type { PageEvent, PageEvents } from '#contract/admin/page-parts.ts';
import { Events, type ThingEvent } from '#web/ui/thing/events.tsx';
import { ThingPanel } from '#web/ui/thing/panel.tsx';
import { useAuditWords } from './words.ts';

interface AuditEventsProps {
  events: PageEvents;
  /** The reader may open the audit trail of this target. */
  trail?: string | undefined;
  /** Events from other sources, which are put among them by time. */
  more?: readonly ThingEvent[];
}

export function AuditEvents({ events, trail, more = [] }: AuditEventsProps) {
  const { t } = useTranslation('thing');
  const { t: audit } = useTranslation('audit');
  const all: ThingEvent[] = events.items.map((event) => ({
    key: String(event.id),
    at: event.created_at,
    text: <EventText event={event} />,
    tone: TONES.test(event.action) ? 'danger' : undefined,
  }));
  const listed = [...all, ...more].toSorted((left, right) => right.at - left.at);
  return (
    <ThingPanel
      title={t('events.title')}
      hint={t('events.hint')}
      more={
        trail === undefined || events.total === 0 ? null : (
          <Link to="/audit" search={{ target: trail }}>
            {audit('allOf', { count: events.total })}
          </Link>
        )
      }
    >
      {listed.length === 0 ? <p className="caption">{t('events.none')}</p> : <Events events={listed} />}
    </ThingPanel>
  );
}

const TONES = /\.(?:disable|disable_leaked|delete|remove|refund|leave|end)$/;

function EventText({ event }: { event: PageEvent }) {
  const { t } = useTranslation('audit');
  const words = useAuditWords();
  return (
    <>
      {words.action(event.action)}
      {event.actor_name === '' ? null : <> · {event.actor_name}</>}
      {event.changes.map(({ field, before, after }) => (
        <span key={field} className="note">
          {' '}
          · {words.field(field)}{' '}
          {before === null ? null : (
            <>
              <s>{words.value(field, before, event.target) || t('blank')}</s>{' '}
            </>
          )}
          {after === null ? null : words.value(field, after, event.target) || t('blank')}
        </span>
      ))}
    </>
  );
}
