/** How many models are asked, the code of the request, and on small screens the list and the parameters. */
import { ActionIcon, Button, SegmentedControl, Tooltip } from '@mantine/core';
import { IconAdjustmentsHorizontal, IconCode, IconMessages } from '@tabler/icons-react';
import type { ReactNode } from 'react';
import { useTranslation } from 'react-i18next';
import { usePhone } from '#web/ui/page/breakpoints.ts';

export type ChatSheetName = 'list' | 'panel';

interface ChatToolbarProps {
  /** Beside the code: what can be done with the whole conversation. */
  menu?: ReactNode;
  panes: number;
  onPanes: (count: number) => void;
  onCode: () => void;
  /** Parts without room on the page. */
  sheets: readonly ChatSheetName[];
  onSheet: (name: ChatSheetName) => void;
}

export function ChatToolbar({ panes, onPanes, onCode, sheets, onSheet, menu }: ChatToolbarProps) {
  const { t } = useTranslation('playground');
  const phone = usePhone();
  return (
    <>
      <SegmentedControl
        aria-label={t('mode.label')}
        value={String(panes)}
        onChange={(value) => onPanes(Number(value))}
        data={[
          { value: '1', label: t('mode.single') },
          { value: '2', label: t('mode.compare') },
          { value: '3', label: '3' },
          { value: '4', label: '4' },
        ]}
      />
      {phone ? (
        <ActionIcon
          variant="default"
          size="var(--height-control)"
          aria-label={t('code.open')}
          onClick={onCode}
        >
          <IconCode size={15} stroke={1.6} />
        </ActionIcon>
      ) : (
        <Button variant="default" leftSection={<IconCode size={15} stroke={1.6} />} onClick={onCode}>
          {t('code.open')}
        </Button>
      )}
      {menu}
      {sheets.map((name) => {
        const label = t(name === 'list' ? 'conversations.open' : 'parameters.open');
        const Icon = name === 'list' ? IconMessages : IconAdjustmentsHorizontal;
        return (
          <Tooltip key={name} label={label}>
            <ActionIcon aria-label={label} onClick={() => onSheet(name)}>
              <Icon size={16} stroke={1.6} />
            </ActionIcon>
          </Tooltip>
        );
      })}
    </>
  );
}
