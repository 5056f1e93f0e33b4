/** Draws the operator's content. The renderer is loaded only when there is something to render. */
import { useEffect, useRef, useState } from 'react';
import { contentKind } from './kind.ts';
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
      host.current?.replaceChildren(format === 'html' ? htmlFragment(text) : markdownFragment(text));
    });
    return () => {
      current = false;
    };
  }, [text, format]);
  return <div ref={host} className={`${classes.rich} ${className ?? ''}`} />;
}

/** Foreign pages run in a frame that shares nothing with the console: never with allow-same-origin. */
const SANDBOX = 'allow-scripts allow-popups allow-forms';

export function ContentFrame({ text, title }: { text: string; title: string }) {
  const [ready, setReady] = useState(false);
  const kind = contentKind(text);
  const source = kind === 'url' ? { src: text.trim() } : { srcDoc: text };
  return (
    <iframe
      {...source}
      title={title}
      className={classes.frame}
      data-ready={ready || undefined}
      sandbox={SANDBOX}
      referrerPolicy="no-referrer"
      onLoad={() => setReady(true)}
    />
  );
}
