/** The two answers of a sample, with the words marked that only one of them has. */
import { useTranslation } from 'react-i18next';
import type { ShadowSide, ShadowTexts } from '#contract/relay/shadow-calls.ts';
import { NoticeLine } from '#web/ui/feedback/notice.tsx';
import { differenceOf, type Piece } from './difference.ts';
import classes from './side-by-side.module.css';

export function SideBySide({ sample }: { sample: ShadowTexts }) {
  const { t } = useTranslation('shadow-calls');
  const { prompt, answer, copy, answered, copied, is_cut } = sample;
  const [left, right] = differenceOf(answer, copy) ?? [whole(answer), whole(copy)];
  return (
    <div className="stack12">
      {is_cut ? <NoticeLine>{t('samples.isCut')}</NoticeLine> : null}
      <section aria-label={t('samples.prompt')}>
        <h3 className={classes.title}>{t('samples.prompt')}</h3>
        <p className={classes.text}>{prompt}</p>
      </section>
      <div className={classes.sides}>
        <Side title={t('side.answered')} side={answered} pieces={left} />
        <Side title={t('side.copied')} side={copied} pieces={right} />
      </div>
    </div>
  );
}

const whole = (text: string): Piece[] => [{ text, isShared: true }];

function Side({ title, side, pieces }: { title: string; side: ShadowSide; pieces: readonly Piece[] }) {
  return (
    <section aria-label={title}>
      <h3 className={classes.title}>
        {title} <span className="note">{side.model}</span>
      </h3>
      <p className={classes.text}>
        {pieces.map(({ text, isShared }, place) =>
          // The pieces of a text never move.
          isShared ? <span key={place}>{text}</span> : <mark key={place}>{text}</mark>,
        )}
      </p>
    </section>
  );
}
