/** The footer: the operator's HTML, sanitised at every reading, or the default line. */
import { useTranslation } from 'react-i18next';
import { RichContent } from './rich.tsx';
import classes from './content.module.css';

export function SiteFooter({ html, name }: { html: string; name: string }) {
  const { t } = useTranslation('shell');
  return (
    <footer className={`fixed note ${classes.footer}`}>
      {html.trim() ? (
        <RichContent text={html} format="html" className={classes.footerHtml} />
      ) : (
        t('footer.credit', { name })
      )}
    </footer>
  );
}
