/**
 * Build step: the documents as HTML for the pages that the server renders for visitors. The address and the model in the samples
 * are the site's own; the server puts them in.
 */
import highlighter from 'highlight.js/lib/core';
import bash from 'highlight.js/lib/languages/bash';
import javascript from 'highlight.js/lib/languages/javascript';
import json from 'highlight.js/lib/languages/json';
import python from 'highlight.js/lib/languages/python';
import sql from 'highlight.js/lib/languages/sql';
import typescript from 'highlight.js/lib/languages/typescript';
import xml from 'highlight.js/lib/languages/xml';
import yaml from 'highlight.js/lib/languages/yaml';
import { Marked, type Tokens } from 'marked';
import { SAMPLE_ADDRESS, type DocumentArticle } from '#contract/admin/documents.ts';
import type { Language } from '#contract/language.ts';
import { PLACEHOLDER_MODEL } from '#contract/money/sample-model.ts';
import { anchorOf } from '#web/features/docs/anchor.ts';

for (const [name, grammar] of Object.entries({
  bash,
  javascript,
  json,
  python,
  sql,
  typescript,
  xml,
  yaml,
}))
  highlighter.registerLanguage(name, grammar);

const WORDS = {
  copy: { zh: '复制', en: 'Copy' },
  copied: { zh: '已复制', en: 'Copied' },
  cannotCopy: {
    zh: '无法复制到剪贴板，请手动复制',
    en: 'Could not copy to the clipboard. Copy the text by hand',
  },
};
const anchorLabel = (heading: string): Record<Language, string> => ({
  zh: `链接到“${heading}”`,
  en: `Link to “${heading}”`,
});

const MOST_DESCRIPTION = 160;
/** A table with more columns, or with longer words, becomes a list on narrow screens: each cell says its column. */
const FEW_COLUMNS = 3;
/** Characters that fit beside each other on a phone. */
const PHONE_CHARACTERS = 48;

const longestWord = (text: string): number =>
  Math.max(0, ...(text.match(/[!-~…]+/g) ?? []).map(({ length }) => length));

function isWide(rows: readonly (readonly Tokens.TableCell[])[]): boolean {
  const columns = rows[0]?.length ?? 0;
  if (columns > FEW_COLUMNS) return true;
  const words = Array.from({ length: columns }, (_, at) =>
    Math.max(...rows.map((row) => longestWord(row[at]?.text ?? ''))),
  );
  return columns === FEW_COLUMNS && words.reduce((sum, length) => sum + length, 0) > PHONE_CHARACTERS;
}

const escaped = (text: string): string =>
  text.replaceAll('&', '&amp;').replaceAll('<', '&lt;').replaceAll('>', '&gt;').replaceAll('"', '&quot;');

/** The words of a rendered part. */
const plain = (html: string): string =>
  html
    .replaceAll(/<[^>]*>/g, '')
    .replaceAll(
      /&(amp|lt|gt|quot|#39);/g,
      (_, name: string) => ({ amp: '&', lt: '<', gt: '>', quot: '"' })[name] ?? "'",
    )
    .replaceAll(/\s+/g, ' ')
    .trim();

const countOf = (text: string): number =>
  [...text.matchAll(SAMPLE_ADDRESS)].length + text.split(PLACEHOLDER_MODEL).length;

/** Colours must not cut what the server replaces. */
function coloured(code: string, language: string): string {
  const known = { sh: 'bash', shell: 'bash', ts: 'typescript', js: 'javascript', py: 'python' }[language];
  const name = known ?? language;
  if (!highlighter.getLanguage(name)) return escaped(code);
  const html = highlighter.highlight(code, { language: name, ignoreIllegals: true }).value;
  return countOf(html) === countOf(code) ? html : escaped(code);
}

function cell(html: string, label: string | undefined): string {
  return `<td${label === undefined ? '' : ` data-label="${escaped(label)}"`}>${html}</td>`;
}

/** HTML of one document. Its text is ours, so nothing in it is cleaned. */
export function articleOf(markdown: string, language: Language): DocumentArticle {
  let blocks = 0;
  let description = '';
  const named = new Set<string>();
  /** A row that begins with one name in code can be linked to; the first of a name counts. */
  const rowId = (first: string): string => {
    const name = /^<code>(\w+)<\/code>$/.exec(first)?.[1];
    if (name === undefined || named.has(name)) return '';
    named.add(name);
    return ` id="${name}"`;
  };
  const marked = new Marked({
    gfm: true,
    renderer: {
      heading({ tokens, depth }: Tokens.Heading) {
        const html = this.parser.parseInline(tokens);
        if (depth !== 2 && depth !== 3) return `<h${depth}>${html}</h${depth}>\n`;
        const text = plain(html);
        const id = anchorOf(text);
        const link = `<a class="anchor" href="#${id}" aria-label="${escaped(anchorLabel(text)[language])}">#</a>`;
        return `<h${depth} id="${id}">${html}${link}</h${depth}>\n`;
      },
      paragraph({ tokens }: Tokens.Paragraph) {
        const html = this.parser.parseInline(tokens);
        description ||= plain(html);
        return `<p>${html}</p>\n`;
      },
      code({ text, lang = '' }: Tokens.Code) {
        blocks += 1;
        const copy = WORDS.copy[language];
        const button = `<button type="button" data-needs-script data-copy="#code-${blocks}" data-done="${WORDS.copied[language]}" data-failed="${WORDS.cannotCopy[language]}" aria-label="${copy}">${copy}</button>`;
        const [kind = ''] = lang.split(/\s/);
        return `<div class="code"><div class="code-head"><span>${escaped(kind)}</span>${button}</div><pre tabindex="0"><code id="code-${blocks}">${coloured(text, kind)}</code></pre></div>\n`;
      },
      table({ header, rows }: Tokens.Table) {
        const heads = header.map(({ tokens }) => this.parser.parseInline(tokens));
        const labels = isWide([header, ...rows]) ? heads.map(plain) : [];
        const body = rows.map((row) => {
          const cells = row.map(({ tokens }) => this.parser.parseInline(tokens));
          return `<tr${rowId(cells[0] ?? '')}>${cells.map((html, at) => cell(html, labels[at])).join('')}</tr>`;
        });
        const wide = labels.length > 0 ? ' data-wide' : '';
        const head = heads.map((html) => `<th>${html}</th>`).join('');
        return `<div class="table-frame" tabindex="0"><table${wide}><thead><tr>${head}</tr></thead><tbody>${body.join('\n')}</tbody></table></div>\n`;
      },
      link({ href, tokens }: Tokens.Link) {
        const html = this.parser.parseInline(tokens);
        const leaves = /^https?:/.test(href) ? ' target="_blank" rel="noopener noreferrer"' : '';
        return `<a href="${escaped(href)}"${leaves}>${html}</a>`;
      },
    },
  });
  const html = marked.parse(markdown, { async: false });
  return {
    html,
    description:
      description.length <= MOST_DESCRIPTION
        ? description
        : `${description.slice(0, MOST_DESCRIPTION - 1).trimEnd()}…`,
  };
}
