/** What this site allows a caller, above the errors, of which each says how to go on. */
import { useTranslation } from 'react-i18next';
import { limitRows } from '#contract/admin/limit-words.ts';
import { useStatus } from '#web/api/status.ts';
import { currentLanguage } from '#web/i18n/i18n.ts';
import classes from './docs.module.css';

export function SiteLimits() {
  const { t } = useTranslation('docs');
  const limits = useStatus()?.limits;
  const language = currentLanguage();
  if (limits === undefined) return null;
  return (
    <section className={classes.siteLimits} aria-label={t('site.ownLimits')}>
      <b>{t('site.ownLimits')}</b>
      <dl>
        {limitRows(limits).map(({ name, value, code }) => (
          <div key={name.en}>
            <dt>{name[language]}</dt>
            <dd>
              <b>{value[language]}</b> <a href={`#${code}`}>{code}</a>
            </dd>
          </div>
        ))}
      </dl>
      <p className="soft">{t('site.keyLimits')}</p>
    </section>
  );
}
