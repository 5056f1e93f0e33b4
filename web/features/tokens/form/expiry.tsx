/** When the token ends. */
import { useTranslation } from 'react-i18next';
import { ExpiryField as EndField } from '#web/ui/input/expiry-field.tsx';
import type { TokenForm } from './use-token-form.ts';

export const EXPIRY_FIELD_ID = 'token-expired_time';

export function ExpiryField({ form }: { form: TokenForm }) {
  const { t } = useTranslation('tokens');
  return (
    <EndField
      id={EXPIRY_FIELD_ID}
      label={t('form.expires')}
      value={form.values.expiry}
      error={form.errorOf('expiry')}
      onChange={(text) => form.set('expiry', text)}
      onLeave={() => form.leave('expiry')}
    />
  );
}
