/** What stands between sentences and between names: Chinese marks have no space behind them. */
const isChinese = (language: string): boolean => language.startsWith('zh');

/** Between two sentences, or behind a colon. */
export const sentenceGap = (language: string): string => (isChinese(language) ? '' : ' ');

export const namesJoined = (names: readonly string[], language: string): string =>
  names.join(isChinese(language) ? '、' : ', ');

/** `3 changes: gpt-4o, vip`. */
export const withNames = (text: string, names: readonly string[], language: string): string =>
  `${text}${isChinese(language) ? '：' : ': '}${namesJoined(names, language)}`;
