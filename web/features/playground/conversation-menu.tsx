/** What can be done with the whole conversation: keep it on the server, share it, save it as a file. */
import { ActionIcon, Menu } from '@mantine/core';
import { IconCloud, IconCloudOff, IconDots, IconFileTypeTxt, IconJson, IconLink } from '@tabler/icons-react';
import { lazy, Suspense, useState } from 'react';
import { useTranslation } from 'react-i18next';
import { downloadFile } from '#web/ui/grid/csv.ts';
import { isBusy, type Conversation } from './conversation.ts';
import { asJson, asMarkdown, fileName } from './export-text.ts';

const ShareDialog = lazy(() => import('./share-dialog.tsx').then((file) => ({ default: file.ShareDialog })));

interface ConversationMenuProps {
  conversation: Conversation;
  onKeep: (wants: boolean) => void;
}

const icon = { size: 15, stroke: 1.6 } as const;

export function ConversationMenu({ conversation, onKeep }: ConversationMenuProps) {
  const { t } = useTranslation('playground');
  const [isSharing, setSharing] = useState(false);
  const words = {
    you: t('prompt.you'),
    untitled: t('conversations.untitled'),
    attached: t('export.attached'),
  };
  const { title, turns, revision } = conversation;
  const isEmpty = turns.length === 0;
  const isKept = revision !== undefined;
  const isOpen = isEmpty || isBusy(conversation);
  const save = (ending: 'md' | 'json') =>
    downloadFile(
      fileName(title, ending),
      ending === 'md' ? asMarkdown(conversation, words) : asJson(conversation),
      'text/plain',
    );
  return (
    <>
      <Menu position="bottom-end">
        <Menu.Target>
          <ActionIcon aria-label={t('conversations.more')}>
            <IconDots size={16} stroke={1.6} />
          </ActionIcon>
        </Menu.Target>
        <Menu.Dropdown>
          <Menu.Item
            disabled={isOpen}
            leftSection={isKept ? <IconCloudOff {...icon} /> : <IconCloud {...icon} />}
            onClick={() => onKeep(!isKept)}
          >
            {t(isKept ? 'keep.off' : 'keep.on')}
          </Menu.Item>
          <Menu.Item disabled={isOpen} leftSection={<IconLink {...icon} />} onClick={() => setSharing(true)}>
            {t('share.open')}
          </Menu.Item>
          <Menu.Divider />
          <Menu.Item
            disabled={isEmpty}
            leftSection={<IconFileTypeTxt {...icon} />}
            onClick={() => save('md')}
          >
            {t('export.markdown')}
          </Menu.Item>
          <Menu.Item disabled={isEmpty} leftSection={<IconJson {...icon} />} onClick={() => save('json')}>
            {t('export.json')}
          </Menu.Item>
        </Menu.Dropdown>
      </Menu>
      {isSharing ? (
        <Suspense>
          <ShareDialog conversation={conversation} onClose={() => setSharing(false)} />
        </Suspense>
      ) : null}
    </>
  );
}
