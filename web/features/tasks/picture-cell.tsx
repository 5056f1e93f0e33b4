/** The picture of a drawing as a button that opens it. */
import { UnstyledButton } from '@mantine/core';
import { IconPhotoOff } from '@tabler/icons-react';
import { useState } from 'react';
import { useTranslation } from 'react-i18next';
import { Empty } from '#web/ui/badge/empty.tsx';
import { shownAddress } from '#web/ui/media/own-address.ts';
import type { DrawingRow } from './state.ts';
import classes from './tasks.module.css';

interface PictureProps {
  row: DrawingRow;
  size: number;
  onOpen: (row: DrawingRow) => void;
}

export function PictureCell({ row, size, onOpen }: PictureProps) {
  const { t } = useTranslation('tasks');
  const [isBroken, setBroken] = useState(false);
  if (row.image_url === '') return <Empty />;
  return (
    <UnstyledButton
      className={classes.thumbnail}
      style={{ width: size, height: size }}
      aria-label={t('viewer.open', { id: row.task_id })}
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
