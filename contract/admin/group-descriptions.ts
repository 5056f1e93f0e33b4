// The descriptions that the groups of a new installation have, in the reader's language. An operator's own text is shown as
// written.
import type { Language, Text } from '#contract/language.ts';

export const BUILT_IN_GROUPS = {
  default: { zh: '默认分组', en: 'Default group' },
  vip: { zh: 'vip 分组', en: 'vip group' },
} as const satisfies Record<string, Text>;

export function groupDescription(text: string, language: Language): string {
  return Object.values(BUILT_IN_GROUPS).find(({ zh }) => zh === text)?.[language] ?? text;
}
