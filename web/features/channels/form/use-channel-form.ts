/** The state of the channel form, and its sentences. */
import { useTranslation } from 'react-i18next';
import type { ChannelView } from '#contract/relay/channel-fields.ts';
import { languageOf } from '#contract/language.ts';
import { useFields, type Fields } from '#web/ui/input/use-fields.ts';
import { formValues, problemsOf, type ChannelFormValues, type Problem } from './values.ts';
import type { TypeLookup } from '#web/features/channels/queries.ts';

export type ChannelForm = Fields<ChannelFormValues>;

/** Each of them can contain a key or a password. */
const SECRETS = ['key', 'base_url', 'setting', 'param_override', 'header_override'] as const;

export function useChannelForm(channel: ChannelView | undefined, typeOf: TypeLookup): ChannelForm {
  const { t, i18n } = useTranslation('channels');
  return useFields<ChannelFormValues, Problem>({
    begin: () => formValues(channel),
    problemsOf: (values) => problemsOf(values, typeOf(values.type), channel === undefined),
    sentenceOf: (problem, { type }) =>
      problem === 'otherRequired'
        ? t('error.otherRequired', { label: typeOf(type)?.other_label[languageOf(i18n.language)] ?? '' })
        : t(`error.${problem}`),
    draft: { name: `channel:${channel?.id ?? 'new'}`, except: SECRETS },
  });
}
