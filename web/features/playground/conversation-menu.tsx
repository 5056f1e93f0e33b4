/** What can be done with the whole conversation: save it as a file. */
import { ActionIcon, Menu } from '@mantine/core';
import { IconDots, IconFileTypeTxt, IconJson } from '@tabler/icons-react';
import { useTranslation } from 'react-i18next';
import { downloadFile } from '#web/ui/grid/csv.ts';
import type { Conversation } from './conversation.ts';
import { asJson, asMarkdown, fileName } from './export-text.ts';

export function ConversationMenu({ conversation }: { conversation: Conversation }) {
  const { t } = useTranslation('playground');
  const words = {
    you: t('prompt.you'),
    untitled: t('conversations.untitled'),
    attached: t('export.attached'),
  };
  const isEmpty = conversation.turns.length === 0;
  return (
    <Menu position="bottom-end">
      <Menu.Target>
        <ActionIcon aria-label={t('conversations.more')}>
          <IconDots size={16} stroke={1.6} />
        </ActionIcon>
      </Menu.Target>
      <Menu.Dropdown>
        <Menu.Item
          disabled={isEmpty}
          leftSection={<IconFileTypeTxt size={15} stroke={1.6} />}
          onClick={() =>
            downloadFile(fileName(conversation.title, 'md'), asMarkdown(conversation, words), 'text/plain')
          }
        >
          {t('export.markdown')}
        </Menu.Item>
        <Menu.Item
          disabled={isEmpty}
          leftSection={<IconJson size={15} stroke={1.6} />}
          onClick={() =>
            downloadFile(fileName(conversation.title, 'json'), asJson(conversation), 'text/plain')
          }
        >
          {t('export.json')}
        </Menu.Item>
      </Menu.Dropdown>
    </Menu>
  );
}
