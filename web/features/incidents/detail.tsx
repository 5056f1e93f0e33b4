/** An incident in full: its lines, and what can be done with it. */
import { ActionIcon, Button } from '@mantine/core';
import { useMutation, useQueryClient } from '@tanstack/react-query';
import { IconTrash } from '@tabler/icons-react';
import { useState, type ReactNode } from 'react';
import { useTranslation } from 'react-i18next';
import type { Incident, IncidentLine } from '#contract/admin/incidents.ts';
import { languageOf } from '#contract/language.ts';
import { api } from '#web/api.ts';
import { Tag } from '#web/ui/badge/tag.tsx';
import { confirm } from '#web/ui/feedback/dialog-store.ts';
import { toast } from '#web/ui/feedback/toast.tsx';
import { Moment } from '#web/ui/format/moment.tsx';
import { CardHead, CardLine } from '#web/ui/grid/card-line.tsx';
import { IncidentState, IncidentTitle, Lasted } from './columns.tsx';
import { IncidentDialog } from './incident-dialog.tsx';
import { LineDialog } from './line-dialog.tsx';
import { INCIDENTS_KEY } from './queries.ts';
import classes from './incidents.module.css';

export function IncidentDetail({ incident }: { incident: Incident }) {
  const { t } = useTranslation('incidents');
  const { id, kind, models, lines } = incident;
  const client = useQueryClient();
  const [open, setOpen] = useState<'edit' | 'line'>();
  const remove = useMutation({
    mutationFn: () => api.incidents.remove({ params: { id } }),
    onSuccess: () => toast.success(t('done.removed')),
    onSettled: () => client.invalidateQueries({ queryKey: INCIDENTS_KEY }),
  });
  const ask = async () => {
    const body = incident.title_en || incident.title_zh;
    const isSure = await confirm({
      title: t('ask.remove'),
      body,
      confirmLabel: t('action.remove'),
      danger: true,
    });
    if (isSure) remove.mutate();
  };
  const isOwn = kind === 'operator';
  return (
    <div className={`stack10 ${classes.detail}`}>
      {isOwn ? null : <p className="soft small">{t('measuredNote')}</p>}
      {models.length === 0 ? null : <p className="small">{models.join(' · ')}</p>}
      <ol className={classes.lines}>
        {lines.map((line) => (
          <Line key={line.id} id={id} line={line} />
        ))}
      </ol>
      <div className="flow8">
        <Button size="compact-sm" variant="default" onClick={() => setOpen('line')}>
          {t('action.line')}
        </Button>
        {isOwn ? (
          <>
            <Button size="compact-sm" variant="default" onClick={() => setOpen('edit')}>
              {t('action.edit')}
            </Button>
            <Button size="compact-sm" variant="default" loading={remove.isPending} onClick={() => void ask()}>
              {t('action.remove')}
            </Button>
          </>
        ) : null}
      </div>
      {open === 'edit' ? <IncidentDialog incident={incident} onClose={() => setOpen(undefined)} /> : null}
      {open === 'line' ? <LineDialog incident={incident} onClose={() => setOpen(undefined)} /> : null}
    </div>
  );
}

function Line({ id, line }: { id: number; line: IncidentLine }) {
  const { t, i18n } = useTranslation('incidents');
  const client = useQueryClient();
  const { at, source, text_zh, text_en } = line;
  const text = languageOf(i18n.language) === 'zh' ? text_zh || text_en : text_en || text_zh;
  const remove = useMutation({
    mutationFn: () => api.incidents.removeLine({ params: { id, line: line.id } }),
    onSuccess: () => toast.success(t('done.removedLine')),
    onSettled: () => client.invalidateQueries({ queryKey: INCIDENTS_KEY }),
  });
  const ask = async () => {
    const question = { title: t('ask.removeLine'), body: text, confirmLabel: t('action.remove') };
    if (await confirm({ ...question, danger: true })) remove.mutate();
  };
  return (
    <li>
      <Moment timestamp={at} />
      {source === 'operator' ? (
        <span>
          <Tag>{t('source.operator')}</Tag>
        </span>
      ) : (
        <span className="soft">{t('source.measured')}</span>
      )}
      <span className={classes.text}>{text}</span>
      {source === 'operator' ? (
        <ActionIcon aria-label={t('action.removeLine')} loading={remove.isPending} onClick={() => void ask()}>
          <IconTrash size={14} stroke={1.6} />
        </ActionIcon>
      ) : null}
    </li>
  );
}

export function IncidentCard({ incident, children }: { incident: Incident; children: ReactNode }) {
  return (
    <>
      <CardHead name={<IncidentTitle incident={incident} />}>
        <IncidentState incident={incident} />
      </CardHead>
      <CardLine>
        <Moment timestamp={incident.begun_at} />
        <Lasted incident={incident} />
      </CardLine>
      {children}
    </>
  );
}
