/** An attention item in the reader's language, and the page where its action is. */
import { useRouter } from '@tanstack/react-router';
import { useTranslation } from 'react-i18next';
import type { AttentionItem } from '#contract/admin/attention.ts';
import {
  ATTENTION_ACTION_WORDS,
  ATTENTION_WORDS,
  attentionText,
  type AttentionReader,
} from '#contract/admin/attention-words.ts';
import { languageOf } from '#contract/language.ts';
import { useDisplay } from '#web/ui/format/display.ts';
import { absoluteTime } from '#web/ui/format/time.ts';
import { placeOf, pricePlace, type Place } from './place.ts';

export function useAttentionReader(): AttentionReader {
  const { i18n } = useTranslation();
  const display = useDisplay();
  return {
    ...display,
    language: languageOf(i18n.language),
    timeText: (seconds) => absoluteTime(seconds).slice(5, 16),
  };
}

export interface ItemWords {
  id: string;
  title: string;
  detail: string;
  action: string;
  place: Place;
}

/** `isRoot`: prices are the super admin's to set. */
export function useItemWords(isRoot: boolean): (item: AttentionItem) => ItemWords {
  const reader = useAttentionReader();
  const router = useRouter();
  return ({ id, kind, values, action, address, subjects }) => ({
    id,
    title: attentionText(ATTENTION_WORDS[kind].title, values, reader),
    detail: attentionText(ATTENTION_WORDS[kind].detail, values, reader),
    action: attentionText(ATTENTION_ACTION_WORDS[action], {}, reader),
    place:
      action === 'set_price' && isRoot
        ? pricePlace(
            subjects.filter((subject) => subject.kind === 'model').map((model) => model.id),
            kind,
          )
        : placeOf(address, (path) => Object.hasOwn(router.routesByPath, path)),
  });
}
