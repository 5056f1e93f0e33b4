/** Beside the sheet of ratios: the choice of the view, and the reset. */
import { Button, SegmentedControl } from '@mantine/core';
import { useMutation, useQueryClient } from '@tanstack/react-query';
import { Link, useNavigate } from '@tanstack/react-router';
import { IconRotate } from '@tabler/icons-react';
import { useTranslation } from 'react-i18next';
import { api } from '#web/api.ts';
import { confirm } from '#web/ui/feedback/dialog-store.ts';
import { toast } from '#web/ui/feedback/toast.tsx';
import { OPTIONS_KEY } from '#web/features/settings/queries.ts';

export function ViewSwitch({ view }: { view: 'sheet' | 'json' }) {
  const { t } = useTranslation('sheet');
  const navigate = useNavigate();
  return (
    <SegmentedControl
      aria-label={t('view')}
      data={[
        { value: 'sheet', label: t('visual') },
        { value: 'json', label: t('json') },
      ]}
      value={view}
      onChange={(value) =>
        void navigate({
          to: '/setting',
          search: { tab: 'operation', section: 'pricing', view: value === 'json' ? 'json' : undefined },
        })
      }
    />
  );
}

/** In dollars, as a draft with its impact, and as a version. */
export function OpenPriceBook() {
  const { t } = useTranslation('sheet');
  return (
    <Button variant="default" renderRoot={(props) => <Link {...props} to="/prices" />}>
      {t('openBook')}
    </Button>
  );
}

export function ResetRatios() {
  const { t } = useTranslation('sheet');
  const client = useQueryClient();
  const reset = useMutation({
    mutationFn: () => api.options.resetRatios(),
    onSuccess: async () => {
      await client.invalidateQueries({ queryKey: OPTIONS_KEY });
      toast.success(t('resetDone'));
    },
  });
  const ask = async () => {
    const sure = await confirm({
      title: t('resetTitle'),
      body: t('resetBody'),
      confirmLabel: t('reset'),
      danger: true,
    });
    if (sure) reset.mutate();
  };
  return (
    <Button
      variant="subtle"
      leftSection={<IconRotate size={15} stroke={1.6} />}
      loading={reset.isPending}
      onClick={() => void ask()}
    >
      {t('reset')}
    </Button>
  );
}
