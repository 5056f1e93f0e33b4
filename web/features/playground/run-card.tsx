/** One request of a media tab: how it goes, what it made, and what it was charged. */
import { useEffect, useState } from 'react';
import { Link } from '@tanstack/react-router';
import { useTranslation } from 'react-i18next';
import type { TaskPart } from '#contract/relay/tasks.ts';
import { unixSeconds } from '#contract/time.ts';
import { StatusBadge } from '#web/ui/badge/status.tsx';
import { Quota } from '#web/ui/format/amount.tsx';
import { AudioPlayer } from '#web/ui/media/audio-player.tsx';
import { clock } from '#web/ui/media/clock.ts';
import { shownAddress } from '#web/ui/media/own-address.ts';
import { Picture } from '#web/ui/media/picture.tsx';
import { Progress } from '#web/ui/progress/progress.tsx';
import type { Run } from './runs.ts';
import { PRICE_DIGITS } from './studio-price.ts';
import classes from './studio.module.css';

export function RunCard({ run }: { run: Run }) {
  const { t } = useTranslation('playground');
  const kind = run.status === 'done' ? 'enabled' : run.status === 'failed' ? 'failed' : 'running';
  return (
    <article className={classes.run}>
      <header className={classes.runHead}>
        <StatusBadge kind={kind}>{t(`studio.status.${run.status}`)}</StatusBadge>
        <code>{run.model}</code>
        <Charge run={run} />
      </header>
      <p className={classes.runPrompt}>{run.prompt}</p>
      {run.status === 'running' ? <Waiting run={run} /> : null}
      {run.reason === '' ? null : <p className="top6 danger anywhere">{run.reason}</p>}
      {run.pictures.length === 0 ? null : (
        <div className={classes.pictures}>
          {run.pictures.map((address, index) => (
            <a key={address.slice(-60)} href={address} download target="_blank" rel="noreferrer">
              <Picture address={address} text={t('prompt.image', { number: index + 1 })} />
            </a>
          ))}
        </div>
      )}
      {run.parts.map((part, index) => (
        <Part key={index} part={part} />
      ))}
    </article>
  );
}

function Charge({ run }: { run: Run }) {
  const { t } = useTranslation('playground');
  if (run.quota === undefined) return null;
  return (
    <span className="push-right soft">
      {run.quota === 0 ? (
        t('studio.notCharged')
      ) : (
        <>
          {t('studio.charged')} <Quota quota={run.quota} decimals={PRICE_DIGITS} />
        </>
      )}
    </span>
  );
}

function Waiting({ run }: { run: Run }) {
  const { t } = useTranslation('playground');
  const [now, setNow] = useState(unixSeconds);
  useEffect(() => {
    const timer = setInterval(() => setNow(unixSeconds()), 1000);
    return () => clearInterval(timer);
  }, []);
  return (
    <div className={classes.waiting}>
      {run.kind === 'image' ? null : (
        <Progress progress={`${run.progress}%`} kind="running" label={t('studio.progress')} />
      )}
      <span>{clock(now - run.startedAt)}</span>
      {run.kind === 'image' ? null : <Link to="/task">{t('studio.seeTasks')}</Link>}
    </div>
  );
}

function Part({ part }: { part: TaskPart }) {
  const { t } = useTranslation('playground');
  const title = part.title || t('studio.result');
  const words = {
    play: t('studio.play', { title }),
    pause: t('studio.pause', { title }),
    position: t('studio.position', { title }),
    broken: t('studio.broken'),
  };
  const isVideo = part.video_url !== '' && part.audio_url === '';
  return (
    <section className={classes.part} data-plain={part.image_url === '' || isVideo || undefined}>
      {part.image_url === '' || isVideo ? null : (
        <span className={classes.cover}>
          <Picture address={part.image_url} />
        </span>
      )}
      <div>
        {part.title === '' ? null : <h2>{part.title}</h2>}
        {part.audio_url === '' ? null : (
          <AudioPlayer address={part.audio_url} duration={part.duration} words={words} />
        )}
        {isVideo ? (
          <video
            className={classes.film}
            controls
            src={shownAddress(part.video_url)}
            aria-label={words.play}
          />
        ) : null}
        {part.text === '' || part.audio_url !== '' ? null : <p className={classes.text}>{part.text}</p>}
      </div>
    </section>
  );
}
