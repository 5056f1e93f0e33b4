// The two languages of the product. Chinese is the default.

export const LANGUAGES = ['zh', 'en'] as const;
export type Language = (typeof LANGUAGES)[number];
export type Text = Record<Language, string>;

export const FALLBACK_LANGUAGE: Language = 'zh';

/**
 * A text of the operator as its reader sees it. `plain` is the field that always was: Chinese, or the only version there is.
 * `english` is empty until it is written; whoever finds nothing in their language reads the other.
 */
export function inLanguage(language: Language, plain: string, english: string): string {
  const [own, other] = language === 'en' ? [english, plain] : [plain, english];
  return own.trim() === '' ? other : own;
}

/** The first of the two languages in an Accept-Language header by quality; the fallback for `*` and unknown ones. */
export function languageOf(
  acceptLanguage: string | null | undefined,
  fallback = FALLBACK_LANGUAGE,
): Language {
  if (!acceptLanguage) return fallback;
  const wanted = acceptLanguage
    .slice(0, 200)
    .split(',')
    .map((part) => {
      const [tag = '', ...parameters] = part.trim().toLowerCase().split(';');
      const quality = parameters.find((parameter) => parameter.trim().startsWith('q='));
      return { tag, quality: quality ? Number(quality.trim().slice(2)) || 0 : 1 };
    })
    .sort((left, right) => right.quality - left.quality);
  for (const { tag, quality } of wanted) {
    if (quality <= 0) continue;
    const match = LANGUAGES.find((language) => tag === language || tag.startsWith(`${language}-`));
    if (match) return match;
  }
  return fallback;
}
