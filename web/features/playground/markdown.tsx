/**
 * An answer as Markdown: rendered, sanitised, then each code block gets its header. Pictures, sound and film in an answer
 * become links, so that showing an answer sends no request.
 */
import { useEffect, useRef } from 'react';
import { useTranslation } from 'react-i18next';
import { colourCodeBlocks, headCodeBlocks } from '#web/ui/content/code-blocks.ts';
import classes from './markdown.module.css';

export function Markdown({ text }: { text: string }) {
  const { t } = useTranslation('ui');
  const host = useRef<HTMLDivElement>(null);
  const label = t('action.copy');
  useEffect(() => {
    let isCurrent = true;
    void import('#web/ui/content/sanitise.ts').then(({ markdownFragment }) => {
      if (!isCurrent || !host.current) return;
      const fragment = markdownFragment(text);
      headCodeBlocks(fragment, label);
      host.current.replaceChildren(fragment);
      void colourCodeBlocks(host.current);
    });
    return () => {
      isCurrent = false;
    };
  }, [text, label]);
  return <div ref={host} data-prose className={classes.markdown} />;
}
