/** Search across all tabs: by label in either language, by option key, by the initials of the pinyin. */
import type { OptionField } from '#contract/options.ts';

/** The first character of each initial in the order of pinyin; a character belongs to the last one not after it. */
const BOUNDARIES = '阿八嚓哒妸发旮哈讥咔垃痳拏噢妑七呥扨它穵夕丫帀';
const INITIALS = 'abcdefghjklmnopqrstwxyz';
const collator = new Intl.Collator('zh-Hans-CN');

export function pinyinInitials(text: string): string {
  return Array.from(text)
    .map((character) => {
      if (!/[\u4e00-\u9fff]/.test(character))
        return /[a-z0-9]/i.test(character) ? character.toLowerCase() : '';
      let found = '';
      Array.from(BOUNDARIES).forEach((boundary, index) => {
        if (collator.compare(boundary, character) <= 0) found = INITIALS[index] ?? '';
      });
      return found;
    })
    .join('');
}

export interface Findable {
  field: OptionField;
  /** Names of the section in both languages and its full pinyin. */
  section: string;
}

const initials = new Map<string, string>();

function initialsOf(label: string): string {
  const known = initials.get(label);
  if (known !== undefined) return known;
  const made = pinyinInitials(label);
  initials.set(label, made);
  return made;
}

/**
 * Best first: the key or the label starts with it, the label contains it, the initials start with it or contain it, and the
 * section's name.
 */
export function findOptions<Item extends Findable>(items: readonly Item[], query: string, most = 12): Item[] {
  const wanted = query.trim().toLowerCase();
  if (wanted === '') return [];
  const compact = wanted.replaceAll(/\s/g, '');
  const scored = items.flatMap((item) => {
    const { key, label } = item.field;
    const texts = [key.toLowerCase(), label.zh.toLowerCase(), label.en.toLowerCase()];
    const score = texts.some((text) => text.startsWith(wanted))
      ? 0
      : texts.some((text) => text.includes(wanted))
        ? 1
        : compact.length > 1 && initialsOf(label.zh).startsWith(compact)
          ? 2
          : compact.length > 1 && initialsOf(label.zh).includes(compact)
            ? 3
            : item.section.toLowerCase().includes(wanted)
              ? 4
              : undefined;
    return score === undefined ? [] : [{ item, score }];
  });
  return scored
    .toSorted((left, right) => left.score - right.score)
    .slice(0, most)
    .map(({ item }) => item);
}
