/** The operator's announcements: planned, shown and past ones. */
import { ActionIcon, Button } from '@mantine/core';
import { useMutation, useQuery, useQueryClient } from '@tanstack/react-query';
import { IconPencil, IconPinFilled, IconPlus, IconTrash } from '@tabler/icons-react';
import { useState } from 'react';
import { useTranslation } from 'react-i18next';
import { announcementIn, type Announcement } from '#contract/admin/announcements.ts';
import { api } from '#web/api.ts';
import { errorMessage } from '#web/api/errors.ts';
import { currentLanguage } from '#web/i18n/i18n.ts';
import { PostLoader } from '#web/ui/badge/posts.tsx';
import { StatusBadge } from '#web/ui/badge/status.tsx';
import { confirm } from '#web/ui/feedback/dialog-store.ts';
import { ErrorState } from '#web/ui/feedback/states.tsx';
import { toast } from '#web/ui/feedback/toast.tsx';
import { useNow } from '#web/ui/format/moment.tsx';
import { absoluteTime } from '#web/ui/format/time.ts';
import { AnnouncementDialog } from './announcement-dialog.tsx';
import { announcementQueries, ANNOUNCEMENTS_KEY } from './queries.ts';
import classes from './announcements.module.css';

export function AnnouncementEditor() {
  const { t } = useTranslation('announcements');
  const { t: ui } = useTranslation('ui');
  const list = useQuery(announcementQueries.all());
  const [edited, setEdited] = useState<Announcement | 'new'>();
  if (list.error && !list.data)
    return <ErrorState message={errorMessage(list.error)} onRetry={() => void list.refetch()} />;
  if (!list.data) return <PostLoader label={ui('grid.loading')} />;
  return (
    <div className={`stack12 start ${classes.editor}`}>
      <ul className={classes.rows}>
        {list.data.map((announcement) => (
          <Row key={announcement.id} announcement={announcement} onEdit={() => setEdited(announcement)} />
        ))}
      </ul>
      <Button
        variant="default"
        leftSection={<IconPlus size={15} stroke={1.6} />}
        onClick={() => setEdited('new')}
      >
        {t('editor.add')}
      </Button>
      {edited ? (
        <AnnouncementDialog
          announcement={edited === 'new' ? undefined : edited}
          onClose={() => setEdited(undefined)}
        />
      ) : null}
    </div>
  );
}

function Row({ announcement, onEdit }: { announcement: Announcement; onEdit: () => void }) {
  const { t } = useTranslation('announcements');
  const { id, level, audience, from_at, until_at, is_pinned } = announcement;
  const { title, content } = announcementIn(currentLanguage(), announcement);
  const client = useQueryClient();
  const now = useNow();
  const name = title || content.slice(0, 60);
  const remove = useMutation({
    mutationFn: () => api.announcements.remove({ params: { id } }),
    onSuccess: () => toast.success(t('editor.removed')),
    onSettled: () => client.invalidateQueries({ queryKey: ANNOUNCEMENTS_KEY }),
  });
  const ask = async () => {
    const confirmLabel = t('editor.remove');
    const sure = await confirm({ title: t('editor.removeTitle'), body: name, confirmLabel, danger: true });
    if (sure) remove.mutate();
  };
  const isPlanned = from_at > now;
  const isPast = until_at > 0 && until_at <= now;
  const span = [
    from_at > 0 ? t('editor.from', { time: absoluteTime(from_at) }) : '',
    until_at > 0 ? t('editor.until', { time: absoluteTime(until_at) }) : '',
  ];
  return (
    <li className={classes.row}>
      <div className={`stack grow ${classes.rowText}`}>
        <b>
          {is_pinned ? <IconPinFilled size={13} role="img" aria-label={t('pinned')} /> : null} {name}
        </b>
        <span>{[t(`level.${level}`), t(`audience.${audience}`), ...span].filter(Boolean).join(' · ')}</span>
      </div>
      <StatusBadge kind={isPast ? 'expired' : isPlanned ? 'queued' : 'enabled'}>
        {t(isPast ? 'state.past' : isPlanned ? 'state.planned' : 'state.shown')}
      </StatusBadge>
      <span className="flex fixed">
        <ActionIcon aria-label={`${t('editor.edit')} ${name}`} onClick={onEdit}>
          <IconPencil size={15} stroke={1.6} />
        </ActionIcon>
        <ActionIcon aria-label={`${t('editor.remove')} ${name}`} onClick={() => void ask()}>
          <IconTrash size={15} stroke={1.6} />
        </ActionIcon>
      </span>
    </li>
  );
}
