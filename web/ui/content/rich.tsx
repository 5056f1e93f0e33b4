/** Draws the operator's content. The renderer is loaded only when there is something to render. */
import { useEffect, useRef } from 'react';
import classes from './content.module.css';

interface RichContentProps {
  text: string;
  /** Footers are HTML; notices, about and home are Markdown that may contain HTML. */
  format?: 'markdown' | 'html';
  className?: string;
}

export function RichContent({ text, format = 'markdown', className }: RichContentProps) {
  const host = useRef<HTMLDivElement>(null);
  useEffect(() => {
    let current = true;
    void import('./sanitise.ts').then(({ htmlFragment, markdownFragment }) => {
      if (!current) return;
      const render = format === 'html' ? htmlFragment : markdownFragment;
      host.current?.replaceChildren(render(text, { loadsPictures: true }));
    });
    return () => {
      current = false;
    };
  }, [text, format]);
  return <div ref={host} data-prose className={`${classes.rich} ${className ?? ''}`} />;
}
