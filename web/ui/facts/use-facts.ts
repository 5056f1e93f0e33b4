/** Stored facts as sentences in the language of the console, with amounts as the console shows them. */
import { useTranslation } from 'react-i18next';
import { attemptWords, wordsOf } from '#contract/facts.ts';
import { languageOf } from '#contract/language.ts';
import { useDisplay } from '#web/ui/format/display.ts';

export function useFacts() {
  const { i18n } = useTranslation();
  const display = useDisplay();
  const language = languageOf(i18n.language);
  return {
    language,
    words: (stored: string): string => wordsOf(stored, { ...display, language }),
    attempt: (stored: string): string => attemptWords(language, stored),
  };
}
