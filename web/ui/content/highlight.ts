/** Syntax highlighting, loaded with the first code block, for the most common languages. */
import highlighter from 'highlight.js/lib/core';
import bash from 'highlight.js/lib/languages/bash';
import c from 'highlight.js/lib/languages/c';
import cpp from 'highlight.js/lib/languages/cpp';
import css from 'highlight.js/lib/languages/css';
import diff from 'highlight.js/lib/languages/diff';
import go from 'highlight.js/lib/languages/go';
import java from 'highlight.js/lib/languages/java';
import javascript from 'highlight.js/lib/languages/javascript';
import json from 'highlight.js/lib/languages/json';
import python from 'highlight.js/lib/languages/python';
import rust from 'highlight.js/lib/languages/rust';
import sql from 'highlight.js/lib/languages/sql';
import typescript from 'highlight.js/lib/languages/typescript';
import xml from 'highlight.js/lib/languages/xml';
import yaml from 'highlight.js/lib/languages/yaml';
import { htmlFragment } from './sanitise.ts';

const LANGUAGES = {
  bash,
  c,
  cpp,
  css,
  diff,
  go,
  java,
  javascript,
  json,
  python,
  rust,
  sql,
  typescript,
  xml,
  yaml,
};
for (const [name, language] of Object.entries(LANGUAGES)) highlighter.registerLanguage(name, language);

/** Longer blocks are not highlighted: it would block the page. */
const MOST_CHARACTERS = 40_000;

/** Undefined: an unknown language. */
export function coloured(code: string, language: string): DocumentFragment | undefined {
  if (code.length > MOST_CHARACTERS || !highlighter.getLanguage(language)) return undefined;
  return htmlFragment(highlighter.highlight(code, { language, ignoreIllegals: true }).value);
}
