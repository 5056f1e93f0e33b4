/** What needs the reader, the most urgent first, each with one action; what was checked stands below. */
import { Button } from '@mantine/core';
import { useQuery } from '@tanstack/react-query';
import { Link } from '@tanstack/react-router';
import { IconCircleCheckFilled } from '@tabler/icons-react';
import type { TFunction } from 'i18next';
import { useState } from 'react';
import { useTranslation } from 'react-i18next';
import { isRoot } from '#contract/access.ts';
import type { AttentionCheckView, AttentionItem, AttentionView } from '#contract/admin/attention.ts';
import { ATTENTION_CHECK_WORDS, attentionText } from '#contract/admin/attention-words.ts';
import { DAY_SECONDS, unixSeconds } from '#contract/time.ts';
import { errorMessage } from '#web/api/errors.ts';
import { attentionQuery } from '#web/api/queries.ts';
import { useUser } from '#web/api/session.ts';
import { useSnooze } from '#web/api/snooze.ts';
import { SeverityMark } from '#web/ui/attention/severity.tsx';
import { Snoozed, SnoozeButton } from '#web/ui/attention/snooze.tsx';
import { useAttentionReader, useItemWords } from '#web/ui/attention/use-item.ts';
import { ErrorState } from '#web/ui/feedback/states.tsx';
import { Moment } from '#web/ui/format/moment.tsx';
import { absoluteTime } from '#web/ui/format/time.ts';
import { namesJoined, sentenceGap } from '#web/ui/format/joined.ts';
import { Panel, Waiting } from './parts.tsx';
import classes from './overview.module.css';

export function Needs() {
  const { t } = useTranslation('overview');
  const list = useQuery(attentionQuery);
  const [showsAll, setShowsAll] = useState(false);
  const items = list.data?.items ?? [];
  const open = items.filter(({ is_snoozed }) => !is_snoozed);
  const hidden = items.length - open.length;
  return (
    <Panel
      id="needs"
      title={t('needs.title')}
      hint={open.length > 0 ? t('needs.count', { count: open.length }) : undefined}
    >
      {list.error && !list.data ? (
        <ErrorState message={errorMessage(list.error)} onRetry={() => void list.refetch()} />
      ) : null}
      {list.isPending ? <Waiting /> : null}
      <ul className={classes.items}>
        {(showsAll ? items : open).map((item) => (
          <Item key={item.id} item={item} />
        ))}
      </ul>
      {list.data ? <Checked view={list.data} isEmpty={open.length === 0} /> : null}
      <Snoozed
        count={hidden}
        isShown={showsAll}
        onToggle={() => setShowsAll(!showsAll)}
        className={classes.line}
      />
    </Panel>
  );
}

/** Customers may notice it: an operator can tell them on the status page. */
const isFelt = ({ kind }: AttentionItem): boolean => kind === 'channel_only' || kind === 'channel_off';

function incidentOf({ subjects, since }: AttentionItem) {
  const models = subjects.filter(({ kind }) => kind === 'model').map(({ id }) => id);
  return {
    write: true as const,
    ...(models.length === 0 ? {} : { models: models.join(',') }),
    ...(since === 0 ? {} : { begun: since }),
  };
}

function Item({ item }: { item: AttentionItem }) {
  const { t } = useTranslation('overview');
  const user = useUser();
  const { title: name, detail, action, place } = useItemWords(user !== undefined && isRoot(user.role))(item);
  const snooze = useSnooze(item);
  return (
    <li className={classes.item} data-severity={item.severity}>
      <SeverityMark severity={item.severity} />
      <div className="grow anywhere">
        <b className="strong">{name}</b>
        <p className="caption">{detail}</p>
      </div>
      {item.since > 0 ? (
        <span className={`note nowrap ${classes.age}`}>
          <Moment timestamp={item.since} />
        </span>
      ) : null}
      <div className={classes.actions}>
        {isFelt(item) ? (
          <Button
            variant="subtle"
            renderRoot={(props) => <Link {...props} to="/incidents" search={incidentOf(item)} />}
          >
            {t('needs.incident')}
          </Button>
        ) : null}
        <Button
          variant={item.severity === 'stop' ? 'filled' : 'default'}
          renderRoot={(props) => <Link {...props} {...place} />}
        >
          {action}
        </Button>
        <SnoozeButton
          name={name}
          isSnoozed={item.is_snoozed}
          isPending={snooze.isPending}
          onClick={snooze.toggle}
        />
      </div>
    </li>
  );
}

const clock = (seconds: number) => absoluteTime(seconds).slice(11, 16);
/** A time of another day has its day with it. */
const moment = (seconds: number) =>
  absoluteTime(seconds).slice(0, 10) === absoluteTime(unixSeconds()).slice(0, 10)
    ? clock(seconds)
    : absoluteTime(seconds).slice(5, 16);

/** What a check found while all is well; undefined: only its name can be said. */
function factOf({ name, values }: AttentionCheckView, t: TFunction<'overview'>): string | undefined {
  const { at, percent, ends_at: ends, version } = values;
  if ((name === 'backup' || name === 'ledger') && typeof at === 'number')
    return t(`needs.fact.${name}`, { time: moment(at) });
  if (name === 'disk' && typeof percent === 'number') return t('needs.fact.disk', { percent });
  if (name === 'certificate' && typeof ends === 'number')
    return t('needs.fact.certificate', { count: Math.floor((ends - unixSeconds()) / DAY_SECONDS) });
  if (name === 'version' && typeof version === 'string') return t('needs.fact.version', { version });
  return undefined;
}

/** Said only while every check has run: a late one is an item itself. */
function Checked({ view, isEmpty }: { view: AttentionView; isEmpty: boolean }) {
  const { t } = useTranslation('overview');
  const reader = useAttentionReader();
  if (view.checks.some(({ is_late }) => is_late)) return null;
  const list = namesJoined(
    view.checks.map(
      (check) => factOf(check, t) ?? attentionText(ATTENTION_CHECK_WORDS[check.name], {}, reader),
    ),
    reader.language,
  );
  return (
    <p className={`row8 caption ${classes.line}`}>
      <IconCircleCheckFilled size={16} className={classes.good} aria-hidden />
      <span>
        {t(isEmpty ? 'needs.nothing' : 'needs.else', { time: clock(view.checked_at) })}
        {sentenceGap(reader.language)}
        {t('needs.checked', { list })}
      </span>
    </p>
  );
}
