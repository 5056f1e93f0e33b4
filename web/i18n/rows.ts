/**
 * The words of the console. A message is one row with both languages; the build gives the browser the rows of one
 * language (web/build/messages.ts).
 */
import type { Language } from '#contract/language.ts';

/** English and Chinese. */
type Plain = readonly [en: string, zh: string];
/** A message with a count: the English singular and plural, and Chinese, which has one form. */
type Counted = readonly [one: string, other: string, zh: string];

export interface Messages {
  readonly [key: string]: Plain | Counted | Messages;
}

/** The messages as i18next knows them. It reads the plural of `songs` from `songs_other` and accepts the key `songs`. */
export type Words<Rows> = {
  [
    Key in keyof Rows & string as Rows[Key] extends Counted ? `${Key}_other` : Key
  ]: Rows[Key] extends readonly string[] ? string : Words<Rows[Key]>;
};

export interface Tree {
  [key: string]: string | Tree;
}

const isRow = (value: Plain | Counted | Messages): value is Plain | Counted => Array.isArray(value);

/** The words of one language. */
export function wordsIn(language: Language, messages: Messages): Tree {
  const words: Tree = {};
  for (const [key, value] of Object.entries(messages)) {
    if (!isRow(value)) words[key] = wordsIn(language, value);
    else if (value.length === 2) words[key] = language === 'en' ? value[0] : value[1];
    else if (language === 'zh') words[`${key}_other`] = value[2];
    else [words[`${key}_one`], words[`${key}_other`]] = value;
  }
  return words;
}
