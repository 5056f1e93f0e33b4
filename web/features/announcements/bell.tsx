/** The bell in the header: what needs the reader, what the operator announces now, and how much of it is new in this browser. */
import { ActionIcon, Popover } from '@mantine/core';
import { useQuery } from '@tanstack/react-query';
import { IconBell, IconPinFilled } from '@tabler/icons-react';
import { useState, type ComponentType } from 'react';
import { useTranslation } from 'react-i18next';
import { announcementIn, type Announcement } from '#contract/admin/announcements.ts';
import { useUser } from '#web/api/session.ts';
import { currentLanguage } from '#web/i18n/i18n.ts';
import { RichContent } from '#web/ui/content/rich.tsx';
import { Moment } from '#web/ui/format/moment.tsx';
import { announcementQueries } from './queries.ts';
import { readSeen, SEEN_KEY, seenAfter, unreadOf } from './unread.ts';
import classes from './announcements.module.css';

interface BellProps {
  /** What needs a signed-in reader; undefined: a visitor, who has a bell only while there are announcements. */
  needs?:
    | { count: number; isStopped: boolean; label: string; List: ComponentType<{ onLeave: () => void }> }
    | undefined;
}

export function Bell({ needs }: BellProps) {
  const { t } = useTranslation('announcements');
  const user = useUser();
  const { data = [] } = useQuery(announcementQueries.shown(user !== undefined));
  const [seen, setSeen] = useState(() => readSeen(localStorage.getItem(SEEN_KEY)));
  const [open, setOpen] = useState(false);
  const unread = unreadOf(data, seen);
  /** What was new stays marked while the list is open. */
  const [fresh, setFresh] = useState<readonly number[]>([]);
  const toggle = (next: boolean) => {
    setOpen(next);
    if (!next) return;
    setFresh(unread.map(({ id }) => id));
    const marks = seenAfter(data);
    localStorage.setItem(SEEN_KEY, JSON.stringify(marks));
    setSeen(marks);
  };
  if (data.length === 0 && needs === undefined) return null;
  const count = unread.length + (needs?.count ?? 0);
  const announced = unread.length > 0 ? t('bell.unread', { count: unread.length }) : t('bell.label');
  const label = [needs?.label ?? '', needs && unread.length === 0 ? '' : announced]
    .filter(Boolean)
    .join(', ');
  return (
    <Popover opened={open} onChange={toggle} position="bottom-end" width={360} trapFocus withinPortal>
      <Popover.Target>
        <ActionIcon className={classes.bell} size={30} aria-label={label} onClick={() => toggle(!open)}>
          <IconBell size={17} stroke={1.6} />
          {count > 0 ? (
            // The name says it in words.
            <span
              aria-hidden
              className={classes.count}
              data-severity={needs?.isStopped ? 'stop' : (needs?.count ?? 0) > 0 ? 'act' : undefined}
            >
              {count}
            </span>
          ) : null}
        </ActionIcon>
      </Popover.Target>
      <Popover.Dropdown className={classes.dropdown} aria-label={needs?.label ?? t('bell.label')}>
        {needs ? <needs.List onLeave={() => toggle(false)} /> : null}
        <ul>
          {data.map((announcement) => (
            <Entry
              key={announcement.id}
              announcement={announcement}
              isNew={fresh.includes(announcement.id)}
            />
          ))}
        </ul>
      </Popover.Dropdown>
    </Popover>
  );
}

function Entry({ announcement, isNew }: { announcement: Announcement; isNew: boolean }) {
  const { t } = useTranslation('announcements');
  const { level, is_pinned, from_at, created_at } = announcement;
  const { title, content } = announcementIn(currentLanguage(), announcement);
  return (
    <li className={classes.entry} data-level={level}>
      <div className={`row6 ${classes.head}`}>
        {is_pinned ? <IconPinFilled size={13} role="img" aria-label={t('pinned')} /> : null}
        <b>{title || t(`level.${level}`)}</b>
        {isNew ? <span className={classes.new}>{t('bell.new')}</span> : null}
        <Moment timestamp={Math.max(from_at, created_at)} />
      </div>
      <RichContent text={content} />
    </li>
  );
}
