/** A card beside the pages of the demo: offered once, then a page at a time. Not modal: the page stays usable. */
import { Button } from '@mantine/core';
import { useNavigate } from '@tanstack/react-router';
import { useEffect, useId, useRef, useState, type KeyboardEvent } from 'react';
import { useTranslation } from 'react-i18next';
import { stepsFor, TOUR_KEY } from './steps.ts';
import classes from './tour.module.css';

export function Tour({ role }: { role: number }) {
  const { t } = useTranslation('tour');
  const navigate = useNavigate();
  const heading = useId();
  const title = useRef<HTMLHeadingElement>(null);
  const steps = stepsFor(role);
  const [isSeen, setIsSeen] = useState(() => localStorage.getItem(TOUR_KEY) !== null);
  /** -1: only offered. */
  const [at, setAt] = useState(-1);
  const step = steps[at];

  useEffect(() => {
    // A new step is read out; the offer does not take the focus from the page.
    if (at < 0) return undefined;
    // After the shell, which gives the focus to the new page.
    const timer = setTimeout(() => title.current?.focus({ preventScroll: true }), 50);
    return () => clearTimeout(timer);
  }, [at]);

  const end = () => {
    localStorage.setItem(TOUR_KEY, '1');
    setIsSeen(true);
  };
  const go = (next: number) => {
    const wanted = steps[next];
    if (wanted === undefined) return end();
    setAt(next);
    return void navigate({ to: wanted.to, search: 'search' in wanted ? wanted.search : {} });
  };
  if (isSeen) return null;
  const words = step?.name ?? 'offer';
  return (
    <section
      className={classes.card}
      role="dialog"
      aria-modal={false}
      aria-label={t('label')}
      aria-describedby={heading}
      onKeyDown={(event: KeyboardEvent) => {
        if (event.key !== 'Escape') return;
        event.preventDefault();
        end();
      }}
    >
      {step ? <span className="size12 muted">{t('count', { at: at + 1, total: steps.length })}</span> : null}
      <h2 ref={title} tabIndex={-1} className={`title ${classes.title}`}>
        {t(`${words}.title`)}
      </h2>
      <p id={heading} className={classes.text}>
        {t(`${words}.text`)}
      </p>
      <div className="flex8">
        <Button size="xs" onClick={() => go(at + 1)}>
          {t(step === undefined ? 'start' : at === steps.length - 1 ? 'end' : 'next')}
        </Button>
        {at > 0 ? (
          <Button size="xs" variant="default" onClick={() => go(at - 1)}>
            {t('back')}
          </Button>
        ) : null}
        {at < steps.length - 1 ? (
          <Button size="xs" variant="subtle" className={classes.skip} onClick={end}>
            {t(step === undefined ? 'skip' : 'end')}
          </Button>
        ) : null}
      </div>
    </section>
  );
}
