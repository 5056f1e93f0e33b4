/** The ways a receiver is notified: which events by which way, a test for each, and the way to the history. */
import { ActionIcon, Button, Menu } from '@mantine/core';
import { useMutation, useQuery, useQueryClient } from '@tanstack/react-query';
import { Link } from '@tanstack/react-router';
import { IconDots, IconPencil, IconPlus, IconSend, IconTrash } from '@tabler/icons-react';
import { useState } from 'react';
import { useTranslation } from 'react-i18next';
import { languageOf } from '#contract/language.ts';
import {
  MOST_NOTICE_DESTINATIONS,
  type NoticeDestinationKindView,
  type NoticeDestinationsView,
  type NoticeDestinationView,
} from '#contract/admin/notices.ts';
import { errorMessage } from '#web/api/errors.ts';
import { PostLoader } from '#web/ui/badge/posts.tsx';
import { StatusBadge } from '#web/ui/badge/status.tsx';
import { confirm } from '#web/ui/feedback/dialog-store.ts';
import { ErrorState } from '#web/ui/feedback/states.tsx';
import { toast } from '#web/ui/feedback/toast.tsx';
import layout from '#web/ui/input/form.module.css';
import { useEventName } from './events.ts';
import { noticeQueries, NOTICES_KEY, waysApi, type Receiver } from './queries.ts';
import { WayDialog } from './way-dialog.tsx';
import classes from './notices.module.css';

export function NoticeWays({ receiver }: { receiver: Receiver }) {
  const { t: ui } = useTranslation('ui');
  const ways = useQuery(noticeQueries.ways(receiver));
  if (ways.error && !ways.data)
    return <ErrorState message={errorMessage(ways.error)} onRetry={() => void ways.refetch()} />;
  if (!ways.data) return <PostLoader label={ui('grid.loading')} />;
  return <WayList receiver={receiver} view={ways.data} />;
}

type Edited = { kind: NoticeDestinationKindView; way: NoticeDestinationView | undefined };

function WayList({ receiver, view }: { receiver: Receiver; view: NoticeDestinationsView }) {
  const { t, i18n } = useTranslation('notices');
  const [edited, setEdited] = useState<Edited>();
  const language = languageOf(i18n.language);
  const kindOf = (way: NoticeDestinationView) => view.kinds.find(({ kind }) => kind === way.kind);
  const addable = view.kinds.filter(({ kind }) => kind !== 'mail');
  const scope = receiver === 'own' ? undefined : 'operators';
  return (
    <div className="stack12">
      <ul>
        {view.ways.map((way) => (
          <WayRow
            key={`${way.kind}:${way.id}`}
            receiver={receiver}
            way={way}
            view={view}
            title={kindOf(way)?.title[language] ?? way.kind}
            onEdit={() => {
              const kind = kindOf(way);
              if (kind) setEdited({ kind, way });
            }}
          />
        ))}
      </ul>
      <div className="row16">
        <Menu position="bottom-start">
          <Menu.Target>
            <Button
              variant="default"
              leftSection={<IconPlus size={15} stroke={1.6} />}
              disabled={view.ways.length >= MOST_NOTICE_DESTINATIONS}
            >
              {t('ways.add')}
            </Button>
          </Menu.Target>
          <Menu.Dropdown>
            {addable.map((kind) => (
              <Menu.Item key={kind.kind} onClick={() => setEdited({ kind, way: undefined })}>
                {kind.title[language]}
              </Menu.Item>
            ))}
          </Menu.Dropdown>
        </Menu>
        <Link to="/notices" search={{ scope }} className={layout.link}>
          {t('ways.history')}
        </Link>
      </div>
      {edited ? (
        <WayDialog
          receiver={receiver}
          events={view.events}
          kind={edited.kind}
          way={edited.way}
          onClose={() => setEdited(undefined)}
        />
      ) : null}
    </div>
  );
}

interface WayRowProps {
  receiver: Receiver;
  way: NoticeDestinationView;
  view: NoticeDestinationsView;
  title: string;
  onEdit: () => void;
}

function WayRow({ receiver, way, view, title, onEdit }: WayRowProps) {
  const { t } = useTranslation('notices');
  const eventName = useEventName();
  const client = useQueryClient();
  const name = way.name || title;
  const calls = waysApi(receiver);
  const refresh = () => client.invalidateQueries({ queryKey: NOTICES_KEY });
  const test = useMutation({
    mutationFn: () => calls.testWay({ params: { id: way.id } }),
    onSuccess: ({ status, error }) => {
      if (status === 'dead') toast.error(t('test.failed', { error }));
      else toast.success(status === 'sent' ? t('test.sent', { name }) : t('test.queued'));
    },
    onSettled: refresh,
  });
  const remove = useMutation({
    mutationFn: () => calls.removeWay({ params: { id: way.id } }),
    onSuccess: () => toast.success(t('ways.removed', { name })),
    onSettled: refresh,
  });
  const ask = async () => {
    const sure = await confirm({
      title: t('ways.removeTitle', { name }),
      body: t('ways.removeText'),
      confirmLabel: t('ways.remove'),
      danger: true,
    });
    if (sure) remove.mutate();
  };
  const isMail = way.kind === 'mail';
  const isIdle = !way.is_enabled || way.events.length === 0;
  const target = isMail ? view.mail_to || t('ways.noAddress') : (way.config['address'] ?? '');
  return (
    <li className={classes.way}>
      <div className={`stack shrink ${classes.wayText}`}>
        <b>{name}</b>
        <span>{[name === title ? '' : title, target].filter(Boolean).join(' · ')}</span>
        {isMail && !view.mail_configured ? (
          <span>{t('ways.noMail')}</span>
        ) : (
          <span>
            {isIdle
              ? t('ways.nothing')
              : way.events.length === view.events.length
                ? t('ways.everything')
                : way.events.map(eventName).join(t('ways.separator'))}
          </span>
        )}
      </div>
      <StatusBadge kind={isIdle ? 'disabled' : 'enabled'}>{t(isIdle ? 'ways.off' : 'ways.on')}</StatusBadge>
      <div className={`row8 ${classes.wayActions}`}>
        <Button
          variant="default"
          size="compact-sm"
          leftSection={<IconSend size={14} stroke={1.6} />}
          loading={test.isPending}
          disabled={!isMail && !way.is_enabled}
          aria-label={`${t('test.button')} ${name}`}
          onClick={() => test.mutate()}
        >
          {t('test.button')}
        </Button>
        <Menu position="bottom-end">
          <Menu.Target>
            <ActionIcon aria-label={t('ways.more', { name })}>
              <IconDots size={16} stroke={1.6} />
            </ActionIcon>
          </Menu.Target>
          <Menu.Dropdown>
            <Menu.Item leftSection={<IconPencil size={15} stroke={1.6} />} onClick={onEdit}>
              {t('ways.edit')}
            </Menu.Item>
            {isMail ? null : (
              <Menu.Item
                color="red"
                leftSection={<IconTrash size={15} stroke={1.6} />}
                onClick={() => void ask()}
              >
                {t('ways.remove')}
              </Menu.Item>
            )}
          </Menu.Dropdown>
        </Menu>
      </div>
    </li>
  );
}
