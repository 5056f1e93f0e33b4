/** What is wrong with a channel, since when and whom it touches, with one action. */
import { Button } from '@mantine/core';
import { Link } from '@tanstack/react-router';
import { Fragment } from 'react';
import { useTranslation } from 'react-i18next';
import type { ChannelPage } from '#contract/admin/channel-page.ts';
import type { Named } from '#contract/admin/thing-parts.ts';
import { LOG_TYPE } from '#contract/admin/logs.ts';
import { channelReason } from '#contract/relay/channel-reasons.ts';
import { useFacts } from '#web/ui/facts/use-facts.ts';
import { sentenceGap } from '#web/ui/format/joined.ts';
import { groupDigits } from '#web/ui/format/number.ts';
import { absoluteTime } from '#web/ui/format/time.ts';
import { ThingAlert } from '#web/ui/thing/thing-page.tsx';

/** Names in the line; the table below has all. */
const MOST_NAMES = 3;

function Models({ names, comma }: { names: readonly string[]; comma: string }) {
  const rest = names.length - MOST_NAMES;
  return (
    <>
      {names.slice(0, MOST_NAMES).map((model, at) => (
        <Fragment key={model}>
          {at > 0 ? comma : ''}
          <Link to="/model/$" params={{ _splat: model }}>
            {model}
          </Link>
        </Fragment>
      ))}
      {rest > 0 ? ` +${rest}` : ''}
    </>
  );
}

function Channels({ channels, comma }: { channels: readonly Named[]; comma: string }) {
  const rest = channels.length - MOST_NAMES;
  return (
    <>
      {channels.slice(0, MOST_NAMES).map(({ id, name }, at) => (
        <Fragment key={id}>
          {at > 0 ? comma : ''}
          <Link to="/channel/$id" params={{ id: String(id) }}>
            {name}
          </Link>
        </Fragment>
      ))}
      {rest > 0 ? ` +${rest}` : ''}
    </>
  );
}

export function ChannelAlert({ page }: { page: ChannelPage }) {
  const { t } = useTranslation('channels');
  const { language } = useFacts();
  const { alert, channel } = page;
  if (alert === null) return null;
  const { only_models, refused, users, moved_to } = alert;
  const reason = alert.reason === '' ? alert.words : channelReason(language, alert.reason);
  const said = alert.words === '' || reason.includes(alert.words) ? reason : `${reason}: “${alert.words}”`;
  const first =
    alert.kind === 'unusable'
      ? t('page.alert.unusable', { reason: said })
      : alert.since > 0
        ? t('page.alert.off', { time: absoluteTime(alert.since).slice(5, 16), reason: said })
        : t('page.alert.offPlain', { reason: said });
  const gap = sentenceGap(language);
  const stop = language === 'zh' ? '。' : '. ';
  const comma = language === 'zh' ? '、' : ', ';
  const hasStop = /[.。!！?？]$/.test(first);
  return (
    <ThingAlert
      tone={only_models.length > 0 || alert.kind === 'unusable' ? 'danger' : 'warning'}
      action={
        only_models.length > 0 ? (
          <Button variant="default" renderRoot={(props) => <Link {...props} to="/channel/add" />}>
            {t('page.alert.addOther')}
          </Button>
        ) : (
          <Button
            variant="default"
            renderRoot={(props) => (
              <Link {...props} to="/log" search={{ channel: channel.id, type: LOG_TYPE.error }} />
            )}
          >
            {t('page.alert.logs')}
          </Button>
        )
      }
    >
      <b>{first}</b>
      {hasStop ? gap : stop}
      {only_models.length > 0 ? (
        <>
          {t('page.alert.only')}
          {gap}
          <Models names={only_models} comma={comma} />
          {stop}
        </>
      ) : null}
      {refused > 0 ? (
        <Link to="/log" search={{ type: LOG_TYPE.refused }}>
          {users > 1
            ? t('page.alert.refused', { users, calls: groupDigits(refused) })
            : t('page.alert.refusedOne', { calls: groupDigits(refused) })}
        </Link>
      ) : null}
      {gap}
      {moved_to.length > 0 ? (
        <>
          {t(only_models.length > 0 ? 'page.alert.moved' : 'page.alert.movedAll')}
          {gap}
          <Channels channels={moved_to} comma={comma} />
          {stop}
        </>
      ) : null}
    </ThingAlert>
  );
}
