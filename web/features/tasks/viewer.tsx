/** A picture in full, with the ones before and after it on the page. Arrow keys turn, a click zooms. */
import { ActionIcon, Button } from '@mantine/core';
import { IconChevronLeft, IconChevronRight, IconDownload, IconPhotoOff } from '@tabler/icons-react';
import { useEffect, useState } from 'react';
import { useTranslation } from 'react-i18next';
import { CopyButton } from '#web/ui/copy/copy-button.tsx';
import { DialogFrame } from '#web/ui/feedback/dialog-frame.tsx';
import { shownAddress } from '#web/ui/media/own-address.ts';
import { actionOf, type DrawingRow } from './state.ts';
import classes from './tasks.module.css';

interface ViewerProps {
  /** Drawings that have a picture. */
  rows: readonly DrawingRow[];
  shown: DrawingRow;
  onShow: (row: DrawingRow) => void;
  onClose: () => void;
}

export function Viewer({ rows, shown, onShow, onClose }: ViewerProps) {
  const { t } = useTranslation('tasks');
  const [isLarge, setLarge] = useState(false);
  const [broken, setBroken] = useState<number>();
  const index = rows.findIndex(({ id }) => id === shown.id);
  const before = rows[index - 1];
  const after = rows[index + 1];
  useEffect(() => {
    const turn = (event: KeyboardEvent) => {
      const next = event.key === 'ArrowLeft' ? before : event.key === 'ArrowRight' ? after : undefined;
      if (next) onShow(next);
    };
    window.addEventListener('keydown', turn);
    return () => window.removeEventListener('keydown', turn);
  }, [before, after, onShow]);
  const address = shownAddress(shown.image_url);
  const title = `${t(`action.${actionOf(shown)}`)} ${shown.task_id}`;
  return (
    <DialogFrame title={title} width={760} onClose={onClose}>
      <div className={classes.stage} data-large={isLarge || undefined}>
        {broken === shown.id ? (
          <p className={classes.noPicture}>
            <IconPhotoOff size={18} stroke={1.6} aria-hidden />
            {t('viewer.broken')}
          </p>
        ) : (
          <button
            type="button"
            className={classes.zoom}
            aria-pressed={isLarge}
            aria-label={isLarge ? t('viewer.smaller') : t('viewer.larger')}
            onClick={() => setLarge(!isLarge)}
          >
            <img
              key={shown.id}
              src={address}
              alt={shown.prompt || title}
              referrerPolicy="no-referrer"
              onError={() => setBroken(shown.id)}
            />
          </button>
        )}
      </div>
      {shown.prompt === '' ? null : (
        <p className={classes.caption}>
          <span>{shown.prompt}</span>
          <CopyButton text={shown.prompt} label={t('viewer.copyPrompt')} />
        </p>
      )}
      <div className={classes.viewerFoot}>
        <ActionIcon
          size={30}
          disabled={!before}
          aria-label={t('viewer.before')}
          onClick={() => before && onShow(before)}
        >
          <IconChevronLeft size={16} stroke={1.6} />
        </ActionIcon>
        <span className={classes.muted}>
          {index + 1} / {rows.length}
        </span>
        <ActionIcon
          size={30}
          disabled={!after}
          aria-label={t('viewer.after')}
          onClick={() => after && onShow(after)}
        >
          <IconChevronRight size={16} stroke={1.6} />
        </ActionIcon>
        <Button
          component="a"
          href={address}
          download={`${shown.task_id}.png`}
          target="_blank"
          rel="noreferrer"
          variant="default"
          className={classes.download}
          leftSection={<IconDownload size={15} stroke={1.6} />}
        >
          {t('viewer.download')}
        </Button>
      </div>
    </DialogFrame>
  );
}
