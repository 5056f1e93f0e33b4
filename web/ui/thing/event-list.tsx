/** Events from the server as sentences. The page's route loads the words of the audit trail too. */
import { Link } from '@tanstack/react-router';
import type { ReactNode } from 'react';
import { useTranslation } from 'react-i18next';
import type { ThingEvent as Happened } from '#contract/admin/thing-parts.ts';
import { channelReason } from '#contract/relay/channel-reasons.ts';
import { useFacts } from '#web/ui/facts/use-facts.ts';
import { formatMoney } from '#web/ui/format/number.ts';
import { Events } from './events.tsx';
import { ThingPanel } from './panel.tsx';
import { useUnitPriceText } from './unit-price.tsx';
import classes from './lists.module.css';

interface EventListProps {
  events: readonly Happened[];
  /** On the page of something else than the channel: its name is said. */
  namesChannel?: boolean;
  /** A link to all of them. */
  more?: ReactNode;
}

export function EventList({ events, namesChannel = false, more }: EventListProps) {
  const { t } = useTranslation('thing');
  return (
    <ThingPanel title={t('events.title')} hint={t('events.hint')} more={more} isFlush>
      {events.length === 0 ? (
        <p className={`note ${classes.none}`}>{t('events.none')}</p>
      ) : (
        <Events
          events={events.map((event, at) => ({
            key: `${event.at} ${event.kind} ${at}`,
            at: event.at,
            tone:
              event.kind === 'off' || (event.kind === 'test' && event.error !== '') ? 'danger' : undefined,
            text: <EventText event={event} namesChannel={namesChannel} />,
          }))}
        />
      )}
    </ThingPanel>
  );
}

function EventText({ event, namesChannel }: { event: Happened; namesChannel: boolean }) {
  const { t } = useTranslation('thing');
  const facts = useFacts();
  const priceText = useUnitPriceText();
  switch (event.kind) {
    case 'audit':
      return <AuditText event={event} />;
    case 'off':
    case 'on': {
      const reason = event.reason === '' ? '' : channelReason(facts.language, event.reason);
      return (
        <>
          {namesChannel ? (
            <>
              <Link to="/channel/$id" params={{ id: String(event.channel.id) }} className="quiet-link">
                {event.channel.name}
              </Link>{' '}
            </>
          ) : null}
          <b>{t(`events.${event.kind}`)}</b>
          {reason === '' ? '' : ` · ${reason}`}
        </>
      );
    }
    case 'test':
      return event.error === ''
        ? t('events.tested', { seconds: event.seconds.toFixed(2) })
        : t('events.testFailed', { error: facts.attempt(event.error) });
    case 'price':
      return (
        <>
          {t('events.price', { version: event.version, model: event.model })}{' '}
          <s className="muted">{priceText(event.before)}</s> → {priceText(event.after)}
          {event.more > 0 ? ` ${t('events.more', { count: event.more })}` : ''}
          {event.actor === '' ? '' : ` ${t('events.by', { actor: event.actor })}`}
        </>
      );
    case 'bill':
      return (
        <>
          <Link to="/suppliers" search={{ view: 'bills', open: event.id }} className="quiet-link">
            {event.name}
          </Link>{' '}
          {event.has_cost
            ? t('events.bill', { billed: formatMoney(event.billed), recorded: formatMoney(event.recorded) })
            : t('events.billRead')}
        </>
      );
    case 'probe':
      return t('events.probe', { model: event.model, agrees: event.agrees, total: event.total });
    default:
      return null;
  }
}

function AuditText({ event }: { event: Extract<Happened, { kind: 'audit' }> }) {
  const { t } = useTranslation('thing');
  const { t: audit, i18n } = useTranslation('audit');
  const { t: ui } = useTranslation('ui');
  const known = (key: string, other: string): string =>
    i18n.exists(key, { ns: 'audit' }) ? audit(key as 'title') : other;
  const valueOf = (field: string, value: string): string =>
    value === '' ? ui('value.none') : field === 'status' ? known(`status.channel.${value}`, value) : value;
  return (
    <>
      {known(`action.${event.action}`, event.action)}
      {event.changes.map(({ field, before, after }, at) => (
        <span key={field}>
          {at === 0 ? ': ' : ', '}
          {known(`field.${field}`, field)}
          {before === '' && after === '' ? null : (
            <>
              {' '}
              {before === '' ? null : <s className="muted">{valueOf(field, before)}</s>} →{' '}
              {valueOf(field, after)}
            </>
          )}
        </span>
      ))}
      {event.actor === '' ? '' : ` · ${t('events.by', { actor: event.actor })}`}
    </>
  );
}
