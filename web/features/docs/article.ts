/** A rendered document: anchors on headings and rows, scrolling tables, links inside the console, the site's own address and model. */
import { SAMPLE_ADDRESS } from '#contract/admin/documents.ts';
import { PLACEHOLDER_MODEL } from '#contract/money/sample-model.ts';
import { anchorOf } from './anchor.ts';
import classes from './docs.module.css';

export interface ArticleOptions {
  /** Without a slash at its end. */
  address: string;
  /** One that the site sells. */
  model: string;
  anchorLabel: (heading: string) => string;
}

export function dressArticle(fragment: DocumentFragment, options: ArticleOptions): void {
  const { address, model, anchorLabel } = options;
  for (const code of fragment.querySelectorAll('code'))
    code.textContent = (code.textContent ?? '')
      .replaceAll(SAMPLE_ADDRESS, (_, scheme: string) =>
        scheme === 'ws' ? address.replace(/^http/, 'ws') : address,
      )
      .replaceAll(PLACEHOLDER_MODEL, model);
  nameHeadings(fragment, anchorLabel);
  nameRows(fragment);
  for (const table of fragment.querySelectorAll('table')) {
    labelCells(table);
    const frame = document.createElement('div');
    frame.className = classes.tableFrame ?? '';
    frame.tabIndex = 0;
    table.replaceWith(frame);
    frame.append(table);
  }
  for (const link of fragment.querySelectorAll('a[href^="/docs/"]')) {
    link.removeAttribute('target');
    link.removeAttribute('rel');
  }
}

function nameHeadings(fragment: DocumentFragment, anchorLabel: (heading: string) => string): void {
  for (const heading of fragment.querySelectorAll('h2, h3')) {
    const text = heading.textContent ?? '';
    heading.id = anchorOf(text);
    const link = document.createElement('a');
    link.href = `#${heading.id}`;
    link.className = classes.anchor ?? '';
    link.textContent = '#';
    link.setAttribute('aria-label', anchorLabel(text));
    heading.append(link);
  }
}

/** A row that begins with one name in code can be linked to: an error code, an option, a field. The first of a name counts. */
function nameRows(fragment: DocumentFragment): void {
  const named = new Set<string>();
  for (const row of fragment.querySelectorAll('tbody tr')) {
    const [cell] = row.children;
    const name = cell?.textContent ?? '';
    if (cell?.firstElementChild?.tagName !== 'CODE' || !/^\w+$/.test(name) || named.has(name)) continue;
    named.add(name);
    row.id = name;
  }
}

const FEW_COLUMNS = 3;

/** On narrow screens a wide table becomes a list: each cell stands below the other and says its column. */
function labelCells(table: HTMLTableElement): void {
  const heads = [...table.querySelectorAll('th')].map((head) => head.textContent ?? '');
  if (heads.length <= FEW_COLUMNS) return;
  table.dataset['wide'] = '';
  for (const row of table.querySelectorAll('tbody tr'))
    [...row.children].forEach((cell, index) => cell.setAttribute('data-label', heads[index] ?? ''));
}
