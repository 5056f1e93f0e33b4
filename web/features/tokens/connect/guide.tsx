/** The configuration of one client. Keys are masked on screen until they are revealed, and complete in copied text and links. */
import { Button } from '@mantine/core';
import { IconExternalLink } from '@tabler/icons-react';
import { useTranslation } from 'react-i18next';
import { openChatLink } from '#web/ui/address/chat-links.ts';
import { CodeBlock } from '#web/ui/code/code-block.tsx';
import { CopyButton } from '#web/ui/copy/copy-button.tsx';
import { NoticeLine } from '#web/ui/feedback/notice.tsx';
import { CLIENT_NAMES, guideOf, type ClientId, type Connection, type Step } from './clients.ts';
import classes from './connect.module.css';

interface ClientGuideProps {
  client: ClientId;
  connection: Connection;
  shownKey: string;
}

export function ClientGuide({ client, connection, shownKey }: ClientGuideProps) {
  const { t } = useTranslation('tokens');
  const whole = guideOf(client, connection);
  const shown = guideOf(client, { ...connection, key: shownKey });
  const { link, ccSwitch } = whole;
  return (
    <div className="stack14">
      {link || ccSwitch ? (
        <div className="wrap8 size12 muted">
          {link ? (
            <Button
              leftSection={<IconExternalLink size={15} stroke={1.6} />}
              onClick={() => openChatLink(link)}
            >
              {t('connect.openIn', { name: CLIENT_NAMES[client] })}
            </Button>
          ) : null}
          {ccSwitch ? (
            <Button
              variant="default"
              leftSection={<IconExternalLink size={15} stroke={1.6} />}
              onClick={() => openChatLink(ccSwitch)}
            >
              {t('connect.openIn', { name: 'CC Switch' })}
            </Button>
          ) : null}
          <span>{t('connect.orByHand')}</span>
        </div>
      ) : null}
      {shown.steps.map((step, index) => (
        <StepView key={`${client} ${index}`} shown={step} whole={whole.steps[index] ?? step} />
      ))}
      {whole.notes.map((note) => (
        <NoticeLine key={note}>{t(`connect.note.${note}`)}</NoticeLine>
      ))}
    </div>
  );
}

function StepView({ shown, whole }: { shown: Step; whole: Step }) {
  const { t } = useTranslation('tokens');
  if (shown.kind === 'fields') {
    const values = whole.kind === 'fields' ? whole.fields : [];
    return (
      <CodeBlock head={<code>{shown.path}</code>}>
        <dl className={classes.fields}>
          {shown.fields.map(({ id, value }, index) => (
            <div key={id}>
              <dt>{t(`connect.field.${id}`)}</dt>
              <dd>
                <code>{value}</code>
                <CopyButton
                  text={values[index]?.value ?? value}
                  label={t('connect.copyField', { name: t(`connect.field.${id}`) })}
                />
              </dd>
            </div>
          ))}
        </dl>
      </CodeBlock>
    );
  }
  const text = whole.kind === 'fields' ? '' : whole.text;
  return (
    <CodeBlock
      head={shown.kind === 'terminal' ? <span>{t('connect.terminal')}</span> : <code>{shown.place}</code>}
      copy={{ text, label: t('connect.copySnippet') }}
    >
      {shown.text}
    </CodeBlock>
  );
}
