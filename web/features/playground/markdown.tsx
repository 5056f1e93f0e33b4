/**
 * An answer as Markdown: rendered, sanitised, then each code block gets its header. Images in an answer become
 * links, so that showing an answer sends no request.
 */
import { useEffect, useRef } from 'react';
import { useTranslation } from 'react-i18next';
import { copyText } from '#web/ui/copy/copy.ts';
import classes from './markdown.module.css';

function decorate(fragment: DocumentFragment, copyLabel: string): void {
  for (const image of fragment.querySelectorAll('img')) {
    const link = document.createElement('a');
    link.textContent = image.alt || image.src;
    link.href = image.src;
    link.target = '_blank';
    link.rel = 'noopener noreferrer';
    image.replaceWith(link);
  }
  for (const pre of fragment.querySelectorAll('pre')) {
    const code = pre.querySelector('code');
    const language = /language-([\w+-]+)/.exec(code?.className ?? '')?.[1] ?? '';
    const block = document.createElement('div');
    block.className = classes.block ?? '';
    const head = document.createElement('div');
    head.className = classes.blockHead ?? '';
    const name = document.createElement('span');
    name.textContent = language;
    const copy = document.createElement('button');
    copy.type = 'button';
    copy.textContent = copyLabel;
    copy.addEventListener('click', () => void copyText(pre.textContent ?? ''));
    head.append(name, copy);
    pre.tabIndex = 0;
    pre.replaceWith(block);
    block.append(head, pre);
  }
}

/** While an answer streams its last block is incomplete; it is highlighted again with every chunk. */
async function colour(host: HTMLElement): Promise<void> {
  const blocks = [...host.querySelectorAll<HTMLElement>('pre code[class*="language-"]')];
  if (blocks.length === 0) return;
  const { coloured } = await import('./highlight.ts');
  for (const code of blocks) {
    const language = /language-([\w+#-]+)/.exec(code.className)?.[1] ?? '';
    const fragment = coloured(code.textContent ?? '', language);
    if (fragment) code.replaceChildren(fragment);
  }
}

export function Markdown({ text }: { text: string }) {
  const { t } = useTranslation('ui');
  const host = useRef<HTMLDivElement>(null);
  const label = t('action.copy');
  useEffect(() => {
    let isCurrent = true;
    void import('#web/ui/content/sanitise.ts').then(({ markdownFragment }) => {
      if (!isCurrent || !host.current) return;
      const fragment = markdownFragment(text);
      decorate(fragment, label);
      host.current.replaceChildren(fragment);
      void colour(host.current);
    });
    return () => {
      isCurrent = false;
    };
  }, [text, label]);
  return <div ref={host} className={classes.markdown} />;
}
