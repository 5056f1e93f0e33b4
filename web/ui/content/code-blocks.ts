/** The code blocks of rendered Markdown: a head with the language and a copy button, and colours. */
import { copyText } from '#web/ui/copy/copy.ts';
import classes from './code-blocks.module.css';

const languageOf = (code: Element | null): string =>
  /language-([\w+#-]+)/.exec(code?.className ?? '')?.[1] ?? '';

export function headCodeBlocks(fragment: DocumentFragment, copyLabel: string): void {
  for (const pre of fragment.querySelectorAll('pre')) {
    const block = document.createElement('div');
    block.className = classes.block ?? '';
    const head = document.createElement('div');
    head.className = classes.blockHead ?? '';
    const name = document.createElement('span');
    name.textContent = languageOf(pre.querySelector('code'));
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
export async function colourCodeBlocks(host: HTMLElement): Promise<void> {
  const blocks = [...host.querySelectorAll<HTMLElement>('pre code[class*="language-"]')];
  if (blocks.length === 0) return;
  const { coloured } = await import('./highlight.ts');
  for (const code of blocks) {
    const fragment = coloured(code.textContent ?? '', languageOf(code));
    if (fragment) code.replaceChildren(fragment);
  }
}
