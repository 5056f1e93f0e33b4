/** A task in full: songs and videos to play, lyrics to read, its facts, and a way to run it again. */
import { useTranslation } from 'react-i18next';
import type { TaskPart, TaskView } from '#contract/relay/tasks.ts';
import { CopyButton } from '#web/ui/copy/copy-button.tsx';
import { DialogFrame } from '#web/ui/feedback/dialog-frame.tsx';
import { ExactMoment } from '#web/ui/format/moment.tsx';
import { AudioPlayer } from '#web/ui/media/audio-player.tsx';
import { shownAddress } from '#web/ui/media/own-address.ts';
import { Picture } from '#web/ui/media/picture.tsx';
import { batchCounts } from './batch-words.ts';
import { CostCell, IdCell, StatusCell } from './cells.tsx';
import { usePlayerWords } from './player-words.ts';
import { RunAgain } from './run-again.tsx';
import { actionOf, platformOf } from './state.ts';
import classes from './tasks.module.css';

export function TaskResult({ row, onClose }: { row: TaskView; onClose: () => void }) {
  const { t } = useTranslation('tasks');
  const title = `${t(`platform.${platformOf(row)}`)} · ${t(`action.${actionOf(row)}`)}`;
  return (
    <DialogFrame title={title} width={560} onClose={onClose}>
      <div className={classes.parts}>
        {row.parts.map((part, index) => (
          <Part key={index} part={part} />
        ))}
        {row.parts.length === 0 && row.batch === null && row.fail_reason === '' ? (
          <p className={classes.muted}>{t('result.none')}</p>
        ) : null}
      </div>
      <dl className={classes.facts}>
        <dt>{t('column.status')}</dt>
        <dd>
          <StatusCell row={row} />
        </dd>
        {row.fail_reason === '' ? null : (
          <>
            <dt>{t('column.failReason')}</dt>
            <dd className={classes.bad}>{row.fail_reason}</dd>
          </>
        )}
        {row.batch === null ? null : (
          <>
            <dt>{t('batch.requests')}</dt>
            <dd>{t('batch.counts', batchCounts(row.batch))}</dd>
            <dt>{t('batch.state')}</dt>
            <dd>
              <code>{row.batch.state}</code>
            </dd>
            <dt>{t('batch.model')}</dt>
            <dd>{row.model}</dd>
          </>
        )}
        <dt>{t('column.prompt')}</dt>
        <dd>{row.prompt}</dd>
        <dt>{t('column.cost')}</dt>
        <dd>
          <CostCell row={row} />
        </dd>
        <dt>{t('column.submitted')}</dt>
        <dd>
          <ExactMoment timestamp={row.submit_time} />
        </dd>
        <dt>{t('column.id')}</dt>
        <dd>
          <IdCell row={row} />
        </dd>
      </dl>
      <p className={classes.again}>
        <RunAgain row={row} />
      </p>
    </DialogFrame>
  );
}

export function Part({ part }: { part: TaskPart }) {
  const { t } = useTranslation('tasks');
  const title = part.title || t('result.untitled');
  const words = usePlayerWords(title);
  const isVideo = part.video_url !== '' && part.audio_url === '';
  return (
    <section className={classes.part} data-plain={part.image_url === '' || isVideo || undefined}>
      {part.image_url === '' || isVideo ? null : (
        <span className={classes.cover}>
          <Picture address={part.image_url} />
        </span>
      )}
      <div>
        <h3>{title}</h3>
        {part.tags === '' ? null : <span className={classes.muted}>{part.tags}</span>}
        {part.audio_url === '' ? null : (
          <AudioPlayer address={part.audio_url} duration={part.duration} words={words} />
        )}
        {isVideo ? (
          <video
            className={classes.film}
            controls
            preload="metadata"
            src={shownAddress(part.video_url)}
            poster={part.image_url === '' ? undefined : shownAddress(part.image_url)}
            aria-label={words.play}
          />
        ) : null}
        <div className={classes.links}>
          {part.audio_url === '' ? null : <MediaLink address={part.audio_url} text={t('result.audio')} />}
          {part.video_url === '' ? null : <MediaLink address={part.video_url} text={t('result.video')} />}
          {part.text === '' ? null : <CopyButton text={part.text} label={t('copyText')} />}
        </div>
        {part.text === '' ? null : (
          <p className={classes.text} tabIndex={0}>
            {part.text}
          </p>
        )}
      </div>
    </section>
  );
}

const MediaLink = ({ address, text }: { address: string; text: string }) => (
  <a href={shownAddress(address)} target="_blank" rel="noreferrer">
    {text}
  </a>
);
