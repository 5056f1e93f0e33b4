/** Starts i18next: Chinese is the fallback, and only the namespaces of the active language are ever loaded. */
import instance, { type BackendModule, type i18n, type ReadCallback } from 'i18next';
import { initReactI18next } from 'react-i18next';
import { FALLBACK_LANGUAGE, LANGUAGES, languageOf, type Language } from '#contract/language.ts';
import { isolate } from './isolate.ts';
import type { Namespace } from './namespaces.ts';

// The library also exports its methods by name; use the shared instance.
const i18next: i18n = instance;

export const LANGUAGE_KEY = 'i18nextLng';

type Bundle = () => Promise<unknown>;

// Messages of shell and ui are here; those of a feature are in features/<noun>/messages.ts.
const bundles: Record<string, Record<string, Bundle>> = {
  zh: import.meta.glob(['/i18n/messages/*.ts', '/features/*/messages.ts'], {
    import: 'default',
    query: '?zh',
  }),
  en: import.meta.glob(['/i18n/messages/*.ts', '/features/*/messages.ts'], {
    import: 'default',
    query: '?en',
  }),
};

function bundleOf(language: string, namespace: string): Bundle | undefined {
  const found = bundles[language];
  return found?.[`/features/${namespace}/messages.ts`] ?? found?.[`/i18n/messages/${namespace}.ts`];
}

const backend: BackendModule = {
  type: 'backend',
  init: () => undefined,
  read: (language: string, namespace: string, callback: ReadCallback) => {
    const bundle = bundleOf(language, namespace);
    if (!bundle) {
      callback(new Error(`no messages for ${namespace} in ${language}`), false);
      return;
    }
    bundle().then(
      (messages) => callback(null, messages as Record<string, string>),
      (error: unknown) => callback(error as Error, false),
    );
  },
};

/** The stored choice, else the browser's language, else Chinese. */
export function initialLanguage(storage: Storage, browserLanguages: readonly string[]): Language {
  const stored = storage.getItem(LANGUAGE_KEY);
  return languageOf(stored ?? browserLanguages.join(','));
}

function applyToDocument(language: string): void {
  document.documentElement.lang = language === 'zh' ? 'zh-CN' : language;
}

export async function startI18n(namespaces: Namespace[]): Promise<void> {
  const language = initialLanguage(window.localStorage, navigator.languages);
  applyToDocument(language);
  await i18next
    .use(backend)
    .use(initReactI18next)
    .init({
      lng: language,
      supportedLngs: [...LANGUAGES],
      // A fallback language would load a second set of messages; the type check already proves both are complete.
      fallbackLng: false,
      load: 'languageOnly',
      ns: namespaces,
      defaultNS: 'ui',
      // React escapes; a value only keeps its writing direction to itself.
      interpolation: { escapeValue: true, escape: isolate },
      returnNull: false,
      react: { useSuspense: true },
    });
}

export function currentLanguage(): Language {
  return LANGUAGES.find((language) => language === i18next.language) ?? FALLBACK_LANGUAGE;
}

export async function changeLanguage(language: Language): Promise<void> {
  window.localStorage.setItem(LANGUAGE_KEY, language);
  applyToDocument(language);
  await i18next.changeLanguage(language);
}

/** For route loaders: the messages load with the page, so that no untranslated key is shown. */
export async function loadMessages(...namespaces: Namespace[]): Promise<void> {
  await i18next.loadNamespaces(namespaces);
}
