/** What was typed into the settings and is not saved, with the values it began with; it survives a reload. */
import { useEffect, useState } from 'react';
import { portForcesTls, type OptionField } from '#contract/options.ts';
import { baseName, readTextDraft, writeDraft } from '#web/ui/input/draft.ts';
import type { Texts } from './draft.ts';
import type { Bases } from './save-options.ts';

/** The name of the draft; secrets are not in it. */
export const DRAFT_NAME = 'settings';
const NO_TEXTS: Texts = {};

export type Drafts = ReturnType<typeof useDrafts>;

const filtered = (texts: Texts, isKept: (entry: [string, string]) => boolean): Texts =>
  Object.fromEntries(Object.entries(texts).filter(isKept));

export function useDrafts(enabled: boolean, fields: readonly OptionField[]) {
  const [texts, setTexts] = useState<Texts>(() => (enabled ? readTextDraft(DRAFT_NAME) : NO_TEXTS));
  const [bases, setBases] = useState<Bases>(() => (enabled ? readTextDraft(baseName(DRAFT_NAME)) : NO_TEXTS));
  useEffect(() => {
    // Before the registry is there it is not known which texts are secrets.
    if (fields.length === 0) return;
    const except = fields.filter(({ kind }) => kind === 'secret').map(({ key }) => key);
    writeDraft({ name: DRAFT_NAME, except }, texts);
    writeDraft({ name: baseName(DRAFT_NAME), except }, bases);
  }, [fields, texts, bases]);
  return {
    texts,
    bases,
    /** `baseOf`: what an option is based on when its first change begins. A refetch meanwhile does not change it. */
    set: (typed: Texts, baseOf: (key: string) => string | undefined) => {
      const next = { ...typed, ...forcedBy(typed) };
      setTexts((before) => ({ ...before, ...next }));
      const started = Object.keys(next).filter((key) => texts[key] === undefined);
      const begun = started.map((key) => [key, baseOf(key)]);
      setBases((before) => ({ ...before, ...(Object.fromEntries(begun) as Bases) }));
    },
    /** One option, or all. */
    discard: (key?: string) => {
      const without = (before: Texts) =>
        key === undefined ? NO_TEXTS : filtered(before, ([name]) => name !== key);
      setTexts(without);
      setBases(without);
    },
    /** After a save: what failed or was typed since stays. */
    keepOnly: (isKept: (entry: [string, string]) => boolean) => {
      const kept = filtered(texts, isKept);
      setTexts((before) => filtered(before, isKept));
      setBases((before) => filtered(before, ([key]) => Object.hasOwn(kept, key)));
    },
  };
}

/** Options the server changes together with these. */
function forcedBy(texts: Texts): Texts {
  return portForcesTls(texts['SMTPPort']) ? { SMTPSSLEnabled: 'true' } : NO_TEXTS;
}
