/** The failures of a thing, grouped by what the upstream said. */
import { Link } from '@tanstack/react-router';
import { Fragment } from 'react';
import { useTranslation } from 'react-i18next';
import type { FailureGroup, ThingFailures } from '#contract/admin/thing-parts.ts';
import type { ThingWindow } from '#contract/thing-window.ts';
import { useFacts } from '#web/ui/facts/use-facts.ts';
import { groupDigits } from '#web/ui/format/number.ts';
import { absoluteTime, utcTime } from '#web/ui/format/time.ts';
import { ErrorGroups, type ErrorGroup } from './error-groups.tsx';
import type { PostPlace } from './hour-posts.tsx';
import { ThingPanel } from './panel.tsx';
import classes from './lists.module.css';

interface FailuresPanelProps {
  failures: ThingFailures;
  window: ThingWindow;
  /** The log of the failures in this time. */
  placeOf: (from: number, to: number) => PostPlace;
  /** When the thing switched itself off, and for which status. */
  off?: { at: number; reason: string };
  /** The failures are of several channels. */
  isOfMany?: boolean;
}

/** The guard looks at the failures of the last moments. */
const OFF_SECONDS = 120;

function switchedOff({ status, first_at, last_at }: FailureGroup, off: FailuresPanelProps['off']): boolean {
  if (off === undefined || off.at === 0) return false;
  const said = Number(/^status (\d{3})\b/.exec(off.reason)?.[1] ?? status);
  return status === said && first_at <= off.at + 1 && last_at >= off.at - OFF_SECONDS;
}

export function FailuresPanel({ failures, window, placeOf, off, isOfMany = false }: FailuresPanelProps) {
  const { t } = useTranslation('thing');
  const facts = useFacts();
  const { groups, total, read } = failures;
  const spoken = (group: FailureGroup) => facts.attempt(group.words).replace(/^status \d{3} ?/, '');
  const shown = groups.map((group): ErrorGroup => {
    const isLoud = switchedOff(group, off);
    const answered = group.answered_by.reduce((sum, { count }) => sum + count, 0);
    const did = [
      ...(isOfMany ? [group.channels.map(({ name, id }) => name || `#${id}`).join(', ')] : []),
      ...(isLoud ? [t('errors.switchedOff')] : []),
      answered > 0
        ? t('errors.answeredBy', {
            count: answered,
            names: group.answered_by.map(({ name, id }) => name || `#${id}`).join(', '),
          })
        : isLoud
          ? ''
          : t('errors.toCaller'),
    ].filter((text) => text !== '');
    return {
      key: `${group.status} ${group.words}`,
      count: group.count,
      status: group.status,
      words: spoken(group) || t('errors.noWords'),
      did: did.join(' · '),
      posts: group.posts,
      lastAt: group.last_at,
      isLoud,
      raw: facts.attempt(group.words),
      detail: <Calls group={group} />,
      copy: copyOf(group, facts.attempt(group.words)),
      links: (
        <Link {...placeOf(group.first_at, group.last_at)}>{t('errors.calls', { count: group.count })}</Link>
      ),
    };
  });
  return (
    <ThingPanel
      title={t('errors.title')}
      hint={
        groups.length === 0
          ? undefined
          : read < total
            ? t('errors.hintPart', {
                total: groupDigits(total),
                read: groupDigits(read),
                count: groups.length,
              })
            : t('errors.hint', { total: groupDigits(total), count: groups.length })
      }
      isFlush
    >
      {groups.length === 0 ? (
        <p className={`note ${classes.none}`}>{t(total === 0 ? 'errors.none' : 'errors.noRows')}</p>
      ) : (
        <ErrorGroups groups={shown} isLong={window !== '24h'} />
      )}
    </ThingPanel>
  );
}

function Calls({ group: { models, users, first_at, last_at } }: { group: FailureGroup }) {
  const { t } = useTranslation('thing');
  return (
    <>
      {t('errors.detail', {
        models: models.map(({ name }) => name).join(', '),
        from: absoluteTime(first_at).slice(5),
        to: absoluteTime(last_at).slice(5),
      })}{' '}
      {users.map(({ id, name, count }, at) => (
        <Fragment key={id}>
          {at > 0 ? ', ' : ''}
          <Link to="/log" search={{ user: name, type: 5 }} className="quiet-link">
            {name}
          </Link>{' '}
          {count}
        </Fragment>
      ))}
    </>
  );
}

/** In English and UTC: it is sent to people elsewhere. */
function copyOf(group: FailureGroup, words: string): string {
  return [
    `${group.count} x ${group.status === 0 ? 'no answer' : `HTTP ${group.status}`}`,
    words,
    `Models: ${group.models.map(({ name }) => name).join(', ')}`,
    `First: ${utcTime(group.first_at)} UTC, last: ${utcTime(group.last_at)} UTC`,
    `Our request ids: ${group.request_ids.join(', ')}`,
  ].join('\n');
}
