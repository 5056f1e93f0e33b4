/** Saves a tag on what the list showed of its channels. A field for which the operator keeps the values of now is not sent. */
import { sameValue } from '#contract/based-on.ts';
import type { Input } from '#contract/endpoint.ts';
import type { ChannelView } from '#contract/relay/channel-fields.ts';
import type { channels } from '#contract/relay/channels.ts';
import { api } from '#web/api.ts';
import { saveOnBase } from '#web/ui/conflict/save-on-base.ts';
import { tagBase, valuesByName } from './tag-values.ts';

type TagBody = Input<typeof channels.changeTag>['body'];
type TagManyBody = Input<typeof channels.tagMany>['body'];

/** How many channels were changed. */
export async function saveTag(
  body: Omit<TagBody, 'based_on'>,
  shown: readonly ChannelView[],
  labelOf: (field: string) => string,
): Promise<number> {
  return await saveOnBase<TagBody, number>({
    body: { ...body, based_on: tagBase(shown, body) },
    send: async ({ tag, based_on, ...fields }) => {
      const edited = Object.entries(fields).filter(([field, value]) => !sameValue(value, based_on?.[field]));
      if (edited.length === 0) return 0;
      return await api.channels.changeTag({ body: { tag, ...Object.fromEntries(edited), based_on } });
    },
    labelOf,
    wordsOf: (theirs) => valuesByName(shown, theirs),
  });
}

/** Puts channels under one tag, or under none. Returns how many were changed: none when the operator keeps the tags of now. */
export async function saveTagOfMany(
  tag: string | null,
  shown: readonly ChannelView[],
  label: string,
): Promise<number> {
  const ids = shown.map(({ id }) => id);
  return await saveOnBase<TagManyBody, number>({
    body: {
      ids,
      tag,
      based_on: { tag: Object.fromEntries(shown.map((each) => [String(each.id), each.tag])) },
    },
    send: async (body) =>
      sameValue(body.tag, body.based_on?.['tag']) ? 0 : await api.channels.tagMany({ body }),
    labelOf: () => label,
    wordsOf: (theirs) => valuesByName(shown, theirs),
  });
}
