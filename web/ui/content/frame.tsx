/** Foreign pages run in a frame that shares nothing with the console: never with allow-same-origin. */
import { currentLanguage } from '#web/i18n/i18n.ts';
import { contentKind, textHash } from './kind.ts';
import classes from './content.module.css';

const SANDBOX = 'allow-scripts allow-popups allow-forms';

interface ContentFrameProps {
  text: string;
  /** Whose text it is: a whole document has an address of its own, and with it a policy that lets its scripts run. */
  page: 'home' | 'about';
  title: string;
}

export function ContentFrame({ text, page, title }: ContentFrameProps) {
  const own = `/content/${page}?lang=${currentLanguage()}&v=${textHash(text)}`;
  const address = contentKind(text) === 'url' ? text.trim() : own;
  return (
    <iframe
      src={address}
      title={title}
      className={classes.frame}
      sandbox={SANDBOX}
      referrerPolicy="no-referrer"
    />
  );
}
