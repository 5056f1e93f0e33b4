/** The tasks of a page as tiles: covers to look at and listen to, progress while they run, the reason when they failed. */
import { UnstyledButton } from '@mantine/core';
import { IconCircleX, IconMusic } from '@tabler/icons-react';
import { useEffect, useState } from 'react';
import { useTranslation } from 'react-i18next';
import type { TaskPart, TaskView } from '#contract/relay/tasks.ts';
import { unixSeconds } from '#contract/time.ts';
import { Moment } from '#web/ui/format/moment.tsx';
import { AudioPlayer } from '#web/ui/media/audio-player.tsx';
import { clock } from '#web/ui/media/clock.ts';
import { Picture } from '#web/ui/media/picture.tsx';
import { VideoCover } from '#web/ui/media/video-cover.tsx';
import { CostCell, ProgressCell, StatusCell } from './cells.tsx';
import { usePlayerWords } from './player-words.ts';
import { RunAgain } from './run-again.tsx';
import { actionOf, isRunning, platformOf } from './state.ts';
import { ChannelName } from './channel-name.tsx';
import classes from './gallery.module.css';

interface GalleryProps {
  rows: readonly TaskView[];
  label: string;
  onOpen: (row: TaskView) => void;
}

export function Gallery({ rows, label, onOpen }: GalleryProps) {
  return (
    <ul className={classes.gallery} aria-label={label}>
      {rows.map((row) => (
        <Tile key={row.id} row={row} onOpen={onOpen} />
      ))}
    </ul>
  );
}

interface TileProps {
  row: TaskView;
  onOpen: (row: TaskView) => void;
}

function Tile({ row, onOpen }: TileProps) {
  const { t } = useTranslation('tasks');
  const [shown, setShown] = useState(0);
  const part = row.parts[shown] ?? row.parts[0];
  const kind = `${t(`platform.${platformOf(row)}`)} · ${t(`action.${actionOf(row)}`)}`;
  const title = part?.title || row.prompt || kind;
  const words = usePlayerWords(title);
  const hasSong = part !== undefined && part.audio_url !== '';
  return (
    <li className={classes.tile}>
      <div className={classes.cover}>
        <Cover row={row} part={part} title={title} />
        {part && part.duration > 0 && !hasSong ? (
          <span className={classes.length}>{clock(part.duration)}</span>
        ) : null}
        {row.parts.length > 1 ? (
          <div className={classes.parts} role="group" aria-label={t('gallery.parts')}>
            {row.parts.map((each, index) => (
              <button
                key={index}
                type="button"
                aria-pressed={index === shown}
                aria-label={t('gallery.part', { number: index + 1, title: each.title || title })}
                onClick={() => setShown(index)}
              >
                {index + 1}
              </button>
            ))}
          </div>
        ) : null}
      </div>
      {hasSong ? (
        <div className={classes.song}>
          <AudioPlayer key={part.audio_url} address={part.audio_url} duration={part.duration} words={words} />
        </div>
      ) : null}
      <UnstyledButton
        className={classes.title}
        aria-label={t('gallery.open', { title })}
        onClick={() => onOpen(row)}
      >
        {title}
      </UnstyledButton>
      {row.prompt === '' || row.prompt === title ? null : (
        <p className={classes.prompt} title={row.prompt}>
          {row.prompt}
        </p>
      )}
      <p className={classes.line}>
        <code>{row.model}</code>
        <CostCell row={row} />
      </p>
      <p className={classes.line}>
        <span className={classes.facts}>
          <Moment timestamp={row.submit_time} />
          {row.username === '' ? null : <span>{row.username}</span>}
          {row.channel_id === 0 ? null : <ChannelName row={row} />}
        </span>
        <RunAgain row={row} isSmall />
      </p>
    </li>
  );
}

/** What stands in the place of the picture. */
function Cover({ row, part, title }: { row: TaskView; part: TaskPart | undefined; title: string }) {
  const { t } = useTranslation('tasks');
  const words = usePlayerWords(title);
  if (row.status === 'FAILURE')
    return (
      <div className={classes.failure}>
        <IconCircleX size={18} stroke={1.6} aria-hidden />
        <strong>{t('status.FAILURE')}</strong>
        <p>{row.fail_reason}</p>
      </div>
    );
  if (isRunning(row)) return <Running row={row} />;
  if (part === undefined) return <p className={classes.nothing}>{t('result.none')}</p>;
  if (part.video_url !== '' && part.audio_url === '')
    return <VideoCover address={part.video_url} poster={part.image_url} words={words} />;
  if (part.image_url === '' && part.text !== '') return <p className={classes.lyrics}>{part.text}</p>;
  return (
    <>
      <span className={classes.blank}>
        <IconMusic size={28} stroke={1.4} aria-hidden />
      </span>
      <Picture address={part.image_url} />
    </>
  );
}

function Running({ row }: { row: TaskView }) {
  const { t } = useTranslation('tasks');
  const [now, setNow] = useState(unixSeconds);
  useEffect(() => {
    const timer = setInterval(() => setNow(unixSeconds()), 1000);
    return () => clearInterval(timer);
  }, []);
  return (
    <div className={classes.running}>
      <StatusCell row={row} />
      <ProgressCell row={row} />
      <span className={classes.elapsed}>{t('gallery.elapsed', { time: clock(now - row.submit_time) })}</span>
    </div>
  );
}
