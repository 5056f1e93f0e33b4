/** Whether copies of one's calls may be made and kept to compare models. */
import { SegmentedControl } from '@mantine/core';
import { useMutation, useQuery, useQueryClient } from '@tanstack/react-query';
import { useTranslation } from 'react-i18next';
import { SHADOW_CONSENTS, type ShadowConsent as Consent } from '#contract/relay/shadow-calls.ts';
import { api } from '#web/api.ts';
import { toast } from '#web/ui/feedback/toast.tsx';
import { Row } from './block.tsx';

const KEY = ['shadow-consent'] as const;

export function ShadowConsent() {
  const { t } = useTranslation('personal');
  const client = useQueryClient();
  const { data } = useQuery({
    queryKey: KEY,
    queryFn: ({ signal }) => api.shadowCalls.consent({ signal }),
  });
  const saving = useMutation({
    mutationFn: (consent: Consent) => api.shadowCalls.saveConsent({ body: { consent } }),
    onSuccess: (saved) => {
      client.setQueryData(KEY, saved);
      toast.success(t('copies.saved'));
    },
  });
  if (data === undefined) return null;
  return (
    <div className="stack">
      <Row name={t('copies.name')}>
        <SegmentedControl
          aria-label={t('copies.name')}
          data={SHADOW_CONSENTS.map((value) => ({ value, label: t(`copies.${value}`) }))}
          value={data.consent}
          onChange={(value) => {
            const consent = SHADOW_CONSENTS.find((known) => known === value);
            if (consent) saving.mutate(consent);
          }}
        />
      </Row>
      <p className="note">{t(data.is_for_everyone ? 'copies.everyone' : 'copies.asked')}</p>
    </div>
  );
}
