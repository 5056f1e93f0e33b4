/** The operator's chat links as menu items. Opening one passes the key to the client; the menu warns of it, and a web page is asked about. */
import { Menu } from '@mantine/core';
import { IconMessages } from '@tabler/icons-react';
import { useTranslation } from 'react-i18next';
import type { TokenView } from '#contract/admin/tokens.ts';
import { useStatus } from '#web/api/status.ts';
import { confirm } from '#web/ui/feedback/dialog-store.ts';
import { toast } from '#web/ui/feedback/toast.tsx';
import { serverAddress } from '#web/ui/format/base-url.ts';
import { chatLinks, fillChatLink, openChatLink, webHost } from '#web/ui/address/chat-links.ts';
import classes from '#web/features/tokens/tokens.module.css';

export function ChatItems({ token }: { token: TokenView }) {
  const { t } = useTranslation('tokens');
  const status = useStatus();
  const links = status ? chatLinks(status) : [];
  const icon = <IconMessages size={15} stroke={1.6} />;
  if (links.length === 0) {
    return (
      <Menu.Item leftSection={icon} onClick={() => toast.error(t('message.noChatLinks'))}>
        {t('action.chat')}
      </Menu.Item>
    );
  }
  const open = async (template: string) => {
    const address = serverAddress(status?.server_address, window.location.origin);
    const url = fillChatLink(template, { key: token.key, address });
    if (!url) {
      toast.error(t('message.badChatLink'));
      return;
    }
    const host = webHost(url);
    const isAgreed =
      host === undefined ||
      (await confirm({
        title: t('handOver.title', { host }),
        body: t('handOver.text', { host, token: token.name }),
        confirmLabel: t('handOver.go'),
      }));
    if (isAgreed) openChatLink(url);
  };
  return (
    <>
      <Menu.Label>{t('action.chat')}</Menu.Label>
      {links.map((link) => (
        <Menu.Item key={link.name} leftSection={icon} onClick={() => void open(link.template)}>
          {link.name}
        </Menu.Item>
      ))}
      <Menu.Label className={classes.menuWarning}>{t('chatWarning')}</Menu.Label>
    </>
  );
}
