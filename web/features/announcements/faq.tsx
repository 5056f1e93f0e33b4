/** Frequently asked questions on a public page; nothing while there are none. */
import { useQuery } from '@tanstack/react-query';
import { useTranslation } from 'react-i18next';
import { questionIn } from '#contract/admin/faq.ts';
import { currentLanguage } from '#web/i18n/i18n.ts';
import { RichContent } from '#web/ui/content/rich.tsx';
import { announcementQueries } from './queries.ts';
import classes from './announcements.module.css';

export function Faq() {
  const { t } = useTranslation('announcements');
  const { data = [] } = useQuery(announcementQueries.faq());
  if (data.length === 0) return null;
  return (
    <section className={classes.faq} aria-labelledby="faq-title">
      <h2 id="faq-title">{t('faq.title')}</h2>
      {data.map((entry) => {
        const { question, answer } = questionIn(currentLanguage(), entry);
        return (
          <details key={entry.id}>
            <summary>{question}</summary>
            <RichContent text={answer} />
          </details>
        );
      })}
    </section>
  );
}
