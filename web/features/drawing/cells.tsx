/** The cells of a drawing. Colour is never the only sign: a slow one has a clock icon, a failed one a warning icon. */
import { UnstyledButton } from '@mantine/core';
import { Link } from '@tanstack/react-router';
import { IconClockHour4, IconPhotoOff } from '@tabler/icons-react';
import { useState } from 'react';
import { useTranslation } from 'react-i18next';
import type { DrawingView } from '#contract/relay/drawing.ts';
import { Empty } from '#web/ui/badge/empty.tsx';
import { StatusBadge } from '#web/ui/badge/status.tsx';
import { Progress } from '#web/ui/progress/progress.tsx';
import { CellButton } from '#web/ui/grid/cell-button.tsx';
import { shownAddress } from '#web/ui/media/own-address.ts';
import { codeName, durationOf, isSlow, statusOf } from './state.ts';
import classes from './drawing.module.css';

interface RowProps {
  row: DrawingView;
}

export function DurationCell({ row }: RowProps) {
  const { t } = useTranslation('drawing');
  const seconds = durationOf(row);
  if (seconds === undefined) return <Empty />;
  const slow = isSlow(seconds);
  return (
    <span className={classes.duration} data-slow={slow || undefined}>
      {slow ? <IconClockHour4 size={13} stroke={1.8} role="img" aria-label={t('slow')} /> : null}
      {seconds < 10 ? seconds.toFixed(1) : Math.round(seconds)}
      <span className={classes.unit}>s</span>
    </span>
  );
}

export function StatusCell({ row }: RowProps) {
  const { t } = useTranslation('drawing');
  const { name, kind } = statusOf(row);
  return <StatusBadge kind={kind}>{t(`status.${name}`)}</StatusBadge>;
}

export function CodeCell({ row }: RowProps) {
  const { t } = useTranslation('drawing');
  const name = codeName(row.code);
  return (
    <span className={classes.muted}>
      {t(`code.${name}`)}
      {name === 'refused' ? <span className={classes.unit}> {row.code}</span> : null}
    </span>
  );
}

export function ProgressCell({ row }: RowProps) {
  const { t } = useTranslation('drawing');
  return <Progress progress={row.progress} kind={statusOf(row).kind} label={t('column.progress')} />;
}

interface PictureProps extends RowProps {
  size: number;
  onOpen: (row: DrawingView) => void;
}

export function PictureCell({ row, size, onOpen }: PictureProps) {
  const { t } = useTranslation('drawing');
  const [isBroken, setBroken] = useState(false);
  if (row.image_url === '') return <Empty />;
  return (
    <UnstyledButton
      className={classes.thumbnail}
      style={{ width: size, height: size }}
      aria-label={t('viewer.open', { id: row.mj_id })}
      onClick={(event) => {
        event.stopPropagation();
        onOpen(row);
      }}
    >
      {isBroken ? (
        <IconPhotoOff size={15} stroke={1.6} aria-hidden />
      ) : (
        <img
          src={shownAddress(row.image_url)}
          alt=""
          width={size}
          height={size}
          loading="lazy"
          decoding="async"
          referrerPolicy="no-referrer"
          onError={() => setBroken(true)}
        />
      )}
    </UnstyledButton>
  );
}

/** Opens the card of the user who drew. */
export function UserCell({ row }: RowProps) {
  return (
    <Link to="/user" search={{ card: row.user_id }} className={classes.user} title={row.username}>
      {row.username}
    </Link>
  );
}

interface TextProps {
  text: string;
  label: string;
  isBad?: boolean;
  onOpen: (text: string) => void;
}

/** One line; the whole text is in a dialog. */
export function TextCell({ text, label, isBad, onOpen }: TextProps) {
  if (text === '') return <Empty />;
  return (
    <CellButton block isBad={isBad} label={`${label}: ${text.slice(0, 200)}`} onOpen={() => onOpen(text)}>
      {text}
    </CellButton>
  );
}
