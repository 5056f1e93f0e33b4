/** What is wrong with a channel, since when and whom it touches, with one action. */
import { Button } from '@mantine/core';
import { Link } from '@tanstack/react-router';
import { Fragment, type ReactNode } from 'react';
import { useTranslation } from 'react-i18next';
import type { ChannelPage } from '#contract/admin/channel-page.ts';
import type { Named } from '#contract/admin/thing-parts.ts';
import { LOG_TYPE } from '#contract/admin/logs.ts';
import { channelReason } from '#contract/relay/channel-reasons.ts';
import { useFacts } from '#web/ui/facts/use-facts.ts';
import { groupDigits } from '#web/ui/format/number.ts';
import { absoluteTime } from '#web/ui/format/time.ts';
import { ThingAlert } from '#web/ui/thing/thing-page.tsx';

/** Names in the line; the table below has all. */
const MOST_NAMES = 3;

function Listed<Item>({ items, draw }: { items: readonly Item[]; draw: (item: Item) => ReactNode }) {
  const rest = items.length - MOST_NAMES;
  return (
    <>
      {items.slice(0, MOST_NAMES).map((item, at) => (
        // oxlint-disable-next-line react/no-array-index-key -- the names are never reordered in place
        <Fragment key={at}>
          {at > 0 ? ', ' : ''}
          {draw(item)}
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
  const stop = language === 'zh' ? '。' : '. ';
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
      {hasStop ? ' ' : stop}
      {only_models.length > 0 ? (
        <>
          {t('page.alert.only')}{' '}
          <Listed
            items={only_models}
            draw={(model) => (
              <Link to="/model/$" params={{ _splat: model }}>
                {model}
              </Link>
            )}
          />
          {stop}
        </>
      ) : null}
      {refused > 0 ? (
        <Link to="/log" search={{ type: LOG_TYPE.refused }}>
          {users > 1
            ? t('page.alert.refused', { users, calls: groupDigits(refused) })
            : t('page.alert.refusedOne', { calls: groupDigits(refused) })}
        </Link>
      ) : null}{' '}
      {moved_to.length > 0 ? (
        <>
          {t(only_models.length > 0 ? 'page.alert.moved' : 'page.alert.movedAll')}{' '}
          <Listed
            items={moved_to}
            draw={({ id, name }: Named) => (
              <Link to="/channel/$id" params={{ id: String(id) }}>
                {name}
              </Link>
            )}
          />
          {stop}
        </>
      ) : null}
    </ThingAlert>
  );
}
