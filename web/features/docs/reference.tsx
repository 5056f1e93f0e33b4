/** Every endpoint of the running server: who may call it, what it takes and answers, and an example. */
import { TextInput } from '@mantine/core';
import { useQuery } from '@tanstack/react-query';
import { Link } from '@tanstack/react-router';
import { IconSearch } from '@tabler/icons-react';
import { useState, type ReactNode } from 'react';
import { useTranslation } from 'react-i18next';
import { useStatus } from '#web/api/status.ts';
import { currentLanguage } from '#web/i18n/i18n.ts';
import { PostLoader } from '#web/ui/badge/posts.tsx';
import { CodeBlock } from '#web/ui/code/code-block.tsx';
import { ErrorState } from '#web/ui/feedback/states.tsx';
import { serverAddress } from '#web/ui/format/base-url.ts';
import { PLACEHOLDER_MODEL } from '#contract/money/sample-model.ts';
import { useSampleModel } from '#web/api/price-list.ts';
import { curlOf } from './example.ts';
import { referenceQuery, type Operation } from './operations.ts';
import { fieldRows, typeText, type FieldRow, type JsonSchema, type Schemas } from './schema.ts';
import type messages from './messages.ts';
import classes from './docs.module.css';

/** A test keeps the names equal to the groups of the API. */
type GroupName = keyof typeof messages.reference.group;

interface Described {
  operation: Operation;
  schemas: Schemas;
}

function Table({ head, rows }: { head: string[]; rows: { key: string; cells: ReactNode[] }[] }) {
  return (
    <div className={classes.tableFrame} tabIndex={0}>
      <table>
        <thead>
          <tr>
            {head.map((cell) => (
              <th key={cell}>{cell}</th>
            ))}
          </tr>
        </thead>
        <tbody>
          {rows.map(({ key, cells }) => (
            <tr key={key}>
              {cells.map((cell, index) => (
                <td key={head[index]}>{cell}</td>
              ))}
            </tr>
          ))}
        </tbody>
      </table>
    </div>
  );
}

function Fields({ rows }: { rows: readonly FieldRow[] }) {
  const { t } = useTranslation('docs');
  return (
    <Table
      head={[t('reference.field'), t('reference.type'), t('reference.required')]}
      rows={rows.map(({ name, type, isRequired }) => ({
        key: name,
        cells: [<code key="name">{name}</code>, type, isRequired ? t('reference.yes') : ''],
      }))}
    />
  );
}

function Parameters({ operation, schemas }: Described) {
  const { t } = useTranslation('docs');
  if (operation.parameters.length === 0) return null;
  return (
    <>
      <h4>{t('reference.parameters')}</h4>
      <Table
        head={[t('reference.field'), t('reference.type'), t('reference.required')]}
        rows={operation.parameters.map((parameter) => ({
          key: `${parameter.in} ${parameter.name}`,
          cells: [
            <code key="name">{parameter.name}</code>,
            `${typeText(parameter.schema, schemas)} (${t(`reference.place.${parameter.in}`)})`,
            parameter.required ? t('reference.yes') : '',
          ],
        }))}
      />
    </>
  );
}

function Part({ title, schema, schemas }: { title: string; schema: JsonSchema; schemas: Schemas }) {
  const rows = fieldRows(schema, schemas);
  return (
    <>
      <h4>{title}</h4>
      {rows.length > 0 ? <Fields rows={rows} /> : <p>{typeText(schema, schemas)}</p>}
    </>
  );
}

function Refusals({ operation }: { operation: Operation }) {
  const { t } = useTranslation('docs');
  const link = (hash: string | undefined, words: string) => (
    <Link to="/docs/$page" params={{ page: 'troubleshooting' }} hash={hash}>
      {words}
    </Link>
  );
  if (operation.access === 'key')
    return (
      <p>
        {t('reference.refusalsOfCalls')} {link(undefined, t('reference.troubleshooting'))}
      </p>
    );
  return (
    <>
      <h4>{t('reference.refusals')}</h4>
      <p className={`flow4 ${classes.codes}`}>
        {operation.errors.map((code) => (
          <code key={code}>{link(code, code)}</code>
        ))}
      </p>
    </>
  );
}

function Details({ operation, schemas }: Described) {
  const { t } = useTranslation('docs');
  const status = useStatus();
  const model = useSampleModel();
  const address = serverAddress(status?.server_address, location.origin);
  const code = curlOf(operation, address, schemas).replaceAll(PLACEHOLDER_MODEL, model);
  const notes = [
    t(`reference.access.${operation.access}`),
    ...(operation.isSessionOnly ? [t('reference.sessionOnly')] : []),
    ...(operation.needsStepUp ? [t('reference.stepUp')] : []),
  ];
  return (
    <div className={classes.details}>
      <p>
        {t('reference.who')}: {notes.join('; ')}
      </p>
      <Parameters operation={operation} schemas={schemas} />
      {operation.body ? <Part title={t('reference.body')} schema={operation.body} schemas={schemas} /> : null}
      {operation.data ? (
        <Part title={t('reference.answerData')} schema={operation.data} schemas={schemas} />
      ) : (
        <>
          <h4>{t('reference.answer')}</h4>
          <p>{operation.access === 'key' ? t('reference.vendorFormat') : t('reference.none')}</p>
        </>
      )}
      <Refusals operation={operation} />
      <CodeBlock head={t('reference.example')} copy={{ text: code, label: t('reference.example') }}>
        {code}
      </CodeBlock>
    </div>
  );
}

/** The tables of two hundred endpoints are drawn when they are opened. */
function Entry({ operation, schemas }: Described) {
  const [wasOpened, setOpened] = useState(false);
  return (
    <details className={classes.operation} onToggle={() => setOpened(true)}>
      <summary>
        <b>{operation.method}</b>
        <code>{operation.path}</code>
        <span>{operation.summary}</span>
      </summary>
      {wasOpened ? <Details operation={operation} schemas={schemas} /> : null}
    </details>
  );
}

export function Reference() {
  const { t } = useTranslation('docs');
  const { data, error, refetch } = useQuery(referenceQuery(currentLanguage()));
  const [filter, setFilter] = useState('');
  if (error) return <ErrorState message={error.message} onRetry={() => void refetch()} />;
  if (!data) return <PostLoader />;
  const words = filter.toLowerCase().split(/\s+/).filter(Boolean);
  const shown = data.operations.filter(({ method, path, summary }) =>
    words.every((word) => `${method} ${path} ${summary}`.toLowerCase().includes(word)),
  );
  return (
    <section data-prose className={classes.article} aria-label={t('reference.title')}>
      <h2 id="reference">{t('reference.title')}</h2>
      <p>
        {t('reference.intro')} {t('reference.count', { count: shown.length })}
      </p>
      <TextInput
        value={filter}
        onChange={(event) => setFilter(event.currentTarget.value)}
        placeholder={t('reference.filter')}
        aria-label={t('reference.filter')}
        leftSection={<IconSearch size={14} stroke={1.6} />}
      />
      {[...Map.groupBy(shown, ({ group }) => group)].map(([group, operations]) => (
        <section key={group}>
          <h3>{t(`reference.group.${group as GroupName}`)}</h3>
          {operations.map((operation) => (
            <Entry key={operation.id} operation={operation} schemas={data.schemas} />
          ))}
        </section>
      ))}
    </section>
  );
}
