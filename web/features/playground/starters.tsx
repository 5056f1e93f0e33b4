/** What an empty conversation shows: questions to begin with. */
import { useTranslation } from 'react-i18next';
import { EmptyState } from '#web/ui/feedback/states.tsx';
import classes from './playground.module.css';

const STARTERS = ['first', 'second', 'third', 'fourth'] as const;

export function Starters({ title, onChoose }: { title: string; onChoose: (text: string) => void }) {
  const { t } = useTranslation('playground');
  return (
    <div className={classes.start}>
      <EmptyState title={title} text={t('empty.text')} />
      <div className={classes.starters}>
        {STARTERS.map((name) => (
          <button key={name} type="button" onClick={() => onChoose(t(`starters.${name}`))}>
            {t(`starters.${name}`)}
          </button>
        ))}
      </div>
    </div>
  );
}
