/** The line of the strip: the most urgent things by name, each a link to its page, and how many more there are. */
import { Link } from '@tanstack/react-router';
import { useTranslation } from 'react-i18next';
import { isRoot } from '#contract/access.ts';
import type { AttentionItem } from '#contract/admin/attention.ts';
import { useUser } from '#web/api/session.ts';
import { SeverityMark } from '#web/ui/attention/severity.tsx';
import { useItemWords } from '#web/ui/attention/use-item.ts';
import { usePhone } from '#web/ui/page/breakpoints.ts';
import classes from './needs.module.css';

const MOST = 3;

export function NeedsStripLine({ items }: { items: readonly AttentionItem[] }) {
  const { t } = useTranslation('shell');
  const user = useUser();
  const phone = usePhone();
  const wordsOf = useItemWords(user !== undefined && isRoot(user.role));
  const shown = items.slice(0, phone ? 1 : MOST);
  const more = items.length - shown.length;
  return (
    <section className={classes.strip} data-severity={items[0]?.severity} aria-label={t('strip.label')}>
      <ul>
        {shown.map((item) => {
          const { title, detail, place } = wordsOf(item);
          return (
            <li key={item.id}>
              <SeverityMark severity={item.severity} />
              <Link {...place} className="cut" title={`${title}. ${detail}`}>
                {title}
              </Link>
            </li>
          );
        })}
      </ul>
      <Link to="/overview" hash="needs" className={classes.all}>
        {more > 0 ? t('strip.more', { count: more }) : t('strip.all')}
      </Link>
    </section>
  );
}
