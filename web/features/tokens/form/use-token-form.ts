/** The rules of the token form, and its sentences. */
import { useTranslation } from 'react-i18next';
import { TOKEN_BATCH_MAX, type TokenView } from '#contract/admin/tokens.ts';
import { TOKEN_NAME_MAX } from '#contract/admin/token-names.ts';
import type { TokenHolder } from '#contract/admin/token-holders.ts';
import { unixSeconds } from '#contract/time.ts';
import { sentencesOf, type FieldRules, type Fields } from '#web/ui/input/use-form.ts';
import { formValues, problemsOf, type FieldName, type Problem, type TokenFormValues } from './values.ts';

export type TokenForm = Fields<TokenFormValues>;

/** Checked while typing: each line shows what is wrong with it. */
const LIVE: readonly FieldName[] = ['allow_ips', 'deny_ips'];

/** `wanted`: for whom a new one is. */
export function useTokenRules(
  token: TokenView | undefined,
  wanted?: TokenHolder,
): FieldRules<TokenFormValues> {
  const { t } = useTranslation('tokens');
  const sentence: Record<Problem, string> = {
    nameRequired: t('error.nameRequired'),
    nameTooLong: t('error.nameTooLong', { max: TOKEN_NAME_MAX }),
    expiryFormat: t('error.expiryFormat'),
    expiryPast: t('error.expiryPast'),
    count: t('error.count', { max: TOKEN_BATCH_MAX }),
    addresses: '',
  };
  return {
    begin: () => formValues(token, wanted),
    problemsOf: (values, initial) =>
      sentencesOf(problemsOf(values, initial, unixSeconds()), (problem) => sentence[problem]),
    checksOnLeave: 'filled',
    live: LIVE,
    aliases: {
      expired_time: 'expiry',
      member_id: 'holder',
      service_account_id: 'holder',
      project_id: 'project',
    },
    draft: { name: `token:${token?.id ?? 'new'}` },
  };
}
