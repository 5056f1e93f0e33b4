/** An absent value: a short line for the eye, a word for screen readers; never a typed dash. */
import { useTranslation } from 'react-i18next';
import classes from './badge.module.css';

export function Empty() {
  const { t } = useTranslation('ui');
  return <span className={classes.empty} role="img" aria-label={t('value.none')} />;
}
