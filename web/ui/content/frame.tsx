/** Foreign pages run in a frame that shares nothing with the console: never with allow-same-origin. */
import { useEffect, useRef } from 'react';
import { contentKind } from './kind.ts';
import { frameDocument } from './trusted.ts';
import classes from './content.module.css';

const SANDBOX = 'allow-scripts allow-popups allow-forms';

export function ContentFrame({ text, title }: { text: string; title: string }) {
  const frame = useRef<HTMLIFrameElement>(null);
  const isAddress = contentKind(text) === 'url';
  useEffect(() => {
    if (frame.current && !isAddress) frameDocument(frame.current, text);
  }, [text, isAddress]);
  return (
    <iframe
      ref={frame}
      src={isAddress ? text.trim() : undefined}
      title={title}
      className={classes.frame}
      sandbox={SANDBOX}
      referrerPolicy="no-referrer"
    />
  );
}
