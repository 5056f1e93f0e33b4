/** The actions of one token. */
import { Menu } from '@mantine/core';
import {
  IconCircleCheck,
  IconCircleMinus,
  IconCopy,
  IconEye,
  IconPencil,
  IconPlugConnected,
  IconTrash,
} from '@tabler/icons-react';
import { useTranslation } from 'react-i18next';
import { TOKEN_STATUS, type TokenView } from '#contract/admin/tokens.ts';
import { isWhole } from '#web/features/tokens/token-state.ts';
import { useKeyRights } from '#web/features/tokens/use-key-rights.ts';
import { ChatItems } from './chat-items.tsx';
import type { TokenActions } from '#web/features/tokens/use-token-actions.ts';

export interface RowMenuProps {
  token: TokenView;
  actions: TokenActions;
  onView: (token: TokenView) => void;
  onEdit: (token: TokenView) => void;
  onConnect: (token: TokenView) => void;
}

const SIZE = { size: 15, stroke: 1.6 };

export default function RowMenuItems({ token, actions, onView, onEdit, onConnect }: RowMenuProps) {
  const { t } = useTranslation('tokens');
  const isReadable = isWhole(token);
  const isChangeable = useKeyRights().mayChange(token);
  const enabled = token.status === TOKEN_STATUS.enabled;
  return (
    <>
      {isReadable ? (
        <>
          <Menu.Item leftSection={<IconPlugConnected {...SIZE} />} onClick={() => onConnect(token)}>
            {t('action.connect')}
          </Menu.Item>
          <Menu.Item leftSection={<IconEye {...SIZE} />} onClick={() => onView(token)}>
            {t('action.viewKey')}
          </Menu.Item>
          <Menu.Item leftSection={<IconCopy {...SIZE} />} onClick={() => void actions.copy([token], 'keys')}>
            {t('action.copyKey')}
          </Menu.Item>
        </>
      ) : null}
      {isChangeable ? (
        <>
          <Menu.Item leftSection={<IconPencil {...SIZE} />} onClick={() => onEdit(token)}>
            {t('action.edit')}
          </Menu.Item>
          <Menu.Item
            leftSection={enabled ? <IconCircleMinus {...SIZE} /> : <IconCircleCheck {...SIZE} />}
            onClick={() => actions.setEnabled(token, !enabled)}
          >
            {enabled ? t('action.disable') : t('action.enable')}
          </Menu.Item>
        </>
      ) : null}
      {isReadable ? <Menu.Divider /> : null}
      {isReadable ? <ChatItems token={token} /> : null}
      {isChangeable ? (
        <>
          <Menu.Divider />
          <Menu.Item data-danger leftSection={<IconTrash {...SIZE} />} onClick={() => actions.remove(token)}>
            {t('action.remove')}
          </Menu.Item>
        </>
      ) : null}
    </>
  );
}
