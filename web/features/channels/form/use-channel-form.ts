/** The rules of the channel form, and its sentences. */
import { useTranslation } from 'react-i18next';
import type { ChannelView } from '#contract/relay/channel-fields.ts';
import { languageOf } from '#contract/language.ts';
import { sentencesOf, type FieldRules, type Fields } from '#web/ui/input/use-form.ts';
import { formValues, problemsOf, type ChannelFormValues, type Problem } from './values.ts';
import type { TypeLookup } from '#web/features/channels/queries.ts';

export type ChannelForm = Fields<ChannelFormValues>;

/** Each of them can contain a key or a password. */
const SECRETS = ['key', 'base_url', 'setting', 'param_override', 'header_override'] as const;

export function useChannelRules(
  channel: ChannelView | undefined,
  typeOf: TypeLookup,
): FieldRules<ChannelFormValues> {
  const { t, i18n } = useTranslation('channels');
  const sentenceOf = (problem: Problem, { type }: ChannelFormValues) =>
    problem === 'otherRequired'
      ? t('error.otherRequired', { label: typeOf(type)?.other_label[languageOf(i18n.language)] ?? '' })
      : t(`error.${problem}`);
  return {
    begin: () => formValues(channel),
    problemsOf: (values) =>
      sentencesOf(problemsOf(values, typeOf(values.type), channel === undefined), (problem) =>
        sentenceOf(problem, values),
      ),
    checksOnLeave: 'filled',
    draft: { name: `channel:${channel?.id ?? 'new'}`, except: SECRETS },
  };
}
